internal import UntrustedInput

// The bounds of numbers in messages. A peer chooses the numbers, and may be faulty or hostile. Messages hold them as `Untrusted`, which has
// no arithmetic. Types that clients keep or join (`SyncLog.PullResponse`, `SyncLog.Entry`, `Registers`) check their numbers when they are
// decoded and hold plain ones, so that the join costs nothing more.

extension SyncWire {
  /// The commits that a log can have. Sums and differences of a few of them fit into 64 bits.
  public static let sequenceNumbers: ClosedRange<Int64> = 0...(.max / 4)
  /// The times that a ``HybridTime`` can have, in milliseconds since 1970. Sums and differences of a few of them fit into 64 bits.
  public static let times: ClosedRange<Int64> = 0...(1 << 48 - 1)
  /// The generations that the key of a zone can have. Their sums and differences fit into `Int`.
  public static let generations = 0...(1 << 30)
  /// The sizes that an asset can have, in bytes: up to 1 TiB, as far as `Int` has such numbers.
  public static let assetSizes = 0...Int(clamping: Int64(1) << 40)
}

extension KeyedDecodingContainer {
  /// Decodes a number and checks its bounds.
  /// - Throws: `DecodingError` with the path of the field if the number is outside.
  func number<Value: FixedWidthInteger & Codable & Sendable>(
    _ key: Key, in bounds: ClosedRange<Value>
  ) throws -> Value {
    try checked(try decode(Untrusted<Value>.self, forKey: key), key, bounds)
  }

  /// Decodes a number that may be missing, and checks its bounds.
  /// - Throws: `DecodingError` with the path of the field if the number is outside.
  func numberIfPresent<Value: FixedWidthInteger & Codable & Sendable>(
    _ key: Key, in bounds: ClosedRange<Value>
  ) throws -> Value? {
    try decodeIfPresent(Untrusted<Value>.self, forKey: key).map { try checked($0, key, bounds) }
  }

  private func checked<Value: FixedWidthInteger & Codable & Sendable>(
    _ number: Untrusted<Value>, _ key: Key, _ bounds: ClosedRange<Value>
  ) throws -> Value {
    do {
      return try number.inRange(bounds, field: key.stringValue)
    } catch {
      throw DecodingError.dataCorruptedError(forKey: key, in: self, debugDescription: error.description)
    }
  }
}
