public import Foundation

// The bytes of transactions. A server keeps them as they are, and messages carry them in base64.

extension FieldValue {
  /// The kinds of values, as the bytes name them.
  private enum Kind: UInt8 {
    case null, integer, negative, real, text, data, record, asset, sealed
  }

  /// Writes the value.
  package func write(to writer: inout BinaryWriter) {
    switch self {
    case .null: writer.byte(Kind.null.rawValue)
    case .integer(let value) where value < 0:
      writer.byte(Kind.negative.rawValue)
      writer.number(UInt64(bitPattern: ~value))
    case .integer(let value):
      writer.byte(Kind.integer.rawValue)
      writer.number(UInt64(bitPattern: value))
    case .real(let value):
      writer.byte(Kind.real.rawValue)
      writer.fixed(value.bitPattern)
    case .text(let value):
      writer.byte(Kind.text.rawValue)
      writer.text(value)
    case .data(let value):
      writer.byte(Kind.data.rawValue)
      writer.blob(value)
    case .record(let value):
      writer.byte(Kind.record.rawValue)
      writer.record(value)
    case .asset(let name, let size):
      writer.byte(Kind.asset.rawValue)
      writer.text(name)
      writer.number(UInt64(bitPattern: Int64(size)))
    case .sealed(let value):
      writer.byte(Kind.sealed.rawValue)
      writer.blob(value)
    }
  }

  /// Reads a value.
  /// - Throws: `DecodingError`.
  package init(from reader: inout BinaryReader) throws {
    switch Kind(rawValue: try reader.byte()) {
    case .null: self = .null
    case .integer: self = .integer(Int64(bitPattern: try reader.bits()))
    case .negative: self = .integer(~Int64(bitPattern: try reader.bits()))
    case .real: self = .real(Double(bitPattern: try reader.fixed()))
    case .text: self = .text(try reader.text())
    case .data: self = .data(try reader.blob())
    case .record: self = .record(try reader.record())
    case .asset:
      let name = try reader.text()
      guard let size = try reader.number().value(in: 0...UInt64(SyncWire.assetSizes.upperBound)) else {
        throw DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: "an asset has an impossible size"))
      }
      self = .asset(sha256: name, size: Int(size))
    case .sealed: self = .sealed(try reader.blob())
    case nil:
      throw DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: "a value is of an unknown kind"))
    }
  }

  /// The value as bytes.
  package var encoded: Data {
    var writer = BinaryWriter()
    write(to: &writer)
    return writer.data
  }

  /// Reads ``encoded``.
  /// - Throws: `DecodingError`.
  package init(encoded: Data) throws {
    var reader = BinaryReader(encoded)
    try self.init(from: &reader)
    try reader.end()
  }
}

extension FieldValue: Codable {
  /// Decodes the bytes of a value.
  public init(from decoder: any Decoder) throws {
    try self.init(encoded: try decoder.singleValueContainer().decode(Data.self))
  }

  /// Encodes the value as bytes.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(encoded)
  }
}

extension FieldWrite {
  fileprivate func write(to writer: inout BinaryWriter) {
    writer.time(time)
    writer.optional(over) { $0.time($1) }
    value.write(to: &writer)
  }

  fileprivate init(from reader: inout BinaryReader) throws {
    let time = try reader.time()
    let over = try reader.optional { try $0.time() }
    self.init(try FieldValue(from: &reader), time, over: over)
  }
}

extension MemberWrite {
  fileprivate func write(to writer: inout BinaryWriter) {
    writer.optional(add) { $0.time($1) }
    writer.count(remove?.count ?? 0)
    for tag in remove ?? [] { writer.time(tag) }
    writer.optional(place) { $1.write(to: &$0) }
    writer.optional(inversePlace) { $1.write(to: &$0) }
  }

  fileprivate init(from reader: inout BinaryReader) throws {
    self.init()
    add = try reader.optional { try $0.time() }
    let count = try reader.count()
    if count > 0 { remove = try (0..<count).map { _ in try reader.time() } }
    place = try reader.optional { try FieldWrite(from: &$0) }
    inversePlace = try reader.optional { try FieldWrite(from: &$0) }
  }
}

extension RecordChange {
  fileprivate func write(to writer: inout BinaryWriter) {
    writer.record(record)
    writer.name(entity)
    writer.optional(deleted) { $0.time($1) }
    writer.count(fields.count)
    for (property, write) in fields {
      writer.name(property)
      write.write(to: &writer)
    }
    writer.optional(members) { writer, members in
      writer.count(members.count)
      for (property, writes) in members.sorted(by: { $0.key < $1.key }) {
        writer.name(property)
        writer.count(writes.count)
        for (member, write) in writes.sorted(by: { $0.key < $1.key }) {
          writer.record(member)
          write.write(to: &writer)
        }
      }
    }
  }

  fileprivate init(from reader: inout BinaryReader) throws {
    self.init(try reader.record(), try reader.name())
    deleted = try reader.optional { try $0.time() }
    fields = try PropertyMap(count: try reader.count()) { (try reader.name(), try FieldWrite(from: &reader)) }
    members = try reader.optional { reader in
      var members: [String: [RecordName: MemberWrite]] = [:]
      for _ in 0..<(try reader.count()) {
        let property = try reader.name()
        var writes: [RecordName: MemberWrite] = [:]
        for _ in 0..<(try reader.count()) {
          let member = try reader.record()
          writes[member] = try MemberWrite(from: &reader)
        }
        members[property] = writes
      }
      return members
    }
  }
}

extension SyncTransaction {
  /// The first byte, so that another format can be told from this one.
  private static let format: UInt8 = 1

  /// The transaction as bytes: those that it was read from, otherwise equal ones for equal transactions.
  public var encoded: Data { bytes ?? written }

  /// Keeps ``encoded`` until the transaction changes.
  package mutating func keepEncoded() { bytes = encoded }

  private var written: Data {
    var writer = BinaryWriter(capacity: 64 + changes.count * 64)
    writer.byte(Self.format)
    id.write(to: &writer)
    writer.fixed(replica)
    writer.count(changes.count)
    for change in changes { change.write(to: &writer) }
    return writer.data
  }

  /// Reads ``encoded``.
  /// - Throws: `DecodingError`.
  public init(encoded: Data) throws {
    var reader = BinaryReader(encoded)
    guard try reader.byte() == Self.format else {
      throw DecodingError.dataCorrupted(
        .init(codingPath: [], debugDescription: "the transaction has the format of another version"))
    }
    let id = try UUID(from: &reader)
    let replica = try reader.fixed()
    let count = try reader.count()
    var changes: [RecordChange] = []
    changes.reserveCapacity(min(count, 4096))
    for _ in 0..<count { changes.append(try RecordChange(from: &reader)) }
    try reader.end()
    self.init(id: id, replica: replica, changes: changes)
    self.bytes = encoded
  }
}

extension SyncTransaction: Codable {
  /// Decodes the bytes of a transaction.
  public init(from decoder: any Decoder) throws {
    try self.init(encoded: try decoder.singleValueContainer().decode(Data.self))
  }

  /// Encodes the transaction as bytes.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(encoded)
  }
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
