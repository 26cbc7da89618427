import Foundation
import SwiftData

private typealias P = PredicateExpressions

// The properties of a class. Each adds how to read and fill it, and the predicates and orders that it can have.
extension Kind {
  /// An attribute in a file of its own. A store refuses predicates about it.
  func external<Member: Storable>(_ name: String, _ path: Path<Root, Member>) {
    add(
      Field(
        name: name, read: { $0[keyPath: path].plain },
        fill: { object, random in object[keyPath: path] = Member.random(&random) }))
  }

  /// An attribute that has equality only.
  func value<Member: Storable>(_ name: String, _ path: Path<Root, Member>) {
    external(name, path)
    add([
      Question(text: "\(name) ==") { objects, random in
        let value = Self.sample(path, objects, &random)
        return Predicate<Root>({
          P.build_Equal(lhs: P.build_KeyPath(root: $0, keyPath: path), rhs: P.build_Arg(value))
        })
      },
      Question(text: "\(name) !=") { objects, random in
        let value = Self.sample(path, objects, &random)
        return Predicate<Root>({
          P.build_NotEqual(lhs: P.build_KeyPath(root: $0, keyPath: path), rhs: P.build_Arg(value))
        })
      },
    ])
  }

  /// An attribute that can be compared and sorted by.
  func ordered<Member: Storable & Comparable>(_ name: String, _ path: Path<Root, Member>) {
    value(name, path)
    add([
      Question(text: "\(name) <") { objects, random in
        let value = Self.sample(path, objects, &random)
        return Predicate<Root>({
          P.build_Comparison(
            lhs: P.build_KeyPath(root: $0, keyPath: path), rhs: P.build_Arg(value), op: .lessThan)
        })
      },
      Question(text: "\(name) in") { objects, random in
        let values = (0..<3).map { _ in Self.sample(path, objects, &random) }
        return Predicate<Root>({
          P.build_contains(P.build_Arg(values), P.build_KeyPath(root: $0, keyPath: path))
        })
      },
    ])
    add(name) { SortDescriptor(path, order: $0) }
  }

  /// An optional attribute that can be compared and sorted by.
  func optional<Member: Storable & Comparable>(_ name: String, _ path: Path<Root, Member?>) {
    value(name, path)
    add([
      Question(text: "\(name) ?? >=") { objects, random in
        let (value, other) = (Member.random(&random), Member.random(&random))
        return Predicate<Root>({
          P.build_Comparison(
            lhs: P.build_NilCoalesce(lhs: P.build_KeyPath(root: $0, keyPath: path), rhs: P.build_Arg(other)),
            rhs: P.build_Arg(value), op: .greaterThanOrEqual)
        })
      },
      Question(text: "\(name) == nil") { _, _ in
        Predicate<Root>({
          P.build_Equal(lhs: P.build_KeyPath(root: $0, keyPath: path), rhs: P.build_NilLiteral())
        })
      },
    ])
    add(name) { SortDescriptor(path, order: $0) }
  }

  /// A member of an attribute that is a struct.
  func member<Whole, Member: Storable & Comparable>(
    _ name: String, _ attribute: Path<Root, Whole>, _ member: ReadPath<Whole, Member>, _ path: ReadPath<Root, Member>
  ) {
    add([
      Question(text: "\(name) ==") { objects, random in
        let value = objects.isEmpty ? Member.random(&random) : random.pick(objects)[keyPath: path]
        return Predicate<Root>({
          P.build_Equal(
            lhs: P.build_KeyPath(root: P.build_KeyPath(root: $0, keyPath: attribute), keyPath: member),
            rhs: P.build_Arg(value))
        })
      }
    ])
    add(name) { SortDescriptor(path, order: $0) }
  }

  /// A to-one relationship.
  /// - Parameter isOwner: whether the test sets this side.
  func one<Target: PersistentModel>(
    _ name: String, _ path: Path<Root, Target?>, _ serial: Path<Target, Int>, isOwner: Bool = true
  ) {
    var field = Field<Root>(
      name: name, read: { object in object[keyPath: path].map { Value.object($0[keyPath: serial]) } ?? .null })
    if isOwner {
      field.connect = { object, others, random in
        let targets = others.compactMap { $0 as? Target }
        object[keyPath: path] = targets.isEmpty || random.chance(30) ? nil : random.pick(targets)
      }
    }
    add(field)
    add([
      Question(text: "\(name)?.serial ==") { objects, random in
        let values = objects.map { $0[keyPath: path]?[keyPath: serial] }
        let value = values.isEmpty ? nil : random.pick(values)
        return Predicate<Root>({
          P.build_Equal(
            lhs: P.build_flatMap(P.build_KeyPath(root: $0, keyPath: path)) {
              P.build_KeyPath(root: $0, keyPath: serial)
            }, rhs: P.build_Arg(value))
        })
      },
      Question(text: "\(name) == nil") { _, _ in
        Predicate<Root>({
          P.build_Equal(lhs: P.build_KeyPath(root: $0, keyPath: path), rhs: P.build_NilLiteral())
        })
      },
    ])
  }

  /// A to-many relationship.
  /// - Parameter isOwner: whether the test sets this side. Only then is its order defined.
  func many<Target: PersistentModel>(
    _ name: String, _ path: Path<Root, [Target]>, _ serial: Path<Target, Int>, isOwner: Bool = true
  ) {
    var field = Field<Root>(
      name: name,
      read: { object in
        let serials = object[keyPath: path].map { $0[keyPath: serial] }
        return .objects(isOwner ? serials : serials.sorted())
      })
    field.isUnorderedList = !isOwner
    if isOwner {
      field.connect = { object, others, random in
        object[keyPath: path] = random.some(of: others.compactMap { $0 as? Target }, atMost: 3)
      }
    }
    add(field)
    add([
      Question(text: "\(name).count ==") { _, random in
        let count = random.below(4)
        return Predicate<Root>({
          P.build_Equal(
            lhs: P.build_KeyPath(root: P.build_KeyPath(root: $0, keyPath: path), keyPath: \.count),
            rhs: P.build_Arg(count))
        })
      },
      Question(text: "\(name).contains { serial }") { objects, random in
        let number = objects.isEmpty ? 0 : random.pick(objects)[keyPath: path].first?[keyPath: serial] ?? 0
        return Predicate<Root>({
          P.build_contains(P.build_KeyPath(root: $0, keyPath: path)) {
            P.build_Equal(lhs: P.build_KeyPath(root: $0, keyPath: serial), rhs: P.build_Arg(number))
          }
        })
      },
    ])
  }

  /// A random value, or one that an object has.
  private static func sample<Member: Storable>(
    _ path: Path<Root, Member>, _ objects: [Root], _ random: inout Random
  ) -> Member {
    objects.isEmpty || random.chance(30) ? Member.random(&random) : random.pick(objects)[keyPath: path]
  }
}
