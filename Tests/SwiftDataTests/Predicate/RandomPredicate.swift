import Foundation
import SwiftData

/// An expression whose type is its output alone, so that random ones can be put together.
struct Node<Output>: StandardPredicateExpression, LowerableExpression, CustomStringConvertible {
  let base: any PredicateExpression<Output> & Sendable

  init(_ base: some PredicateExpression<Output> & Sendable) { self.base = base }

  func evaluate(_ bindings: PredicateBindings) throws -> Output { try base.evaluate(bindings) }
  func lower(_ state: inout LoweringState) throws -> Lowered { try (base as! any LowerableExpression).lower(&state) }
  var description: String { ExpressionText.describe(base) }
  func encode(to encoder: any Encoder) throws { throw CocoaError(.coderInvalidValue) }
  init(from decoder: any Decoder) throws { throw CocoaError(.coderInvalidValue) }
}

private typealias P = PredicateExpressions

/// Makes random expressions over a specimen, each of a known type.
struct RandomPredicate {
  var random: RandomSource
  var data: RandomData
  var specimens: [PredicateExpressions.Variable<Specimen>] = []
  var stickers: [PredicateExpressions.Variable<Sticker>] = []
  /// Inside a closure over a collection nothing throws: Swift's evaluation stops there, SQL's goes on.
  var isNested = false
  let identifiers: [PersistentIdentifier]
  let drawerIdentifiers: [PersistentIdentifier]

  init(seed: UInt64, identifiers: [PersistentIdentifier], drawerIdentifiers: [PersistentIdentifier]) {
    random = RandomSource(seed: seed)
    data = RandomData(seed: seed &+ 7)
    self.identifiers = identifiers
    self.drawerIdentifiers = drawerIdentifiers
  }

  mutating func predicate(depth: Int) -> Predicate<Specimen> {
    let variable = P.Variable<Specimen>()
    _ = variable
    var result: Predicate<Specimen>!
    var copy = self
    result = Predicate { variable in
      copy.specimens = [variable]
      return copy.bool(depth)
    }
    self = copy
    specimens = []
    return result
  }

  // MARK: - Leaves

  mutating func key<V>(_ path: KeyPath<Specimen, V> & Sendable) -> Node<V> {
    Node(P.build_KeyPath(root: random.pick(specimens), keyPath: path))
  }

  func value<V: Codable & Sendable>(_ value: V) -> Node<V> { Node(P.build_Arg(value)) }

  mutating func drawer() -> Node<Drawer?> { key(\.drawer) }

  // MARK: - Types

  mutating func bool(_ depth: Int) -> Node<Bool> {
    if depth <= 0 { return random.chance(1, in: 3) ? value(random.chance(1, in: 2)) : key(\.flag) }
    let next = depth - 1
    switch random.int(0..<34) {
    case 0, 1: return Node(P.build_Conjunction(lhs: bool(next), rhs: bool(next)))
    case 2, 3: return Node(P.build_Disjunction(lhs: bool(next), rhs: bool(next)))
    case 4, 5: return Node(P.build_Negation(bool(next)))
    case 6: return Node(P.build_Conditional(bool(next), bool(next), bool(next)))
    case 7: return Node(P.build_NilCoalesce(lhs: optionalBool(next), rhs: bool(next)))
    case 8, 9, 10, 11: return equality(next)
    case 12, 13, 14: return order(next)
    case 15, 16: return textual(next)
    case 17, 18: return membership(next)
    case 19, 20: return collection(next)
    case 21, 22, 23: return question(next)
    case 24: return pattern(next)
    case 25: return evaluation(next)
    case 26: return mapped(next)
    case 27: return run(next)
    case 28 where !isNested: return slice(next)
    case 29, 30: return promoted(next)
    case 31,
      32 where !isNested:
      return forced(next)
    default: return ranges(next)
    }
  }

  mutating func optionalBool(_ depth: Int) -> Node<Bool?> {
    switch random.int(0..<6) {
    case 0: return key(\.answer)
    case 1: return Node(P.build_flatMap(drawer()) { P.build_KeyPath(root: $0, keyPath: \.isLocked) })
    case 2:
      let text = self.text(0)
      return Node(P.build_flatMap(key(\.note)) { P.build_contains($0, text) })
    case 3: return Node(P.build_flatMap(drawer()) { P.TypeCheck<_, StrongBox>($0) })
    case 4:
      let text = self.text(depth - 1)
      return Node(P.build_flatMap(optionalText(depth - 1)) { P.build_hasPrefix($0, text) })
    default:
      let number = self.int(depth - 1)
      return Node(
        P.build_flatMap(optionalInt(depth - 1)) { P.build_Comparison(lhs: $0, rhs: number, op: .lessThan) }
      )
    }
  }

  mutating func int(_ depth: Int) -> Node<Int> {
    if depth <= 0 { return random.chance(1, in: 3) ? value(random.int(-3..<4)) : key(\.small) }
    let next = depth - 1
    switch random.int(0..<15) {
    case 0:
      let op = random.pick([P.ArithmeticOperator.add, .subtract, .multiply])
      return Node(P.build_Arithmetic(lhs: int(min(next, 2)), rhs: int(0), op: op))
    case 1: return Node(P.build_Division(lhs: int(next), rhs: value(random.pick([-3, -1, 1, 2, 7]))))
    case 2: return Node(P.build_Remainder(lhs: int(next), rhs: value(random.pick([-3, -1, 1, 2, 7]))))
    case 3: return Node(P.build_UnaryMinus(int(next)))
    case 4: return Node(P.build_KeyPath(root: text(next), keyPath: \.count))
    case 5: return Node(P.build_NilCoalesce(lhs: optionalInt(next), rhs: int(next)))
    case 6: return Node(P.build_KeyPath(root: key(\.stickers), keyPath: \.count))
    case 7: return Node(P.build_KeyPath(root: key(\.words), keyPath: \.count))
    case 8: return Node(P.build_Conditional(bool(next), int(next), int(next)))
    case 9 where !isNested: return Node(P.build_ForcedUnwrap(optionalInt(next)))
    case 10: return Node(P.build_KeyPath(root: P.build_KeyPath(root: key(\.address), keyPath: \.place), keyPath: \.y))
    case 11: return Node(P.build_subscript(key(\.scores), text(next), default: int(next)))
    case 12: return computed(next)
    case 13 where !isNested: return forcedCombination()
    default: return key(\.small)
    }
  }

  mutating func optionalInt(_ depth: Int) -> Node<Int?> {
    if depth <= 0 { return key(\.maybe) }
    switch random.int(0..<12) {
    case 0: return Node(P.build_flatMap(drawer()) { P.build_KeyPath(root: $0, keyPath: \.size) })
    case 1:
      return Node(
        P.build_flatMap(P.build_flatMap(drawer()) { P.build_KeyPath(root: $0, keyPath: \.cabinet) }) {
          P.build_KeyPath(root: $0, keyPath: \.row)
        }
      )
    case 2:
      let divisor = value(5)
      return Node(P.build_flatMap(P.build_max(key(\.numbers))) { P.build_Remainder(lhs: $0, rhs: divisor) })
    case 3: return Node(P.build_subscript(key(\.scores), text(depth - 1)))
    case 4: return Node(P.build_flatMap(key(\.note)) { P.build_KeyPath(root: $0, keyPath: \.count) })
    case 5:
      return Node(
        P.build_flatMap(drawer()) {
          P.build_KeyPath(root: P.build_KeyPath(root: $0, keyPath: \.specimens), keyPath: \.count)
        }
      )
    case 6:
      let addend = int(0)
      return Node(P.build_flatMap(key(\.maybe)) { P.build_Arithmetic(lhs: $0, rhs: addend, op: .add) })
    case 7: return combination()
    case 8: return numberOfMembers(depth - 1)
    case 10: return promotedInt(depth - 1)
    case 9:
      return Node(
        P.build_flatMap(key(\.home)) {
          P.build_KeyPath(root: P.build_KeyPath(root: $0, keyPath: \.lines), keyPath: \.count)
        })
    default: return key(\.maybe)
    }
  }

  mutating func real(_ depth: Int) -> Node<Double> {
    let next = depth - 1
    switch random.int(0..<(depth <= 0 ? 3 : 9)) {
    case 0: return value(random.pick(RandomData.doubles))
    case 1, 2: return key(\.real)
    case 3:
      let op = random.pick([P.ArithmeticOperator.add, .subtract, .multiply])
      return Node(P.build_Arithmetic(lhs: real(next), rhs: real(next), op: op))
    // The store does not keep the sign of zero, which only division shows.
    case 4: return Node(P.build_Division(lhs: real(next), rhs: value(random.pick(RandomData.doubles))))
    case 5: return Node(P.build_UnaryMinus(real(next)))
    case 6: return Node(P.build_NilCoalesce(lhs: optionalReal(next), rhs: real(next)))
    case 7: return Node(__Build.double(int(next)))
    default: return Node(P.build_KeyPath(root: P.build_KeyPath(root: key(\.address), keyPath: \.place), keyPath: \.x))
    }
  }

  mutating func optionalReal(_ depth: Int) -> Node<Double?> {
    if random.chance(1, in: 2) || stickers.isEmpty { return key(\.ratio) }
    return Node(P.build_KeyPath(root: random.pick(stickers), keyPath: \.weight))
  }

  mutating func text(_ depth: Int) -> Node<String> {
    if depth <= 0 { return random.chance(1, in: 2) ? value(data.text()) : key(\.title) }
    let next = depth - 1
    switch random.int(0..<11) {
    case 0: return Node(P.build_NilCoalesce(lhs: optionalText(next), rhs: text(next)))
    case 1: return Node(P.build_Conditional(bool(next), text(next), text(next)))
    case 2: return Node(P.build_KeyPath(root: key(\.address), keyPath: \.city))
    case 3: return Node(P.build_KeyPath(root: key(\.address), keyPath: \.shout))
    case 4 where !isNested: return Node(P.build_subscript(key(\.words), value(random.int(0..<3))))
    case 5 where !isNested: return Node(P.build_ForcedUnwrap(optionalText(next)))
    case 6 where !stickers.isEmpty: return Node(P.build_KeyPath(root: random.pick(stickers), keyPath: \.text))
    case 7: return Node(P.build_lowercased(text(next)))
    case 8: return Node(P.build_uppercased(text(next)))
    case 9: return Node(P.build_capitalized(text(next)))
    default: return key(\.title)
    }
  }

  mutating func optionalText(_ depth: Int) -> Node<String?> {
    switch random.int(0..<10) {
    case 0: return Node(P.build_flatMap(drawer()) { P.build_KeyPath(root: $0, keyPath: \.name) })
    case 1:
      return Node(
        P.build_flatMap(P.build_flatMap(drawer()) { P.build_KeyPath(root: $0, keyPath: \.cabinet) }) {
          P.build_KeyPath(root: P.build_KeyPath(root: $0, keyPath: \.sticker), keyPath: \.text)
        }
      )
    case 2: return Node(P.build_KeyPath(root: key(\.words), keyPath: \.first))
    case 3: return Node(P.build_KeyPath(root: key(\.words), keyPath: \.last))
    case 4: return Node(P.build_flatMap(key(\.home)) { P.build_KeyPath(root: $0, keyPath: \.zip) })
    case 5: return Node(P.build_min(key(\.words)))
    case 6: return textOfMembers(depth - 1)
    case 8: return chosenText(depth - 1)
    case 7: return Node(P.build_flatMap(key(\.note)) { P.build_lowercased($0) })
    default: return key(\.note)
    }
  }

  // MARK: - Conditions

  mutating func equal<T: Equatable>(_ left: Node<T>, _ right: Node<T>) -> Node<Bool> {
    random.chance(1, in: 2)
      ? Node(P.build_Equal(lhs: left, rhs: right)) : Node(P.build_NotEqual(lhs: left, rhs: right))
  }

  mutating func equality(_ depth: Int) -> Node<Bool> {
    switch random.int(0..<27) {
    case 0: return equal(int(depth), int(depth))
    case 1: return equal(optionalInt(depth), optionalInt(depth))
    case 2: return equal(optionalInt(depth), value(data.maybe(random.int(-2..<3))))
    case 3: return equal(text(depth), text(depth))
    case 4: return equal(optionalText(depth), optionalText(depth))
    case 5: return equal(optionalText(depth), Node(P.build_NilLiteral()))
    case 6: return equal(optionalText(depth), value(data.maybe(data.text())))
    case 7: return equal(real(depth), real(depth))
    case 8: return equal(optionalReal(depth), optionalReal(depth))
    case 9: return equal(optionalReal(depth), value(data.maybe(random.pick(RandomData.doubles))))
    case 10: return equal(key(\.single), value(Float(random.pick(RandomData.doubles))))
    case 11: return equal(key(\.price), value(random.pick(RandomData.decimals)))
    case 12: return equal(key(\.price), key(\.price))
    case 13: return equal(optionalBool(depth), value(data.maybe(random.chance(1, in: 2))))
    case 14: return equal(optionalBool(depth), optionalBool(depth))
    case 15: return equal(bool(depth), bool(depth))
    case 16:
      return equal(key(\.due), value(data.maybe(Date(timeIntervalSinceReferenceDate: random.pick(RandomData.doubles)))))
    case 17: return equal(key(\.link), value(data.maybe(random.pick(RandomData.links))))
    case 18: return equal(key(\.bytes), value(random.pick(RandomData.bytes)))
    case 19: return equal(key(\.level), value(random.pick(Rank.allCases)))
    case 20: return equal(key(\.mood), value(data.maybe(random.pick([Tint.red, .green]))))
    case 21: return equal(key(\.shape), value(random.pick(RandomData.shapes)))
    case 22: return equal(key(\.home), value(data.maybe(data.postal())))
    case 23: return equal(drawer(), Node(P.build_NilLiteral()))
    case 24: return equal(key(\.letter), key(\.letter))
    case 25 where !drawerIdentifiers.isEmpty:
      return equal(
        Node(P.build_flatMap(drawer()) { P.build_KeyPath(root: $0, keyPath: \.persistentModelID) }),
        value(data.maybe(random.pick(drawerIdentifiers)))
      )
    case 26 where !identifiers.isEmpty: return equal(key(\.persistentModelID), value(random.pick(identifiers)))
    default: return promoted(depth)
    }
  }

  mutating func compare<T: Comparable>(_ left: Node<T>, _ right: Node<T>) -> Node<Bool> {
    let op = random.pick([P.ComparisonOperator.lessThan, .lessThanOrEqual, .greaterThan, .greaterThanOrEqual])
    return Node(P.build_Comparison(lhs: left, rhs: right, op: op))
  }

  /// The identifier of a specimen, of a drawer, of an unsaved model or of a model in another store.
  mutating func identifier() -> PersistentIdentifier {
    let name = random.pick(["Specimen", "Drawer", "StrongBox", "Cabinet", "Élan", "Zebra"])
    switch random.int(0..<6) {
    case 0: return PersistentIdentifier(entityName: name, temporary: TemporaryIdentity())
    case 1: return PersistentIdentifier(entityName: name, storeIdentifier: random.pick(["", "~"]), key: 3)
    case 2:
      let known = random.pick(identifiers)
      guard let store = known.storeIdentifier, let key = known.key else { return known }
      return PersistentIdentifier(entityName: name, storeIdentifier: store, key: key)
    case 3 where !drawerIdentifiers.isEmpty: return random.pick(drawerIdentifiers)
    default: return random.pick(identifiers)
    }
  }

  /// The identifier of a specimen's drawer. It throws without one.
  private mutating func drawerIdentifier() -> Node<PersistentIdentifier> {
    Node(P.build_KeyPath(root: P.build_ForcedUnwrap(drawer()), keyPath: \.persistentModelID))
  }

  mutating func order(_ depth: Int) -> Node<Bool> {
    switch random.int(0..<16) {
    case 0: return compare(int(depth), int(depth))
    case 1: return compare(key(\.number), value(random.pick(RandomData.integers)))
    case 2: return compare(text(depth), text(depth))
    case 3: return compare(real(depth), real(depth))
    case 4: return compare(key(\.single), value(Float(random.pick(RandomData.doubles))))
    case 5: return compare(key(\.price), value(random.pick(RandomData.decimals)))
    case 6: return compare(key(\.huge), value(random.pick(RandomData.hugeNumbers)))
    case 7: return compare(key(\.tiny), value(random.pick([0, 1, -1, .max, .min])))
    case 8: return compare(key(\.stamp), value(Date(timeIntervalSinceReferenceDate: random.pick(RandomData.doubles))))
    case 9: return compare(key(\.code), value(random.pick(RandomData.codes)))
    case 10: return compare(key(\.level), value(random.pick(Rank.allCases)))
    case 11: return compare(key(\.letter), Node(P.build_Arg(data.text().first ?? "b")))
    case 12, 13: return compare(key(\.persistentModelID), value(identifier()))
    case 14 where !isNested: return compare(drawerIdentifier(), Node(P.build_Arg(identifier())))
    case 15 where !isNested:
      return compare(drawerIdentifier(), random.chance(1, in: 2) ? key(\.persistentModelID) : drawerIdentifier())
    default: return compare(key(\.huge), key(\.huge))
    }
  }

  mutating func textual(_ depth: Int) -> Node<Bool> {
    switch random.int(0..<6) {
    case 0: return Node(P.build_contains(text(depth), text(depth)) as P.CollectionContainsCollection)
    case 1: return Node(P.build_starts(text(depth), with: text(depth)))
    case 2: return Node(P.build_KeyPath(root: text(depth), keyPath: \.isEmpty))
    case 3:
      return Node(P.build_contains(text(depth), value(String(data.text().prefix(1)))) as P.CollectionContainsCollection)
    case 4: return Node(P.build_contains(text(depth), key(\.letter)) as P.SequenceContains)
    default: return Node(P.build_starts(key(\.title), with: value(data.text())))
    }
  }
}
