import Foundation
import SwiftData

private typealias P = PredicateExpressions

// What Foundation's own macro does not make on Linux, and what leads to other values.

extension RandomPredicate {
  /// A question about two texts.
  mutating func question(_ depth: Int) -> Node<Bool> {
    let (one, other) = (text(depth), text(depth))
    switch random.int(0..<10) {
    case 0: return Node(P.build_hasPrefix(one, other))
    case 1: return Node(P.build_hasPrefix(key(\.title), value(String(data.text().prefix(1)))))
    case 2: return Node(P.build_hasSuffix(one, other))
    case 3: return Node(P.build_localizedStandardContains(one, other))
    case 4: return Node(P.build_localizedCaseInsensitiveContains(one, other))
    case 5: return comparison(Node(P.build_compare(one, other)))
    case 6: return comparison(Node(P.build_caseInsensitiveCompare(one, other)))
    case 7: return comparison(Node(P.build_localizedCompare(one, other)))
    case 8: return comparison(Node(P.build_localizedCaseInsensitiveCompare(one, other)))
    default: return comparison(Node(P.build_localizedStandardCompare(one, other)))
    }
  }

  private mutating func comparison(_ result: Node<ComparisonResult>) -> Node<Bool> {
    equal(result, value(random.pick([ComparisonResult.orderedAscending, .orderedSame, .orderedDescending])))
  }

  /// A regular expression, some with options.
  mutating func pattern(_ depth: Int) -> Node<Bool> {
    let text = text(depth)
    switch random.int(0..<6) {
    case 0: return Node(P.build_contains(text, P.build_Arg(/a|k/.ignoresCase())) as P.StringContainsRegex)
    case 1: return Node(P.build_contains(text, P.build_Arg(/^.$/)) as P.StringContainsRegex)
    case 2: return Node(P.build_contains(text, P.build_Arg(/[a-f]+.*\z/)) as P.StringContainsRegex)
    case 3: return Node(P.build_contains(text, P.build_Arg(/\w\W/)) as P.StringContainsRegex)
    case 4: return Node(P.build_contains(text, P.Value(P.PredicateRegex(/e|\u{301}/)!)) as P.StringContainsRegex)
    default: return Node(P.build_contains(text, P.Value(P.PredicateRegex(/(?i)caf./)!)) as P.StringContainsRegex)
    }
  }

  /// Another predicate, captured and asked of a specimen.
  mutating func evaluation(_ depth: Int) -> Node<Bool> {
    let specimen = random.pick(specimens)
    var inner = self
    inner.stickers = []
    let predicate = inner.predicate(depth: depth)
    random = inner.random
    data = inner.data
    return Node(P.build_evaluate(P.Value(predicate), specimen))
  }

  /// A captured expression, asked of a specimen.
  mutating func computed(_ depth: Int) -> Node<Int> {
    let specimen = random.pick(specimens)
    let length = #Expression<Specimen, Int> { $0.title.count + $0.words.count }
    let sum = #Expression<Specimen, Int, Int> { $0.small + $1 }
    switch random.int(0..<3) {
    case 0: return Node(P.build_evaluate(P.Value(length), specimen))
    case 1: return Node(__Build.evaluate(__Build.value(length), specimen))
    default: return Node(P.build_evaluate(P.Value(sum), specimen, int(0)))
    }
  }

  /// A property of a subclass.
  mutating func combination() -> Node<Int?> {
    Node(
      P.build_flatMap(P.build_flatMap(drawer()) { P.ConditionalCast<_, StrongBox>($0) }) {
        P.build_KeyPath(root: $0, keyPath: \.combination)
      }
    )
  }

  /// A property of a subclass where the drawer is one; elsewhere this throws.
  mutating func forcedCombination() -> Node<Int> {
    Node(P.build_KeyPath(root: P.ForceCast<_, StrongBox>(drawer()), keyPath: \.combination))
  }

  // MARK: - Arrays

  /// A part of an array; where there is no such part this throws.
  mutating func slice(_ depth: Int) -> Node<Bool> {
    let low = random.int(0..<2)
    let bounds =
      random.chance(1, in: 2)
      ? value(low..<(low + random.int(0..<2))) : Node(P.build_Range(lower: value(low), upper: int(depth)))
    let part = P.build_subscript(key(\.words), bounds)
    switch random.int(0..<4) {
    case 0: return compare(Node(P.build_KeyPath(root: part, keyPath: \.count)), int(depth))
    case 1: return Node(P.build_KeyPath(root: part, keyPath: \.isEmpty))
    case 2: return equal(Node(P.build_KeyPath(root: part, keyPath: \.last)), optionalText(depth))
    default: return Node(P.build_contains(part, text(depth)) as P.SequenceContains)
    }
  }

  /// An array in an array.
  mutating func run(_ depth: Int) -> Node<Bool> {
    let run = (0..<random.int(0..<3)).map { _ in data.text() }
    switch random.int(0..<4) {
    case 0: return Node(P.build_contains(key(\.words), value(run)) as P.CollectionContainsCollection)
    case 1: return Node(P.build_starts(key(\.words), with: value(run)))
    case 2: return equal(key(\.words), value(run))
    default:
      return Node(P.build_contains(value(run + run), key(\.words)) as P.CollectionContainsCollection)
    }
  }

  // MARK: - Of many, one

  mutating func numberOfMembers(_ depth: Int) -> Node<Int?> {
    switch random.int(0..<3) {
    case 0:
      return Node(
        P.build_flatMap(drawer()) {
          P.build_max(P.build_map(P.build_KeyPath(root: $0, keyPath: \.specimens), \.small))
        }
      )
    case 1: return Node(P.build_min(P.build_filter(key(\.numbers)) { P.build_contains(P.Value(-5..<9), $0) }))
    default:
      return nested { g in
        let rows = P.build_filter(
          g.key(\.stickers),
          { v in
            g.stickers.append(v); return g.bool(depth)
          }
        )
        g.stickers = []
        return Node(
          P.build_flatMap(P.build_max(P.build_map(rows, \.text))) { P.build_KeyPath(root: $0, keyPath: \.count) })
      }
    }
  }

  mutating func textOfMembers(_ depth: Int) -> Node<String?> {
    switch random.int(0..<3) {
    case 0: return Node(P.build_min(P.build_map(key(\.stickers), \.text)))
    case 1: return Node(P.build_max(P.build_map(key(\.stickers), \.text)))
    default:
      return Node(
        P.build_flatMap(drawer()) {
          P.build_min(P.build_map(P.build_KeyPath(root: $0, keyPath: \.specimens), \.title))
        }
      )
    }
  }

  mutating func mapped(_ depth: Int) -> Node<Bool> {
    switch random.int(0..<6) {
    case 0: return Node(P.build_contains(P.build_map(key(\.stickers), \.text), text(depth)) as P.SequenceContains)
    case 1:
      return Node(P.build_contains(P.build_map(key(\.stickers), \.weight), optionalReal(depth)) as P.SequenceContains)
    case 2: return equal(member(\.real), value(data.maybe(random.pick(RandomData.doubles))))
    case 3: return equal(member(\.price), value(data.maybe(random.pick(RandomData.decimals))))
    case 4: return equal(member(\.level), value(data.maybe(random.pick(Rank.allCases))))
    default: return equal(member(\.huge), value(data.maybe(random.pick(RandomData.hugeNumbers))))
    }
  }

  /// The least or greatest value of a property in the specimen's drawer.
  private mutating func member<V: Comparable>(_ path: KeyPath<Specimen, V> & Sendable) -> Node<V?> {
    let isMaximum = random.chance(1, in: 2)
    return Node(
      P.build_flatMap(drawer()) { drawer in
        let values = P.build_map(P.build_KeyPath(root: drawer, keyPath: \.specimens), path)
        return isMaximum ? Node(P.build_max(values)) : Node(P.build_min(values))
      }
    )
  }

  // MARK: - Ranges

  mutating func ranges(_ depth: Int) -> Node<Bool> {
    switch random.int(0..<12) {
    case 0:
      let low = random.int(-3..<3)
      return Node(
        P.build_contains(P.build_ClosedRange(lower: value(low), upper: value(low + random.int(0..<4))), int(depth))
          as P.RangeExpressionContains
      )
    case 1 where !isNested:
      return Node(
        P.build_contains(P.build_Range(lower: int(depth), upper: int(depth)), int(depth)) as P.RangeExpressionContains
      )
    case 2: return Node(P.build_contains(value("a"..<"f"), text(depth)) as P.RangeExpressionContains)
    case 3: return Node(P.build_contains(value(0.0...), real(depth)) as P.RangeExpressionContains)
    case 4: return Node(P.build_contains(value(random.int(-3..<3)...), int(depth)) as P.RangeExpressionContains)
    case 5: return Node(P.build_contains(value(...random.int(-3..<3)), int(depth)) as P.RangeExpressionContains)
    case 6: return Node(P.build_contains(value(..<data.text()), text(depth)) as P.RangeExpressionContains)
    case 7:
      let day = Date(timeIntervalSinceReferenceDate: 1)
      return Node(P.build_contains(value(day...), key(\.stamp)) as P.RangeExpressionContains)
    // Foundation's own node traps where the bounds are in the wrong order.
    case 8: return Node(P.build_contains(P.build_ClosedRange(lower: text(depth), upper: text(depth)), text(depth)))
    case 9: return Node(P.build_contains(P.build_ClosedRange(lower: real(depth), upper: real(depth)), real(depth)))
    case 10:
      return Node(
        P.build_contains(P.build_ClosedRange(lower: int(depth), upper: value(Int.max)), int(depth))
          as P.RangeExpressionContains
      )
    default: return Node(P.build_contains(value(-2..<3), int(depth)) as P.SequenceContains)
    }
  }
}
