import Foundation

// `$0.tracks.map(\.length).max()`.

/// What a key path finds in each element of an array.
///
/// Plumbing of `#Predicate`.
public struct __Mapped<Source, Element>: RandomAccessCollection {
  let source: [Source]
  let keyPath: KeyPath<Source, Element>

  public var startIndex: Int { 0 }
  public var endIndex: Int { source.count }
  public subscript(position: Int) -> Element { source[position][keyPath: keyPath] }
  // Written out so that their key paths are this type's own.
  public var count: Int { source.count }
  public var isEmpty: Bool { source.isEmpty }
  public var first: Element? { source.first.map { $0[keyPath: keyPath] } }
  public var last: Element? { source.last.map { $0[keyPath: keyPath] } }
}

extension Array {
  /// Plumbing of `#Predicate`.
  public subscript<Value>(__map keyPath: KeyPath<Element, Value> & Sendable) -> __Mapped<Element, Value> {
    __Mapped(source: self, keyPath: keyPath)
  }
}

extension PredicateExpressions {
  /// Makes the node of `receiver.map(\.property)`, which `min()`, `max()`, `contains`, `allSatisfy` and `filter` take.
  public static func build_map<Root, Element, Value>(
    _ receiver: Root,
    _ keyPath: Swift.KeyPath<Element, Value> & Sendable
  ) -> KeyPath<Root, __Mapped<Element, Value>> where Root.Output == [Element] {
    build_KeyPath(root: receiver, keyPath: \[Element].[__map: keyPath])
  }
}

/// What a key path finds in each element, whatever it is.
protocol AnyMapped {
  /// The inner key path of the key path that makes such a value.
  static func inner(of keyPath: AnyKeyPath) -> AnyKeyPath?
  /// What a key path asks of such values; nil where it is no question to collections.
  static func aggregate(at keyPath: AnyKeyPath) -> CollectionAggregate?
}

/// What can be asked of a collection without looking into it.
enum CollectionAggregate { case count, isEmpty, first, last }

extension __Mapped: AnyMapped {
  static func inner(of keyPath: AnyKeyPath) -> AnyKeyPath? {
    (keyPath as? KeyPath<[Source], Self>).map { [][keyPath: $0].keyPath }
  }

  static func aggregate(at keyPath: AnyKeyPath) -> CollectionAggregate? {
    switch keyPath {
    case \Self.count: .count
    case \Self.isEmpty: .isEmpty
    case \Self.first: .first
    case \Self.last: .last
    default: nil
    }
  }
}

extension LoweringState {
  /// What a key path finds in a member of a collection: a property, or a path to one.
  mutating func mapped(_ member: Lowered, _ keyPath: AnyKeyPath) throws -> Lowered {
    guard case .object(let object) = member else {
      throw SwiftDataError(
        .unsupportedPredicate,
        entity: entity.name,
        message: "\(KeyPathText.describe(keyPath)) cannot be asked of each value of a stored array; write a closure"
      )
    }
    return .scalar(try value(at: keyPath, of: object))
  }
}
