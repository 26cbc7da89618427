public import Foundation

// The bytes of registers. Equal registers have equal bytes: maps are sorted by key, and a reader refuses any other order. A key that comes
// twice is such an order.

extension RegisterValue {
  /// The kinds of values, as the bytes name them.
  private enum Kind: UInt8 { case null, integer, negative, real, text, data, asset, sealed, reference }

  fileprivate func write(to writer: inout BinaryWriter) {
    switch self {
    case .null: writer.byte(Kind.null.rawValue)
    case .integer(let value) where value < 0:
      writer.byte(Kind.negative.rawValue)
      writer.number(UInt64(bitPattern: ~value))
    case .integer(let value):
      writer.byte(Kind.integer.rawValue)
      writer.number(UInt64(bitPattern: value))
    case .real(let bits):
      writer.byte(Kind.real.rawValue)
      writer.fixed(bits)
    case .text(let value):
      writer.byte(Kind.text.rawValue)
      writer.text(value.text)
    case .data(let value):
      writer.byte(Kind.data.rawValue)
      writer.blob(value)
    case .asset(let name, let size):
      writer.byte(Kind.asset.rawValue)
      writer.text(name.text)
      writer.number(UInt64(bitPattern: Int64(size)))
    case .sealed(let value):
      writer.byte(Kind.sealed.rawValue)
      writer.blob(value)
    case .reference(let reference):
      writer.byte(Kind.reference.rawValue)
      writer.record(reference.name)
      writer.optional(reference.hint) { $0.zone($1) }
    }
  }

  fileprivate init(from reader: inout BinaryReader) throws {
    switch Kind(rawValue: try reader.byte()) {
    case .null: self = .null
    case .integer: self = .integer(try reader.natural())
    case .negative: self = .integer(~(try reader.natural()))
    case .real: self = .real(bits: try reader.fixed())
    case .text: self = .text(ExactText(try reader.text()))
    case .data: self = .data(try reader.blob())
    case .asset:
      let name = ExactText(try reader.text())
      guard let size = try reader.number().value(in: 0...UInt64(SyncWire.assetSizes.upperBound)) else {
        throw reader.damaged()
      }
      self = .asset(sha256: name, size: Int(size))
    case .sealed: self = .sealed(try reader.blob())
    case .reference:
      let name = try reader.record()
      self = .reference(Reference(name, hint: try reader.optional { try $0.zone() }))
    case nil: throw reader.damaged()
    }
  }

  /// The value as bytes. They are what is encrypted of a sealed value.
  public var encoded: Data {
    var writer = BinaryWriter(capacity: 32)
    write(to: &writer)
    return writer.data
  }

  /// Reads ``encoded``.
  /// - Throws: `DecodingError`.
  public init(encoded: Data) throws {
    var reader = BinaryReader(encoded)
    try self.init(from: &reader)
    try reader.end()
  }
}

extension Edge {
  // The parts of an edge that follow. A part that is missing is the least one.
  private static let (addedBit, removedBit, placeBit, hintBit): (UInt8, UInt8, UInt8, UInt8) = (1, 2, 4, 8)

  fileprivate func write(to writer: inout BinaryWriter) {
    let flags =
      (added == .zero ? 0 : Self.addedBit) | (removed == .zero ? 0 : Self.removedBit)
      | (place == nil ? 0 : Self.placeBit) | (hint == nil ? 0 : Self.hintBit)
    writer.byte(flags)
    if added != .zero { writer.time(added) }
    if removed != .zero { writer.time(removed) }
    guard let place else { return }
    writer.time(place.time)
    writer.text(place.value.key.text)
    if let hint { writer.zone(hint) }
  }

  fileprivate init(from reader: inout BinaryReader) throws {
    let flags = try reader.byte()
    guard flags < 16, flags & Self.hintBit == 0 || flags & Self.placeBit != 0 else { throw reader.damaged() }
    self.init()
    if flags & Self.addedBit != 0 { added = try reader.time() }
    if flags & Self.removedBit != 0 { removed = try reader.time() }
    guard flags & Self.placeBit != 0 else { return }
    let time = try reader.time()
    let key = ExactText(try reader.text())
    place = Stamped(time, Place(key, hint: flags & Self.hintBit != 0 ? try reader.zone() : nil))
  }
}

extension Registers {
  // The registers that follow.
  private static let (bornBit, deadBit, homeBit): (UInt8, UInt8, UInt8) = (1, 2, 4)
  private static let (commitBit, fieldsBit, edgesBit): (UInt8, UInt8, UInt8) = (8, 16, 32)

  /// Writes the registers.
  package func write(to writer: inout BinaryWriter) {
    let edges = edges.filter { !$0.value.isEmpty }
    writer.byte(
      (born == nil ? 0 : Self.bornBit) | (dead == nil ? 0 : Self.deadBit) | (home == nil ? 0 : Self.homeBit)
        | (commit == nil ? 0 : Self.commitBit) | (fields.isEmpty ? 0 : Self.fieldsBit)
        | (edges.isEmpty ? 0 : Self.edgesBit))
    if let born {
      writer.time(born.time)
      writer.name(born.value)
    }
    if let dead { writer.time(dead) }
    if let home {
      writer.number(UInt64(bitPattern: Int64(home.moves)))
      writer.time(home.place.time)
      writer.zone(home.zone)
    }
    if let commit { writer.number(UInt64(bitPattern: commit)) }
    if !fields.isEmpty {
      writer.count(fields.count)
      for (property, write) in fields.sorted(by: { $0.key < $1.key }) {
        writer.name(property)
        writer.time(write.time)
        write.value.write(to: &writer)
      }
    }
    guard !edges.isEmpty else { return }
    writer.count(edges.count)
    for (property, members) in edges.sorted(by: { $0.key < $1.key }) {
      writer.name(property)
      writer.count(members.count)
      for (member, edge) in members.sorted(by: { $0.key < $1.key }) {
        writer.record(member)
        edge.write(to: &writer)
      }
    }
  }

  /// Reads registers.
  /// - Throws: `DecodingError`.
  package init(from reader: inout BinaryReader) throws {
    self.init()
    let flags = try reader.byte()
    guard flags < 64 else { throw reader.damaged() }
    if flags & Self.bornBit != 0 { born = Stamped(try reader.time(), try reader.exactName()) }
    if flags & Self.deadBit != 0 { dead = try reader.time() }
    if flags & Self.homeBit != 0 {
      guard let moves = try reader.number().value(in: 0...UInt64(Int.max)) else { throw reader.damaged() }
      home = Home(moves: Int(moves), time: try reader.time(), zone: try reader.zone())
    }
    if flags & Self.commitBit != 0 { commit = try reader.sequenceNumber() }
    if flags & Self.fieldsBit != 0 {
      fields = try reader.map(key: { try $0.exactName() }) { Stamped(try $0.time(), try RegisterValue(from: &$0)) }
    }
    if flags & Self.edgesBit != 0 {
      edges = try reader.map(key: { try $0.exactName() }) { reader in
        try reader.map(key: { try $0.record() }) { try Edge(from: &$0) }
      }
    }
  }
}

extension ZoneStates.Entry.Part {
  private enum Kind: UInt8 { case change, forget }

  /// The part as bytes.
  public var encoded: Data {
    var writer = BinaryWriter()
    write(to: &writer)
    return writer.data
  }

  /// Reads ``encoded``.
  /// - Throws: `DecodingError`.
  public init(encoded: Data) throws {
    var reader = BinaryReader(encoded)
    try self.init(from: &reader)
    try reader.end()
  }

  func write(to writer: inout BinaryWriter) {
    switch self {
    case .change(let changes):
      writer.byte(Kind.change.rawValue)
      writer.count(changes.count)
      for (name, registers) in changes.sorted(by: { $0.key < $1.key }) {
        writer.record(name)
        registers.write(to: &writer)
      }
    case .forget(let names):
      writer.byte(Kind.forget.rawValue)
      writer.count(names.count)
      for name in names.sorted() { writer.record(name) }
    }
  }

  init(from reader: inout BinaryReader) throws {
    switch Kind(rawValue: try reader.byte()) {
    case .change:
      self = .change(try reader.map(isEmptyAllowed: true, key: { try $0.record() }) { try Registers(from: &$0) })
    case .forget: self = .forget(Set(try reader.map(key: { try $0.record() }) { _ in }.keys))
    case nil: throw reader.damaged()
    }
  }
}

extension BinaryWriter {
  /// Writes the name of a zone.
  mutating func zone(_ zone: ZoneName) {
    byte(zone.isShare ? 1 : 0)
    name(zone.name)
  }
}

extension BinaryReader {
  /// Reads the name of a zone.
  mutating func zone() throws -> ZoneName {
    switch try byte() {
    case 0: .account(try exactName())
    case 1: .share(try exactName())
    default: throw damaged()
    }
  }

  /// Reads a map whose keys ascend.
  /// - Throws: `DecodingError`, also for an empty map, which a writer leaves out, and for keys in another order.
  mutating func map<Key: Hashable & Comparable, Value>(
    isEmptyAllowed: Bool = false, key: (inout BinaryReader) throws -> Key,
    value: (inout BinaryReader) throws -> Value
  ) throws -> [Key: Value] {
    let count = try count()
    guard count > 0 || isEmptyAllowed else { throw damaged() }
    var result: [Key: Value] = [:]
    // A peer chooses the count.
    result.reserveCapacity(min(count, 1024))
    var last: Key?
    for _ in 0..<count {
      let next = try key(&self)
      if let last, last >= next { throw damaged() }
      result[next] = try value(&self)
      last = next
    }
    return result
  }
}
