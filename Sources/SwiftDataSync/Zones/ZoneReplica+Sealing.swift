#if Sync
import Foundation
import SwiftData
import SyncCore
import SyncProtocol

// Attributes that only the participants of a zone can read. The outbox has them encrypted with the account's key, if there is one. They are
// encrypted with the key of the zone that they are sent to, so that a move encrypts them again.

extension ZoneReplica {
  /// The value that a sealed value of a row stands for; nil if it cannot be read.
  func open(_ sealed: Data, of row: RecordKey, _ property: __Property) -> RegisterValue? {
    guard let entity = user.schema[property.entityName], let rule = entity.properties[property.name] else { return nil }
    let view = rows
    guard let members = try? view.members(of: row) else { return nil }
    let names = (members.isEmpty ? [row] : members).map { rule.isPersonal ? $0.name.personal : $0.name }
    return names.lazy.compactMap { self.open(sealed, $0, entity.wire(of: property.name)) }.first
  }

  /// The content of a value of a record, if its key is here. Encrypting one value twice gives two results, so only opened values are compared.
  func opened(_ value: RegisterValue, of record: RecordName, _ property: WireName) -> RegisterValue {
    guard case .sealed(let data) = value else { return value }
    return open(data, record, property) ?? value
  }

  private func open(_ sealed: Data, _ record: RecordName, _ property: WireName) -> RegisterValue? {
    (try? keyring?.open(sealed, Sealing.place(record, property.text))).flatMap(\.self)
  }

  /// A transaction with its sensitive values encrypted for the zones that it goes to.
  /// - Returns: nil if the key of a zone has not arrived yet.
  /// - Throws: ``ReplicaError`` if a value cannot be encrypted.
  func sealed(_ transaction: OutgoingTransaction) throws -> SyncLog.Transaction? {
    guard user.hasSensitive else { return SyncLog.Transaction(transaction) }
    var parts = transaction.parts
    for (zone, part) in parts {
      for (name, registers) in part {
        let born = try registers.born?.value ?? shown.registers(of: RecordKey(zone, name))?.born?.value
        let sensitive = born.map { sensitiveNames(of: $0.text) } ?? []
        for (wire, write) in registers.fields {
          var value = write.value
          if case .sealed(let data) = value {
            // The device sends a value that it cannot decrypt as it is. All fields are looked at, because a newer program may have
            // encrypted attributes that this one does not know.
            guard let opened = open(data, name, wire) else { continue }
            value = opened
          } else if !sensitive.contains(wire) {
            continue
          }
          guard let key = keyring?.newest(zone) else { return nil }
          let sealed = try key.seal(value, Sealing.place(name, wire.text))
          parts[zone]?[name]?.fields[wire]?.value = .sealed(sealed)
        }
      }
    }
    return SyncLog.Transaction(id: transaction.id, parts: parts)
  }

  /// The wire names of the encrypted attributes of a class, or of the personal records of a class.
  func sensitiveNames(of name: String) -> Set<WireName> {
    let subject = user.entities[name] == nil ? SyncSchema.subject(name) : name
    guard let entity = user.entities[subject], let rules = user.schema[subject] else { return [] }
    return Set(entity.properties.filter(\.isSensitive).map { rules.wire(of: $0.name) })
  }

  /// A value that stays readable when the key of a share goes: encrypted with the account's key.
  func resealed(_ value: RegisterValue, of record: RecordName, _ property: WireName) throws -> RegisterValue {
    guard case .sealed(let data) = value, let opened = open(data, record, property), let own = keyring?.own else {
      return value
    }
    return .sealed(try own.seal(opened, Sealing.place(record, property.text)))
  }
}

extension UserStore {
  /// Whether some class has encrypted attributes.
  var hasSensitive: Bool { entities.values.contains { $0.properties.contains(where: \.isSensitive) } }
}
#endif
