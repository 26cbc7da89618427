import Foundation
package import UntrustedInput

/// Writes values as bytes: short, and much faster than JSON. Names of entities and properties, and moments, are written once
/// where they repeat.
@usableFromInline package struct BinaryWriter {
  /// The written bytes.
  package private(set) var bytes: [UInt8] = []
  // `String` treats canonically equivalent texts as equal.
  private var texts: [ExactText] = []
  private var indices: [ExactText: Int] = [:]
  /// The index after the last name's index.
  private var next = 0
  private var lastTime = HybridTime.zero

  /// Makes an empty writer.
  /// - Parameter capacity: about how many bytes will follow.
  package init(capacity: Int = 256) { bytes.reserveCapacity(capacity) }

  /// The written bytes as data.
  package var data: Data { Data(bytes) }

  /// Writes a byte.
  @usableFromInline package mutating func byte(_ value: UInt8) { bytes.append(value) }

  /// Writes a number in as few bytes as it needs, seven bits in each.
  package mutating func number(_ value: UInt64) {
    var value = value
    while value >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: value) | 0x80)
      value >>= 7
    }
    bytes.append(UInt8(truncatingIfNeeded: value))
  }

  /// Writes a count.
  package mutating func count(_ value: Int) { number(UInt64(value)) }

  /// Writes eight bytes.
  package mutating func fixed(_ value: UInt64) {
    withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
  }

  /// Writes bytes with their count.
  package mutating func blob(_ value: Data) {
    count(value.count)
    bytes.append(contentsOf: value)
  }

  /// Writes what a body writes as bytes with their count. Names and moments in it do not refer to those outside.
  package mutating func blob(_ body: (inout BinaryWriter) -> Void) {
    let outer = (texts, indices, next, lastTime)
    (texts, indices, next, lastTime) = ([], [:], 0, .zero)
    // Most counts are one byte.
    bytes.append(0)
    var place = bytes.count
    body(&self)
    var size = bytes.count - place
    bytes[place - 1] = UInt8(size & 0x7F) | (size < 0x80 ? 0 : 0x80)
    size >>= 7
    while size > 0 {
      bytes.insert(UInt8(size & 0x7F) | (size < 0x80 ? 0 : 0x80), at: place)
      (place, size) = (place + 1, size >> 7)
    }
    (texts, indices, next, lastTime) = outer
  }

  /// Writes bytes as they are.
  package mutating func raw(_ value: some Sequence<UInt8>) { bytes.append(contentsOf: value) }

  /// Writes a text.
  package mutating func text(_ value: String) {
    count(value.utf8.count)
    bytes.append(contentsOf: value.utf8)
  }

  /// Writes a text that may come again; from the second time on it takes a byte or two.
  package mutating func name(_ value: String) { name(ExactText(value)) }

  /// Writes a text that may come again; from the second time on it takes a byte or two.
  package mutating func name(_ value: ExactText) {
    // Records of a class have the same names in the same order.
    if next == texts.count { next = 0 }
    if next < texts.count, texts[next] == value {
      next += 1
      return count(next)
    }
    if let index = indices[value] {
      next = index
      return count(index)
    }
    texts.append(value)
    (next, indices[value]) = (texts.count, texts.count)
    byte(0)
    text(value.text)
  }

  /// Writes a moment. One that repeats the moment before takes a byte.
  package mutating func time(_ value: HybridTime) {
    if value == lastTime { return byte(0) }
    if value.replica == lastTime.replica {
      byte(1)
    } else {
      byte(2)
      fixed(value.replica)
    }
    fixed(value.bits)
    lastTime = value
  }

  /// Writes the name of a record.
  package mutating func record(_ value: RecordName) {
    if value.isUUID {
      byte(0)
      fixed(value.high.byteSwapped)
      fixed(value.low.byteSwapped)
    } else {
      byte(1)
      text(value.text)
    }
  }

  /// Writes whether there is a value, and the value.
  @inlinable package mutating func optional<T>(_ value: T?, _ body: (inout BinaryWriter, T) throws -> Void) rethrows {
    guard let value else { return byte(0) }
    byte(1)
    try body(&self, value)
  }
}

/// Reads what a ``BinaryWriter`` wrote. All of it may be from an attacker: nothing is read beyond the end.
@usableFromInline package struct BinaryReader {
  // An array, because an index of `Data` costs several times as much.
  private let bytes: [UInt8]
  private var position: Int
  private let limit: Int
  private var texts: [ExactText] = []
  private var lastTime = HybridTime.zero

  /// Reads from the beginning of some bytes.
  package init(_ bytes: Data) { self.init(Array(bytes)) }

  /// Reads some bytes, all of them or a part.
  package init(_ bytes: [UInt8], _ part: Range<Int>? = nil) {
    (self.bytes, position, limit) = (bytes, part?.lowerBound ?? 0, part?.upperBound ?? bytes.count)
  }

  /// How many bytes are left.
  package var remaining: Int { limit - position }

  @usableFromInline package func damaged() -> DecodingError {
    .dataCorrupted(.init(codingPath: [], debugDescription: "the bytes end too early, or are not what is expected here"))
  }

  /// Reads a byte.
  /// - Throws: `DecodingError`.
  @usableFromInline package mutating func byte() throws -> UInt8 {
    guard position < limit else { throw damaged() }
    defer { position += 1 }
    return bytes[position]
  }

  /// Reads a number that the reader computes with.
  /// - Throws: `DecodingError`.
  package mutating func number() throws -> Untrusted<UInt64> { Untrusted(try bits()) }

  /// Reads a number that is not negative.
  /// - Throws: `DecodingError`, also for a number that does not fit.
  package mutating func natural() throws -> Int64 {
    guard let number = Int64(exactly: try bits()) else { throw damaged() }
    return number
  }

  /// Reads 64 bits that stay as they are, for example an integer of a program's property.
  /// - Throws: `DecodingError`.
  package mutating func bits() throws -> UInt64 {
    var (value, shift): (UInt64, UInt64) = (0, 0)
    while true {
      let next = try byte()
      guard shift < 63 || next <= 1 else { throw damaged() }
      value |= UInt64(next & 0x7F) << shift
      if next < 0x80 { return value }
      shift += 7
    }
  }

  /// Reads a count of things that take at least a byte each.
  /// - Throws: `DecodingError`.
  package mutating func count() throws -> Int {
    guard let value = try number().value(in: 0...UInt64(remaining)) else { throw damaged() }
    return Int(value)
  }

  /// Reads eight bytes.
  /// - Throws: `DecodingError`.
  package mutating func fixed() throws -> UInt64 {
    try take(8) { UInt64(littleEndian: $0.loadUnaligned(as: UInt64.self)) }
  }

  private mutating func take<T>(_ count: Int, _ body: (UnsafeRawBufferPointer) throws -> T) throws -> T {
    guard count <= remaining else { throw damaged() }
    let start = position
    position += count
    return try bytes.withUnsafeBytes { try body(UnsafeRawBufferPointer(rebasing: $0[start..<start + count])) }
  }

  /// Reads bytes with their count.
  /// - Throws: `DecodingError`.
  package mutating func blob() throws -> Data { try take(try count()) { Data($0) } }

  /// Reads where the bytes are that follow their count.
  /// - Throws: `DecodingError`.
  package mutating func blobRange() throws -> Range<Int> {
    let count = try count()
    defer { position += count }
    return position..<position + count
  }

  /// Reads a text.
  /// - Throws: `DecodingError`, also for bytes that are not UTF-8.
  package mutating func text() throws -> String {
    guard let text = try take(try count(), { String(validating: $0, as: UTF8.self) }) else { throw damaged() }
    return text
  }

  /// Reads a text that may come again.
  /// - Throws: `DecodingError`.
  package mutating func name() throws -> String { try exactName().text }

  /// Reads a text that may come again.
  /// - Throws: `DecodingError`.
  package mutating func exactName() throws -> ExactText {
    guard let index = try number().value(in: 0...UInt64(texts.count)) else { throw damaged() }
    if index > 0 { return texts[Int(index) - 1] }
    let text = ExactText(try text())
    texts.append(text)
    return text
  }

  /// Reads a moment.
  /// - Throws: `DecodingError`.
  package mutating func time() throws -> HybridTime {
    let replica: UInt64
    switch try byte() {
    case 0: return lastTime
    case 1: replica = lastTime.replica
    case 2: replica = try fixed()
    default: throw damaged()
    }
    lastTime = HybridTime(bits: try fixed(), replica: replica)
    return lastTime
  }

  /// Reads a number of ``SyncWire/sequenceNumbers``.
  /// - Throws: `DecodingError`.
  package mutating func sequenceNumber() throws -> Int64 {
    let bounds = UInt64(SyncWire.sequenceNumbers.lowerBound)...UInt64(SyncWire.sequenceNumbers.upperBound)
    guard let value = try number().value(in: bounds) else { throw damaged() }
    return Int64(value)
  }

  /// Reads the name of a record.
  /// - Throws: `DecodingError`.
  package mutating func record() throws -> RecordName {
    switch try byte() {
    case 0: RecordName(high: try fixed().byteSwapped, low: try fixed().byteSwapped)
    case 1: RecordName(try text())
    default: throw damaged()
    }
  }

  /// Reads whether there is a value, and the value.
  /// - Throws: `DecodingError`.
  @inlinable package mutating func optional<T>(_ body: (inout BinaryReader) throws -> T) throws -> T? {
    switch try byte() {
    case 0: nil
    case 1: try body(&self)
    default: throw damaged()
    }
  }

  /// Makes sure that nothing follows.
  /// - Throws: `DecodingError`.
  package func end() throws { guard remaining == 0 else { throw damaged() } }
}

extension UUID {
  package func write(to writer: inout BinaryWriter) {
    withUnsafeBytes(of: uuid) { bytes in for byte in bytes { writer.byte(byte) } }
  }

  package init(from reader: inout BinaryReader) throws {
    let (high, low) = (try reader.fixed(), try reader.fixed())
    var halves = (high.littleEndian, low.littleEndian)
    self.init(uuid: withUnsafeBytes(of: &halves) { $0.loadUnaligned(as: uuid_t.self) })
  }
}
