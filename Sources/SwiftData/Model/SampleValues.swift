import Foundation

/// Sample values of any stored type for probes, as different from each other as the type allows.
struct SampleValues {
  /// Distinguishes properties.
  let index: Int
  /// Distinguishes the probes of one class.
  let round: Int

  /// The number of rounds. Two booleans of a class with at most 64 differ in one of six rounds.
  static let rounds = 6

  /// A sample value of the type, or nil if none can be made.
  func value(of type: Any.Type) -> Any? { value(of: type, depth: 0, Counter(next: index)) }

  fileprivate func value(of type: Any.Type, depth: Int, _ counter: Counter) -> Any? {
    if let wrapped = ValueTypes.wrapped(by: type) { return value(of: wrapped, depth: depth, counter) }
    if let known = known(type) { return known }
    if let cases = type as? any CaseIterable.Type, let value = oneCase(of: cases) { return value }
    if let decodable = type as? any Decodable.Type,
      let value = try? decodable.init(from: SampleDecoder(round: round, depth: depth + 1, counter: counter))
    {
      return value
    }
    if let empty = type as? any __EmptyInitializable.Type { return empty.init() }
    func zero<T>(_: T.Type) -> Any? { Self.zero(T.self) }
    return _openExistential(type, do: zero)
  }

  /// A decoder that returns sample values for any type.
  static func decoder() -> any Decoder { SampleDecoder(round: 0, depth: 1, counter: Counter(next: 0)) }

  private var number: Int { index * Self.rounds + round + 2 }

  private func known(_ type: Any.Type) -> Any? {
    switch type {
    case is Bool.Type: return (index >> round) & 1 == 1
    case let integer as any FixedWidthInteger.Type: return number(of: integer)
    case is Double.Type: return real
    case is Float.Type: return Float(real)
    case is Decimal.Type: return Decimal(number) / 4
    case is String.Type: return text
    case is Character.Type: return Character(UnicodeScalar(0x41 + UInt32(number % 20_000))!)
    case is URL.Type: return URL(string: "HTTP://example.org/\(number)/")
    case is Date.Type: return Date(timeIntervalSinceReferenceDate: real)
    case is UUID.Type:
      let byte = UInt8(truncatingIfNeeded: number)
      return UUID(
        uuid: (byte, UInt8(truncatingIfNeeded: number >> 8), 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, byte)
      )
    case is Data.Type: return Data("data \(number)".utf8)
    default: return nil
    }
  }

  /// The last rounds use extremes, to detect computed properties that clamp or take absolute values. Earlier rounds
  /// detect properties that calculate, which could overflow here.
  private func number<I: FixedWidthInteger>(of type: I.Type) -> Any {
    switch round {
    case Self.rounds - 2: I.max - I(truncatingIfNeeded: index & 0x3F)
    // Not the minimum itself, which has no absolute value.
    case Self.rounds - 1: I.min + 1 + I(truncatingIfNeeded: index & 0x3F)
    default: I(truncatingIfNeeded: number)
    }
  }

  private var real: Double {
    switch round {
    case Self.rounds - 2: 1e12 + Double(number) + 0.5
    case Self.rounds - 1: -1e12 - Double(number) - 0.5
    default: Double(number) + 0.25
    }
  }

  /// Long mixed-case text with spaces at both ends and an accented letter.
  private var text: String {
    round == Self.rounds - 1 ? "  aB\u{E9} \(number) " + String(repeating: "xY", count: 200) + "\n" : "Zz\(number)a "
  }

  private func oneCase<C: CaseIterable>(of type: C.Type) -> Any? {
    let cases = Array(type.allCases)
    return cases.isEmpty ? nil : cases[(index + round) % cases.count]
  }

  /// All bits zero, which is the first case of an enum without references.
  private static func zero<T>(_: T.Type) -> Any? {
    guard _isPOD(T.self) else { return nil }
    return withUnsafeTemporaryAllocation(byteCount: max(1, MemoryLayout<T>.size), alignment: MemoryLayout<T>.alignment)
    {
      $0.initializeMemory(as: UInt8.self, repeating: 0)
      return $0.load(as: T.self)
    }
  }
}

/// Distinguishes the parts of one value.
private final class Counter {
  private var next: Int

  init(next: Int) { self.next = next }

  func take() -> Int {
    next += 1
    return next
  }
}

/// Decodes a value of any type from samples.
private struct SampleDecoder: Decoder {
  let round: Int
  let depth: Int
  let counter: Counter
  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  /// The depth limit, for types that contain themselves.
  static let deepest = 6

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    KeyedDecodingContainer(Keyed<Key>(decoder: self))
  }
  func unkeyedContainer() throws -> any UnkeyedDecodingContainer { Unkeyed(decoder: self) }
  func singleValueContainer() throws -> any SingleValueDecodingContainer { Single(decoder: self) }

  func decode<T: Decodable>(_ type: T.Type) throws -> T {
    let samples = SampleValues(index: counter.take(), round: round)
    guard let value = samples.value(of: type, depth: depth, counter) as? T else {
      throw DecodingError.typeMismatch(type, .init(codingPath: [], debugDescription: "no sample"))
    }
    return value
  }

  var isNil: Bool { depth >= Self.deepest }

  struct Keyed<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let decoder: SampleDecoder
    var codingPath: [any CodingKey] { [] }
    var allKeys: [Key] { [] }
    func contains(_ key: Key) -> Bool { true }
    func decodeNil(forKey key: Key) throws -> Bool { decoder.isNil }
    func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T { try decoder.decode(type) }
    func nestedContainer<Nested: CodingKey>(
      keyedBy type: Nested.Type,
      forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> { try decoder.container(keyedBy: type) }
    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
      try decoder.unkeyedContainer()
    }
    func superDecoder() throws -> any Decoder { decoder }
    func superDecoder(forKey key: Key) throws -> any Decoder { decoder }
  }

  struct Unkeyed: UnkeyedDecodingContainer {
    let decoder: SampleDecoder
    var currentIndex = 0
    var codingPath: [any CodingKey] { [] }
    var count: Int? { decoder.isNil ? 0 : 1 }
    var isAtEnd: Bool { currentIndex >= count! }
    mutating func decodeNil() throws -> Bool { false }
    mutating func decode<T: Decodable>(_ type: T.Type) throws -> T {
      currentIndex += 1
      return try decoder.decode(type)
    }
    mutating func nestedContainer<Nested: CodingKey>(
      keyedBy type: Nested.Type
    ) throws -> KeyedDecodingContainer<Nested> { try decoder.container(keyedBy: type) }
    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer { try decoder.unkeyedContainer() }
    mutating func superDecoder() throws -> any Decoder { decoder }

    init(decoder: SampleDecoder) { self.decoder = decoder }
  }

  struct Single: SingleValueDecodingContainer {
    let decoder: SampleDecoder
    var codingPath: [any CodingKey] { [] }
    func decodeNil() -> Bool { decoder.isNil }
    func decode<T: Decodable>(_ type: T.Type) throws -> T { try decoder.decode(type) }
  }
}
