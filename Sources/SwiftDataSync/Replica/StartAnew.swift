#if Sync
import Foundation
import SyncProtocol

extension Replica {
  /// Begins a zone again from the start of its log, and sends all records that the replica has once more.
  ///
  /// A server that was restored from an older copy lacks what replicas have seen. Each replica brings its records with the
  /// moments of their writes, so that no write wins which would not have won before. Unsent changes stay unsent changes.
  /// - Throws: an error of the user's store or of the ledger; then nothing changed.
  func startAnew(zone: String) throws {
    try transaction {
      try scan()
      let names = try ledger.recordNames(zone: zone)
      var transactions: [SyncTransaction] = []
      for start in stride(from: 0, to: names.count, by: 500) {
        let part = names[start..<min(start + 500, names.count)]
        try ledger.prefetch(part)
        let changes = try part.flatMap { name in try ledger.state(name).map { try changesToSend(name, $0) } ?? [] }
        transactions.append(makeTransaction(changes))
      }
      try restartRefolding()
      try ledger.forgetLog(zone: zone, sendingFirst: transactions)
      try ledger.save()
      try rebuildView()
    }
  }

  private func changesToSend(_ name: RecordName, _ state: RecordState) throws -> [RecordChange] {
    guard state.alias != nil, !name.isApart else { return Self.changes(of: name.joined, state) }
    // Other replicas may not know yet that the record became one with another one, and write to it. It becomes one again by the unique
    // values that the two have now.
    guard let survivor = try ledger.state(view.resolve(name)), let rules = user.schema[survivor.entity] else {
      return []
    }
    let unique = Set(rules.unique.flatMap(\.properties))
    var merged = RecordState(entity: state.entity)
    (merged.fields, merged.deleted) = (survivor.fields.filter { unique.contains($0.key) }, survivor.deleted)
    return Self.changes(of: name, merged)
  }

  /// The changes that make a record what it is.
  static func changes(of name: RecordName, _ state: RecordState) -> [RecordChange] {
    guard state.alias == nil else { return [] }
    var change = RecordChange(name, state.entity)
    change.deleted = state.deleted
    change.fields = state.fields.mapValues { FieldWrite($0.value, $0.time, over: $0.time) }
    var changes = [change]
    for (property, members) in state.members.sorted(by: { $0.key < $1.key }) {
      // A write has one tag, so that a member with several ones needs several changes.
      var parts: [[RecordName: MemberWrite]] = []
      for (member, entry) in members.sorted(by: { $0.key < $1.key }) {
        for (index, tag) in entry.tags.sorted().enumerated() {
          var write = MemberWrite()
          write.add = tag
          write.place = entry.place.map { FieldWrite($0.value, $0.time, over: $0.time) }
          write.inversePlace = entry.inversePlace.map { FieldWrite($0.value, $0.time, over: $0.time) }
          if index == parts.count { parts.append([:]) }
          parts[index][member] = write
        }
      }
      for part in parts {
        var change = RecordChange(name, state.entity)
        change.members = [property: part]
        changes.append(change)
      }
    }
    return changes
  }
}

extension RecordChange {
  /// About how many bytes the change takes on its way.
  var roughSize: Int {
    fields.reduce(64) { size, field in
      switch field.value.value {
      case .text(let text): size + 32 + text.utf8.count
      case .data(let data), .sealed(let data): size + 32 + data.count
      case .null, .integer, .real, .record, .asset: size + 48
      }
    }
  }
}

extension Replica {
  /// Divides changes that need not travel together.
  /// - Parameter limit: the most changes of a part.
  static func parts(of changes: [RecordChange], limit: Int) -> [ArraySlice<RecordChange>] {
    var parts: [ArraySlice<RecordChange>] = []
    var (start, size) = (0, 0)
    for (index, change) in changes.enumerated() {
      let added = change.roughSize
      if index > start, index - start == limit || size + added > TransactionSize.part {
        parts.append(changes[start..<index])
        (start, size) = (index, 0)
      }
      size += added
    }
    return parts + [changes[start...]]
  }

  /// Makes assets of the larger values of a save, if it is too large to travel at once.
  func shrink(_ changes: [RecordChange]) throws -> [RecordChange] {
    guard changes.reduce(0, { $0 + $1.roughSize }) > TransactionSize.most else { return changes }
    var changes = changes
    for index in changes.indices {
      for (property, write) in changes[index].fields {
        guard case .data(let bytes) = write.value, bytes.count > TransactionSize.asset else { continue }
        let sha256 = UserStore.sha256(bytes)
        try ledger.keepAsset(sha256, bytes, isOutgoing: true)
        changes[index].fields[property]?.value = .asset(sha256: sha256, size: bytes.count)
      }
    }
    return changes
  }
}
#endif
