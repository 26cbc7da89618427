// Only the code that `@Composite` expands to calls these functions.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

// The type checker picks by the type of the member how it is coded: an enum and other raw values by the raw value,
// whatever coding their type has, because that is what the store reads.

public func __decodeMember<Root, V: Codable, Key>(
  _ container: KeyedDecodingContainer<Key>, _ key: Key, _: KeyPath<Root, V>
) throws -> V {
  try container.decode(V.self, forKey: key)
}

public func __decodeMember<Root, V: Codable, Key>(
  _ container: KeyedDecodingContainer<Key>, _ key: Key, _: KeyPath<Root, V?>
) throws -> V? {
  try container.decodeIfPresent(V.self, forKey: key)
}

public func __decodeMember<Root, V: RawRepresentable & Codable, Key>(
  _ container: KeyedDecodingContainer<Key>, _ key: Key, _: KeyPath<Root, V>
) throws -> V where V.RawValue: __ColumnValue & Codable {
  let rawValue = try container.decode(V.RawValue.self, forKey: key)
  return try member(rawValue, container, key)
}

public func __decodeMember<Root, V: RawRepresentable & Codable, Key>(
  _ container: KeyedDecodingContainer<Key>, _ key: Key, _: KeyPath<Root, V?>
) throws -> V? where V.RawValue: __ColumnValue & Codable {
  try container.decodeIfPresent(V.RawValue.self, forKey: key).map { try member($0, container, key) }
}

public func __encodeMember<V: Codable, Key>(
  _ value: V, _ container: inout KeyedEncodingContainer<Key>, _ key: Key
) throws {
  try container.encode(value, forKey: key)
}

public func __encodeMember<V: Codable, Key>(
  _ value: V?, _ container: inout KeyedEncodingContainer<Key>, _ key: Key
) throws {
  try container.encodeIfPresent(value, forKey: key)
}

public func __encodeMember<V: RawRepresentable & Codable, Key>(
  _ value: V, _ container: inout KeyedEncodingContainer<Key>, _ key: Key
) throws where V.RawValue: __ColumnValue & Codable {
  try container.encode(value.rawValue, forKey: key)
}

public func __encodeMember<V: RawRepresentable & Codable, Key>(
  _ value: V?, _ container: inout KeyedEncodingContainer<Key>, _ key: Key
) throws where V.RawValue: __ColumnValue & Codable {
  try container.encodeIfPresent(value?.rawValue, forKey: key)
}

private func member<V: RawRepresentable, Key>(
  _ rawValue: V.RawValue, _ container: KeyedDecodingContainer<Key>, _ key: Key
) throws -> V {
  if let value = V(rawValue: rawValue) { return value }
  throw DecodingError.dataCorruptedError(
    forKey: key, in: container, debugDescription: "the stored value \(rawValue) is not a \(V.self)")
}
