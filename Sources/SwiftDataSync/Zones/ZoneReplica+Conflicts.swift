#if Sync
import Foundation
import SwiftData
import SyncCore
import SyncProtocol

// The values that lost: changes that cannot be sent, and writes that another write of the same field overtook.

extension ZoneReplica {
  /// Logs the changes that a rebase dropped.
  /// - Parameters:
  ///   - before: what the rows show. A value that they show is logged when they do not show it any more.
  ///   - losses: what the rows showed before the step. These values are logged at its end.
  func note(dropped: [DroppedChange], _ before: ShownRows, _ losses: Losses) throws {
    for change in dropped {
      if change.reason == .readOnly, store.zones[change.key.zone]?.isWritable == false {
        undone[change.key.zone, default: []].insert(change.transaction)
      }
      let record =
        try change.registers.born == nil
        ? before.registers(of: change.key) ?? store.registers(of: change.key) : change.registers
      let row = try before.row(showing: change.key)
      let entity = record?.born?.value ?? ""
      for (property, write) in change.registers.fields.sorted(by: { $0.key < $1.key }) {
        let model = models.classes[entity]?.first { $0.wire == property }
        if let row, let model, try before.write(model, of: row) == write { continue }
        if losses.has(write, of: change.key, property) { continue }
        guard change.sent.fields[property] == nil else { continue }
        try log(change.key, record, property, lost: write.value, kept: .null)
      }
    }
  }

  /// Logs changes of lists, and deletions, that a rebase dropped.
  /// - Parameters:
  ///   - record: what the rows showed of the record.
  ///   - after: the rows now. Changes that they still show are not logged.
  func noteLists(_ change: DroppedChange, _ record: Registers?, _ after: ShownRows) throws {
    let shown = try after.registers(of: change.key)
    for (property, members) in change.registers.edges.sorted(by: { $0.key < $1.key }) {
      for (member, edge) in members.sorted(by: { $0.key < $1.key })
      where edge.added != edge.removed && change.sent.edges[property]?[member] == nil {
        let (isPresent, kept) = (edge.isPresent, shown?.edges[property]?[member]?.isPresent ?? false)
        guard isPresent != kept else { continue }
        let reference = RegisterValue.reference(Reference(member, hint: edge.hint))
        try log(
          change.key, record, property, lost: isPresent ? reference : .null, kept: kept ? reference : .null)
      }
    }
    // Another device deleted the object, or a cascade came from a deletion that is in the log.
    guard change.registers.dead != nil, ![.deleted, .unknown, .ownerStays].contains(change.reason) else { return }
    try log(change.key, record, "", lost: .text("deleted"), kept: .null)
  }

  /// Logs the writes of an entry that lose against unsent ones.
  func noteLosses(of entry: ZoneStates.Entry, without taken: Set<UUID>) throws {
    guard !outbox.isEmpty else { return }
    for (zone, part) in entry.parts {
      guard case .change(let changes) = part else { continue }
      for (name, registers) in changes.sorted(by: { $0.key < $1.key }) {
        let key = RecordKey(zone, name)
        let isDeleted = outbox.deletes(key, without: taken)
        let mine = isDeleted ? [:] : outbox.fields(of: key, without: taken)
        for (property, theirs) in registers.fields.sorted(by: { $0.key < $1.key }) {
          if isDeleted {
            try log(key, shown.registers(of: key), property, lost: theirs.value, kept: .null)
          } else if let own = mine[property], own > theirs,
            opened(own.value, of: name, property) != opened(theirs.value, of: name, property)
          {
            try log(key, shown.registers(of: key), property, lost: theirs.value, kept: own.value)
          }
        }
      }
    }
  }

  /// The values in the rows before a step: unsent values, and values of records that other rows show afterwards.
  struct Losses {
    typealias OwnValue = (property: SyncModels.Property, write: Stamped<RegisterValue>)
    /// The unsent values that rows show, by record.
    fileprivate private(set) var own: [RecordKey: (record: Registers?, values: [OwnValue])] = [:]
    /// The fields that the program changed and the log does not have, of the records that were looked at.
    fileprivate var unsent: [RecordKey: [WireName: Stamped<RegisterValue>]] = [:]
    /// The rows that showed records; nil for a record that was not shown.
    fileprivate var rows: [RecordKey: RecordKey?] = [:]
    /// The records that entries changed.
    fileprivate var arrived: Set<RecordKey> = []

    /// Adds an update of the step.
    /// - Parameters:
    ///   - laid: what the update does to the outbox.
    ///   - outbox: the outbox after the update.
    ///   - taken: the transactions that the log has.
    ///   - before: the rows before the update. A row that no earlier update changed is as it was before the step.
    ///   - isCapture: whether the update only appends transactions. Then nothing was shown of a new record, and nothing is lost.
    mutating func add(
      _ update: ViewUpdate, _ laid: LaidOutbox.Update, _ outbox: LaidOutbox, without taken: Set<UUID>,
      _ before: ShownRows, arrived: some Sequence<RecordKey>, isCapture: Bool
    ) throws {
      for key in update.shown.keys where rows[key] == nil { rows[key] = .some(try before.row(showing: key)) }
      guard !outbox.isEmpty || !laid.dropped.isEmpty else { return }
      self.arrived.formUnion(arrived)
      let dropped = Dictionary(grouping: laid.dropped.filter { !taken.contains($0.transaction) }, by: \.key)
      var keys = Set(dropped.keys)
      for key in [Array(update.shown.keys), Array(laid.shown.keys)].joined() {
        if try !isCapture || before.registers(of: key) != nil { keys.insert(key) }
      }
      for row in Set(update.changed.keys).union(update.deleted).union(update.renamed.keys) {
        keys.formUnion(try before.members(of: row))
      }
      for key in keys.sorted() where unsent[key] == nil {
        let fields = (dropped[key] ?? []).reduce(outbox.fields(of: key, without: taken)) { fields, change in
          fields.merging(change.registers.fields, uniquingKeysWith: max)
        }
        unsent[key] = fields
        guard !fields.isEmpty, let row = try before.row(showing: key), let entity = try before.entity(of: row)
        else { continue }
        let values = try (before.models.classes[entity] ?? []).compactMap { model -> OwnValue? in
          guard let write = fields[model.wire], try before.write(model, of: row) == write else { return nil }
          return (model, write)
        }
        add(key, try before.registers(of: key), values)
      }
    }

    /// Adds the unsent values of a record that a row shows.
    mutating func add(_ key: RecordKey, _ record: Registers?, _ values: [OwnValue]) { own[key] = (record, values) }

    func has(_ write: Stamped<RegisterValue>, of key: RecordKey, _ property: WireName) -> Bool {
      own[key]?.values.contains { $0.property.wire == property && $0.write == write } ?? false
    }
  }

  /// Logs the unsent values that rows do not show any more, the values of records that became one row, and the values of records that
  /// came under an owner which the outbox deletes.
  func note(_ losses: Losses, _ view: ShownRows) throws {
    for (key, own) in losses.own.sorted(by: { $0.key < $1.key }) {
      // The record may have moved.
      let row = try view.row(showing: key) ?? view.rows(showing: key.name).first
      for (model, write) in own.values {
        let kept = try row.flatMap { try view.write(model, of: $0) }
        if let kept = kept?.value, try isSame(kept, write.value, of: key, model, view) { continue }
        try log(key, own.record, model.wire, lost: write.value, kept: kept?.value ?? .null)
      }
    }
    // A row shows several records only if another record than its own came to it.
    let merged = try losses.rows.keys.compactMap { key in try shown.row(showing: key).flatMap { $0 == key ? nil : $0 } }
    for row in Set(merged).sorted() {
      let members = try view.members(of: row)
      let former = Set(members.map { key in losses.rows[key].map { $0 ?? key } ?? row })
      guard members.count > 1, former.count > 1 else { continue }
      for model in try view.entity(of: row).flatMap({ models.classes[$0] }) ?? [] {
        guard let kept = try view.write(model, of: row) else { continue }
        for member in members {
          let unsent = losses.unsent[member] ?? outbox.fields(of: member, without: taken)
          if unsent[model.wire] != nil { continue }
          guard let record = try view.registers(of: member), let own = record.fields[model.wire],
            try !isSame(kept.value, own.value, of: member, model, view)
          else { continue }
          try log(member, record, model.wire, lost: own.value, kept: kept.value)
        }
      }
    }
    try noteLosses(under: losses.arrived, view)
  }

  /// Whether two values are equal, or lead to one row.
  private func isSame(
    _ left: RegisterValue, _ right: RegisterValue, of key: RecordKey, _ property: SyncModels.Property, _ view: ShownRows
  ) throws -> Bool {
    if opened(left, of: key.name, property.wire) == opened(right, of: key.name, property.wire) { return true }
    guard case .toOne = property.kind, let left = left.reference, let right = right.reference else { return false }
    let rows = try [left, right].map { try view.row(of: $0, from: key.zone) }
    return rows[0] != nil && rows[0] == rows[1]
  }

  /// Logs the values of records that came under an owner which the outbox deletes.
  private func noteLosses(under arrived: Set<RecordKey>, _ view: ShownRows) throws {
    guard outbox.hasDeletions, !arrived.isEmpty else { return }
    try shown.prepare(leadingTo: arrived.map(\.name))
    for child in arrived.sorted() where !outbox.deletes(child, without: []) {
      guard let record = try store.registers(of: child), record.isHere(child.zone),
        try view.isOwned(child, by: { outbox.deletes($0, without: []) })
      else { continue }
      for (property, write) in record.fields.sorted(by: { $0.key < $1.key }) where write.value.reference == nil {
        try log(child, record, property, lost: write.value, kept: .null)
      }
    }
  }

  /// The values that lost, the oldest first.
  /// - Throws: an error of the store.
  func conflicts() throws -> [SyncConflict] {
    try store.tables.rows(.conflicts, nil, "ORDER BY 1").map { row in
      let lost = try RegisterValue(encoded: row[4].syncData ?? Data())
      let kept = try RegisterValue(encoded: row[5].syncData ?? Data())
      let (record, name) = (row[1].syncText, ExactText(row[3].syncText))
      let wire = models.classes[WireName(row[2].syncText)]?.first { $0.name == name }?.wire ?? name
      func text(_ value: RegisterValue) -> String { opened(value, of: RecordName(record), wire).readableText }
      return SyncConflict(
        date: Date(timeIntervalSinceReferenceDate: row[0].syncReal), entity: row[2].syncText, property: row[3].syncText,
        record: record, object: try object(RecordName(record)), lost: text(lost), kept: text(kept),
        lostObject: try lost.reference.flatMap { try object($0.name) },
        keptObject: try kept.reference.flatMap { try object($0.name) })
    }
  }

  /// Forgets the values that lost before that time. The server's clock counts, because this device's may have jumped.
  func dropConflicts(olderThan retention: Duration) throws {
    let date = date.timeIntervalSinceReferenceDate - retention / .seconds(1)
    try transaction {
      try store.tables.remove(.conflicts, where: "date < ?", [.real(date)])
    }
  }

  /// The object of a record.
  private func object(_ name: RecordName) throws -> PersistentIdentifier? {
    try rows.rows(showing: name).first.flatMap { try store.object(of: $0) }.flatMap(user.identifier)
  }

  private func log(
    _ key: RecordKey, _ record: Registers?, _ property: WireName, lost: RegisterValue, kept: RegisterValue
  ) throws {
    guard !property.text.hasPrefix("place:") else { return }
    let entity = record?.born?.value.text ?? ""
    let name = models.classes[WireName(entity)]?.first { $0.readNames.contains(property) }?.name ?? property
    let texts = [key.name.text, entity, name.text].map(store.tables.database.cell)
    try store.tables.put(
      .conflicts,
      [[.real(date.timeIntervalSinceReferenceDate)] + texts + [.blob(lost.encoded), .blob(kept.encoded)]])
  }
}
#endif
