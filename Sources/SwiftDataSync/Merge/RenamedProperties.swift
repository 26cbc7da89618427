#if Sync
import SyncProtocol

// A program with older models writes the old names of properties that were renamed (`originalName:`). They become the current names
// where transactions come into the replica, so that merging sees no old name: in what a log says, and in what an older program left
// in the bookkeeping. An unsent transaction of an older program is sent as it is, so that other older programs can read it.

extension SyncSchema {
  /// A transaction with the names that properties have now.
  func current(_ transaction: SyncTransaction) -> SyncTransaction {
    guard hasRenamed, transaction.changes.contains(where: hasOldNames) else { return transaction }
    var transaction = transaction
    for index in transaction.changes.indices { rename(&transaction.changes[index]) }
    return transaction
  }

  func current(_ entry: LogEntry) -> LogEntry {
    var entry = entry
    entry.transaction = current(entry.transaction)
    return entry
  }

  /// What a replica knows of a record, with the names that properties have now.
  func current(_ state: RecordState, of name: RecordName) -> RecordState {
    var state = state
    for (old, new) in renamed(name, state.entity) {
      state.fields.rename(old, new, \.time)
      state.fields.rename(Self.place(of: old), Self.place(of: new), \.time)
      if let members = state.members.removeValue(forKey: old) {
        state.members[new, default: [:]].merge(members) { Fold.united($0, $1) }
      }
    }
    return state
  }

  /// The names of a property: the one that it has now, and the one that it had in older models.
  func names(of property: String, _ record: RecordName, _ entity: String) -> [String] {
    [property] + renamed(record, entity).filter { $0.value == property }.keys
  }

  func renamed(_ record: RecordName, _ entity: String) -> [String: String] {
    guard hasRenamed else { return [:] }
    return entities[record.subject == nil ? entity : Self.subject(entity)]?.renamed ?? [:]
  }

  private func hasOldNames(_ change: RecordChange) -> Bool {
    renamed(change.record, change.entity).keys.contains { old in
      change.fields[old] != nil || change.fields[Self.place(of: old)] != nil || change.members?[old] != nil
    }
  }

  private func rename(_ change: inout RecordChange) {
    for (old, new) in renamed(change.record, change.entity) {
      change.fields.rename(old, new, \.time)
      change.fields.rename(Self.place(of: old), Self.place(of: new), \.time)
      if let members = change.members?.removeValue(forKey: old) {
        change.members![new, default: [:]].merge(members) { first, _ in first }
      }
    }
  }
}

extension Fold {
  /// Notes the unique values of a record under the names that properties have now.
  func renameUniques(of name: RecordName, _ state: RecordState) throws {
    func texts(_ property: (String) -> String) -> [String] {
      UniqueText.all(of: state.entity, schema, name: property) { state.fields[$0]?.value }
    }
    let former = texts { schema.names(of: $0, name, state.entity).last ?? $0 }
    for (old, new) in zip(former, texts { $0 }) where try old != new && holder(of: old) == name {
      setHolder(of: old, nil)
      setHolder(of: new, name)
    }
  }
}

extension PropertyMap {
  /// Gives a value another name. If there is a value of that name, the later one stays.
  fileprivate mutating func rename(_ old: String, _ new: String, _ time: (Value) -> HybridTime) {
    guard let value = self[old] else { return }
    self[old] = nil
    if self[new].map({ time($0) < time(value) }) ?? true { self[new] = value }
  }
}
#endif
