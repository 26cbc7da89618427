import Foundation
@_spi(Reflection) import Swift

// Encoders write equal sets in different orders, and equal dictionaries too if the keys are neither strings nor integers. The
// stored form of equal values has to be equal, so the elements are sorted by their JSON.

/// A value whose sets and dictionaries are encoded in one order.
struct OrderedValue: Encodable {
  let value: any Encodable

  func encode(to encoder: any Encoder) throws {
    guard let elements = try (value as? any UnorderedValue)?.orderedElements() else {
      return try value.encode(to: OrderedEncoder(base: encoder))
    }
    var container = encoder.unkeyedContainer()
    for element in elements { try container.encode(element) }
  }

  /// Whether values of a type may contain a set or such a dictionary. Only stored properties are looked at.
  static func isNeeded(for type: any Any.Type) -> Bool {
    if ValueTypes.isColumn(type) { return false }
    if let answer = known.withLock({ $0[ObjectIdentifier(type)] }) { return answer }
    var seen = Set<ObjectIdentifier>()
    let answer = mayBeUnordered(type, &seen)
    known.withLock { $0[ObjectIdentifier(type)] = answer }
    return answer
  }

  private static let known = Lock<[ObjectIdentifier: Bool]>([:])

  private static func mayBeUnordered(_ type: any Any.Type, _ seen: inout Set<ObjectIdentifier>) -> Bool {
    guard !ValueTypes.isColumn(type), seen.insert(ObjectIdentifier(type)).inserted else { return false }
    if let unordered = type as? any UnorderedValue.Type {
      return unordered.mayBeUnordered { mayBeUnordered($0, &seen) }
    }
    if let wrapped = ValueTypes.wrapped(by: type) { return mayBeUnordered(wrapped, &seen) }
    if let list = type as? any ListValue.Type { return mayBeUnordered(list.element, &seen) }
    // Of other types than structs no metadata names the values in them, except of enums without any.
    if TypeKind(type) == .enumeration { return !(type is any RawRepresentable.Type) }
    guard TypeKind(type) == .structure else { return true }
    var isUnordered = false
    _forEachField(of: type) { _, _, field, _ in
      isUnordered = isUnordered || mayBeUnordered(field, &seen)
      return true
    }
    return isUnordered
  }
}

private protocol ListValue { static var element: any Any.Type { get } }
extension Array: ListValue { fileprivate static var element: any Any.Type { Element.self } }

/// A set or a dictionary.
private protocol UnorderedValue {
  static func mayBeUnordered(_ isUnordered: (any Any.Type) -> Bool) -> Bool
  /// The elements in order, or nil if the encoder orders them.
  func orderedElements() throws -> [OrderedValue]?
}

/// Sorts by the JSON of the elements. Strings have Swift's order, in which canonically equivalent texts have one place.
private func inOrder<Element>(_ elements: [Element], by key: (Element) -> any Encodable) throws -> [Element] {
  var keyed = [(text: String, element: Element)]()
  for element in elements {
    let json = try JSONCoding.encode(attribute: key(element))
    keyed.append((String(decoding: json, as: UTF8.self), element))
  }
  return keyed.sorted { $0.text < $1.text }.map { $0.element }
}

extension Set: UnorderedValue {
  fileprivate static func mayBeUnordered(_ isUnordered: (any Any.Type) -> Bool) -> Bool { true }

  fileprivate func orderedElements() throws -> [OrderedValue]? {
    // The element of an encodable set is encodable.
    let elements = map { $0 as! any Encodable }
    return try inOrder(elements) { $0 }.map { OrderedValue(value: $0) }
  }
}

extension Dictionary: UnorderedValue {
  fileprivate static func mayBeUnordered(_ isUnordered: (any Any.Type) -> Bool) -> Bool {
    !hasSortedKeys || isUnordered(Value.self)
  }

  /// Whether the keys become keys of a JSON object, which the encoder sorts.
  private static var hasSortedKeys: Bool {
    Key.self == String.self || Key.self == Int.self || Key.self is any CodingKeyRepresentable.Type
  }

  fileprivate func orderedElements() throws -> [OrderedValue]? {
    if Self.hasSortedKeys { return nil }
    // The keys and values of an encodable dictionary are encodable.
    let pairs = map { (key: $0.key as! any Encodable, value: $0.value as! any Encodable) }
    return try inOrder(pairs) { $0.key }.flatMap { [OrderedValue(value: $0.key), OrderedValue(value: $0.value)] }
  }
}

// MARK: - Encoding

/// An encoder that encodes each value in another as an ``OrderedValue``.
private struct OrderedEncoder: Encoder {
  let base: any Encoder
  var codingPath: [any CodingKey] { base.codingPath }
  var userInfo: [CodingUserInfoKey: Any] { base.userInfo }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    KeyedEncodingContainer(OrderedKeyedContainer(base: base.container(keyedBy: type)))
  }
  func unkeyedContainer() -> any UnkeyedEncodingContainer { OrderedUnkeyedContainer(base: base.unkeyedContainer()) }
  func singleValueContainer() -> any SingleValueEncodingContainer {
    OrderedSingleContainer(base: base.singleValueContainer())
  }
}

/// Values with their own column type contain no others, and the encoder has a form of its own for some.
private func isWhole<T>(_ value: T) -> Bool { ValueTypes.isColumn(T.self) }

private struct OrderedKeyedContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
  var base: KeyedEncodingContainer<Key>
  var codingPath: [any CodingKey] { base.codingPath }

  mutating func encodeNil(forKey key: Key) throws { try base.encodeNil(forKey: key) }
  mutating func encode<T: Encodable>(_ value: T, forKey key: Key) throws {
    if isWhole(value) { return try base.encode(value, forKey: key) }
    try base.encode(OrderedValue(value: value), forKey: key)
  }
  mutating func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Key
  ) -> KeyedEncodingContainer<Nested> {
    KeyedEncodingContainer(OrderedKeyedContainer<Nested>(base: base.nestedContainer(keyedBy: type, forKey: key)))
  }
  mutating func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    OrderedUnkeyedContainer(base: base.nestedUnkeyedContainer(forKey: key))
  }
  mutating func superEncoder() -> any Encoder { OrderedEncoder(base: base.superEncoder()) }
  mutating func superEncoder(forKey key: Key) -> any Encoder { OrderedEncoder(base: base.superEncoder(forKey: key)) }
}

private struct OrderedUnkeyedContainer: UnkeyedEncodingContainer {
  var base: any UnkeyedEncodingContainer
  var codingPath: [any CodingKey] { base.codingPath }
  var count: Int { base.count }

  mutating func encodeNil() throws { try base.encodeNil() }
  mutating func encode<T: Encodable>(_ value: T) throws {
    if isWhole(value) { return try base.encode(value) }
    try base.encode(OrderedValue(value: value))
  }
  mutating func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
    KeyedEncodingContainer(OrderedKeyedContainer<Nested>(base: base.nestedContainer(keyedBy: type)))
  }
  mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
    OrderedUnkeyedContainer(base: base.nestedUnkeyedContainer())
  }
  mutating func superEncoder() -> any Encoder { OrderedEncoder(base: base.superEncoder()) }
}

private struct OrderedSingleContainer: SingleValueEncodingContainer {
  var base: any SingleValueEncodingContainer
  var codingPath: [any CodingKey] { base.codingPath }

  mutating func encodeNil() throws { try base.encodeNil() }
  mutating func encode<T: Encodable>(_ value: T) throws {
    if isWhole(value) { return try base.encode(value) }
    try base.encode(OrderedValue(value: value))
  }
}
