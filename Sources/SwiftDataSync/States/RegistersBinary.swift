#if Sync
import Foundation
import SyncCore
import SyncProtocol

// Registers and unsent transactions as bytes of the tables.

extension BinaryWriter {
  mutating func zone(_ zone: ZoneName) {
    switch zone {
    case .account(let name):
      byte(0)
      text(name.text)
    case .share(let name):
      byte(1)
      text(name.text)
    }
  }

  fileprivate mutating func value(_ value: RegisterValue) {
    switch value {
    case .null: byte(0)
    case .integer(let number):
      byte(1)
      // Small numbers of either sign are short.
      self.number(UInt64(bitPattern: number << 1 ^ number >> 63))
    case .real(let bits):
      byte(2)
      fixed(bits)
    case .text(let text):
      byte(3)
      self.text(text.text)
    case .data(let data):
      byte(4)
      blob(data)
    case .asset(let sha256, let size):
      byte(5)
      text(sha256.text)
      count(size)
    case .sealed(let data):
      byte(6)
      blob(data)
    case .reference(let reference):
      byte(7)
      record(reference.name)
      optional(reference.hint) { $0.zone($1) }
    }
  }

  fileprivate mutating func edge(_ edge: Edge) {
    time(edge.added)
    time(edge.removed)
    optional(edge.place) { writer, place in
      writer.time(place.time)
      writer.text(place.value.key.text)
      writer.optional(place.value.hint) { $0.zone($1) }
    }
  }

  mutating func key(_ key: RecordKey) {
    zone(key.zone)
    record(key.name)
  }
}

extension BinaryReader {
  mutating func zone() throws -> ZoneName {
    let isShare = try byte() != 0
    let name = ExactText(try text())
    return isShare ? .share(name) : .account(name)
  }

  fileprivate mutating func value() throws -> RegisterValue {
    switch try byte() {
    case 0: return .null
    case 1:
      let bits = try bits()
      return .integer(Int64(bitPattern: bits >> 1) ^ -Int64(bitPattern: bits & 1))
    case 2: return .real(bits: try fixed())
    case 3: return .text(ExactText(try text()))
    case 4: return .data(try blob())
    case 5: return .asset(sha256: ExactText(try text()), size: Int(truncatingIfNeeded: try bits()))
    case 6: return .sealed(try blob())
    case 7: return .reference(Reference(try record(), hint: try optional { try $0.zone() }))
    case let kind: throw ReplicaError(description: "the bookkeeping has a value of the unknown kind \(kind)")
    }
  }

  fileprivate mutating func edge() throws -> Edge {
    Edge(
      added: try time(), removed: try time(),
      place: try optional { reader in
        Stamped(
          try reader.time(), Place(ExactText(try reader.text()), hint: try reader.optional { try $0.zone() }))
      })
  }

  mutating func key() throws -> RecordKey { RecordKey(try zone(), try record()) }
}

extension Registers {
  func write(to writer: inout BinaryWriter) {
    writer.optional(born) { writer, born in
      writer.time(born.time)
      writer.text(born.value.text)
    }
    writer.optional(dead) { $0.time($1) }
    writer.optional(home) { writer, home in
      writer.count(home.moves)
      writer.time(home.place.time)
      writer.zone(home.zone)
    }
    writer.optional(commit) { $0.number(UInt64(bitPattern: $1)) }
    writer.count(fields.count)
    for (property, write) in fields.sorted(by: { $0.key < $1.key }) {
      writer.text(property.text)
      writer.time(write.time)
      writer.value(write.value)
    }
    writer.count(edges.count)
    for (property, members) in edges.sorted(by: { $0.key < $1.key }) {
      writer.text(property.text)
      writer.count(members.count)
      for (member, edge) in members.sorted(by: { $0.key < $1.key }) {
        writer.record(member)
        writer.edge(edge)
      }
    }
  }

  init(from reader: inout BinaryReader) throws {
    self.init()
    born = try reader.optional { Stamped(try $0.time(), ExactText(try $0.text())) }
    dead = try reader.optional { try $0.time() }
    home = try reader.optional { reader in
      let moves = Int(truncatingIfNeeded: try reader.bits())
      return Home(moves: moves, time: try reader.time(), zone: try reader.zone())
    }
    commit = try reader.optional { Int64(bitPattern: try $0.bits()) }
    let count = try reader.count()
    fields.reserveCapacity(count)
    for _ in 0..<count {
      let property = ExactText(try reader.text())
      fields[property] = Stamped(try reader.time(), try reader.value())
    }
    for _ in 0..<(try reader.count()) {
      let property = ExactText(try reader.text())
      var members: [RecordName: Edge] = [:]
      for _ in 0..<(try reader.count()) {
        let member = try reader.record()
        members[member] = try reader.edge()
      }
      edges[property] = members
    }
  }
}

extension LocalTransaction {
  var encoded: Data {
    var writer = BinaryWriter()
    writer.text(id.uuidString)
    writer.time(time)
    writer.byte(isResent ? 1 : 0)
    writer.count(changes.count)
    for (key, registers) in changes.sorted(by: { $0.key < $1.key }) {
      writer.key(key)
      registers.write(to: &writer)
    }
    writer.count(moves.count)
    for move in moves {
      writer.key(move.row)
      writer.zone(move.zone)
    }
    writer.count(owners.count)
    for (key, owner) in owners.sorted(by: { $0.key < $1.key }) {
      writer.key(key)
      writer.key(owner)
    }
    return writer.data
  }

  init(encoded data: Data) throws {
    var reader = BinaryReader(data)
    guard let id = UUID(uuidString: try reader.text()) else {
      throw ReplicaError(description: "an unsent transaction has no identifier")
    }
    self.init(id: id, time: try reader.time(), changes: [:])
    isResent = try reader.byte() != 0
    for _ in 0..<(try reader.count()) {
      let key = try reader.key()
      changes[key] = try Registers(from: &reader)
    }
    for _ in 0..<(try reader.count()) {
      let row = try reader.key()
      moves.append(Move(row, to: try reader.zone()))
    }
    for _ in 0..<(try reader.count()) {
      let key = try reader.key()
      owners[key] = try reader.key()
    }
    try reader.end()
  }
}
#endif
