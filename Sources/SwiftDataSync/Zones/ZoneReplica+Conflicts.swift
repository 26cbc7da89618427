#if Sync
import Foundation
import SwiftData
import SyncCore
import SyncProtocol

// The values that lost: changes that cannot be sent, and writes that another write of the same field overtook.

extension ZoneReplica {
  /// Logs the changes that a rebase dropped.
  func note(dropped: [DroppedChange]) throws {
    for change in dropped {
      let entity = change.registers.born?.value ?? view.states[change.key]?.born?.value ?? base[change.key]?.born?.value
      for (property, write) in change.registers.fields.sorted(by: { $0.key < $1.key }) {
        guard change.sent.fields[property] == nil, !property.text.hasPrefix("place:") else { continue }
        try log(change.key, entity?.text ?? "", property, lost: write.value, kept: .null)
      }
    }
  }

  /// Logs the unsent writes that lost against an entry of the log, and those of the entry that lost against unsent ones.
  func noteLosses(_ entry: ZoneStates.Entry, taken: Set<UUID>) throws {
    var mine: [RecordKey: [WireName: Stamped<RegisterValue>]] = [:]
    for transaction in store.outbox where !taken.contains(transaction.id) && !transaction.isResent {
      for (key, registers) in transaction.changes {
        mine[key, default: [:]].merge(registers.fields, uniquingKeysWith: max)
      }
    }
    guard !mine.isEmpty else { return }
    for (zone, part) in entry.parts {
      guard case .change(let changes) = part else { continue }
      for (name, registers) in changes.sorted(by: { $0.key < $1.key }) {
        let key = RecordKey(zone, name)
        for (property, theirs) in registers.fields.sorted(by: { $0.key < $1.key }) {
          guard let own = mine[key]?[property], own.time != theirs.time, own.value != theirs.value,
            !property.text.hasPrefix("place:")
          else { continue }
          let entity = view.states[key]?.born?.value.text ?? ""
          let (lost, kept) = own < theirs ? (own, theirs) : (theirs, own)
          try log(key, entity, property, lost: lost.value, kept: kept.value)
        }
      }
    }
  }

  private func log(
    _ key: RecordKey, _ entity: String, _ property: WireName, lost: RegisterValue, kept: RegisterValue
  ) throws {
    let name = models.classes[WireName(entity)]?.first { $0.readNames.contains(property) }?.name ?? property
    let texts = [key.name.text, entity, name.text].map(store.tables.database.cell)
    let date = Double(now()) / 1000 - Date.timeIntervalBetween1970AndReferenceDate
    try store.tables.put(
      .conflicts,
      [[.real(date)] + texts + [.blob(FieldValue(lost).encoded), .blob(FieldValue(kept).encoded)]])
  }
}

extension FieldValue {
  init(_ value: RegisterValue) {
    switch value {
    case .null: self = .null
    case .integer(let number): self = .integer(number)
    case .real(let bits): self = .real(Double(bitPattern: bits))
    case .text(let text): self = .text(text.text)
    case .data(let data): self = .data(data)
    case .asset(let sha256, let size): self = .asset(sha256: sha256.text, size: size)
    case .sealed(let data): self = .sealed(data)
    case .reference(let reference): self = .record(reference.name)
    }
  }
}
#endif
