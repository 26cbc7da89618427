// Only the code that `#Predicate` expands to uses these nodes.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import Foundation

// `$0.tracks.map(\.length).max()`.

/// The values of a key path for the elements of a collection.
///
/// Plumbing of `#Predicate`.
public struct __Mapped<Source: Collection, Element>: Collection {
  let source: Source
  let keyPath: KeyPath<Source.Element, Element>

  public var startIndex: Source.Index { source.startIndex }
  public var endIndex: Source.Index { source.endIndex }
  public func index(after index: Source.Index) -> Source.Index { source.index(after: index) }
  public subscript(position: Source.Index) -> Element { source[position][keyPath: keyPath] }
  // Declared explicitly, so that their key paths belong to this type.
  public var count: Int { source.count }
  public var isEmpty: Bool { source.isEmpty }
  public var first: Element? { source.first.map { $0[keyPath: keyPath] } }
}

extension Collection {
  /// Plumbing of `#Predicate`.
  public subscript<Value>(__map keyPath: KeyPath<Element, Value> & Sendable) -> __Mapped<Self, Value> {
    __Mapped(source: self, keyPath: keyPath)
  }
}

extension PredicateExpressions {
  /// Makes the node of `receiver.map(\.property)`, the input of `min()`, `max()`, `contains`, `allSatisfy` and
  /// `filter`.
  public static func build_map<Root, Value>(
    _ receiver: Root,
    _ keyPath: Swift.KeyPath<Root.Output.Element, Value> & Sendable
  ) -> KeyPath<Root, __Mapped<Root.Output, Value>> where Root.Output: Collection {
    build_KeyPath(root: receiver, keyPath: \Root.Output.[__map: keyPath])
  }
}

extension __Build {
  /// The values of a key path for the elements of a collection: `map` before `min()` or `max()`.
  public static func mapped<Root, Value>(
    _ root: Root,
    _ keyPath: KeyPath<Root.Output.Element, Value>
  ) -> PredicateExpressions.KeyPath<Root, __Mapped<Root.Output, Value>> where Root.Output: Collection {
    // As in `member`: Sendable is a marker without a representation at run time.
    let sendable = unsafeBitCast(keyPath, to: (KeyPath<Root.Output.Element, Value> & Sendable).self)
    return PredicateExpressions.build_map(root, sendable)
  }
}

// MARK: - Lowering

/// A mapped collection of any type.
protocol AnyMapped {
  /// The inner key path of the key path that makes such a collection.
  static func inner(of keyPath: AnyKeyPath) -> AnyKeyPath?
  /// The aggregate that a key path reads from such a collection, or nil for any other key path.
  static func aggregate(at keyPath: AnyKeyPath) -> CollectionAggregate?
}

/// The properties of a collection that need no closure.
enum CollectionAggregate { case count, isEmpty, first, last }

extension __Mapped: AnyMapped {
  static func inner(of keyPath: AnyKeyPath) -> AnyKeyPath? {
    guard let keyPath = keyPath as? KeyPath<Source, Self> else { return nil }
    func empty<C: RangeReplaceableCollection>(_: C.Type) -> Any { C() }
    func emptySet<S: SetAlgebra>(_: S.Type) -> Any { S() }
    let none: Any? =
      switch Source.self {
      case let array as any RangeReplaceableCollection.Type: empty(array)
      case let set as any SetAlgebra.Type: emptySet(set)
      default: nil
      }
    return (none as? Source)?[keyPath: keyPath].keyPath
  }

  static func aggregate(at keyPath: AnyKeyPath) -> CollectionAggregate? {
    switch keyPath {
    case \Self.count: .count
    case \Self.isEmpty: .isEmpty
    case \Self.first: .first
    default: nil
    }
  }
}

extension LoweringState {
  /// The value of a key path for a member of a collection: a property, a path to one, or a part of a stored value.
  mutating func mapped(_ member: Lowered, _ keyPath: AnyKeyPath) throws -> Lowered {
    let isOptional = ScalarType.isOptional(type(of: keyPath).valueType)
    switch member {
    case .object(let object):
      var result = try value(at: keyPath, of: object)
      result.isOptional = isOptional
      return .scalar(result)
    case .scalar(let scalar):
      guard scalar.type.form != .opaque, let output = ScalarType(of: type(of: keyPath).valueType) else { break }
      let key = ValueFunction.Key(
        "map", types: [type(of: keyPath).rootType], of: [scalar.type], keyPath: keyPath)
      let function = ValueFunction.function(key) { [entity] cells in
        let value: Any = try scalar.type.value(of: cells[0], entity: entity)
        return value[keyPath: keyPath].flatMap { output.cell(of: $0) }
      }
      return .scalar(function.scalar([scalar], type: output, isOptional: isOptional))
    case .constant, .collection, .range: break
    }
    throw SwiftDataError(
      .unsupportedPredicate,
      entity: entity.name,
      message: "the store cannot look for \(KeyPathText.describe(keyPath)) in each element; filter the fetched objects"
    )
  }
}
