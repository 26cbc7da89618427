import SwiftData

// The indices and unique constraints of a changed table.
extension TableChange {
  /// Gives the indices the names that they would have on a new table, and drops the indices of columns that go.
  /// Also drops unique constraints over properties of the models that the models do not declare.
  func renameIndices(
    _ result: inout LayoutRecord.Table, moved: [(from: String, to: String)], gone: Set<String>
  ) throws {
    let names = Dictionary(moved) { first, _ in first }
    let owned = Set(table.new.columns.map(\.name))
    var kept = [LayoutRecord.Index]()
    var renamings = [(part: String, from: String, to: String)]()
    for index in result.indices {
      var new = index
      new.columns = index.columns.map { names[$0] ?? $0 }
      new.formerName = nil
      let wanted = table.new.indices.first { $0 == new }
      // An index over members has their types, so that it could refuse values of another type.
      let isFixed = index.isUnique || index.expressions != nil
      let isOfOthers = !owned.isSuperset(of: new.bases) || !isFixed
      guard index.bases.allSatisfy({ !gone.contains($0) }), wanted != nil || isOfOthers else {
        try drop(index)
        continue
      }
      kept.append(wanted ?? new)
      for (from, to) in parts(of: index) {
        let old = physicalName(index, of: from)
        let name = ServerNames.index(wanted ?? new, of: to)
        if old != name { renamings.append((to, old, name)) }
      }
    }
    result.indices = kept
    func run(_ statement: String) throws {
      try change.alterShards(of: table.new.name) { _ in statement }
      try connection.script(statement)
    }
    func rename(_ from: String, _ to: String) -> String {
      "ALTER INDEX IF EXISTS \(from.quotedIdentifier) RENAME TO \(to.quotedIdentifier)"
    }
    // All at once, because two may exchange their names.
    let taken = Set(renamings.map(\.from))
    let isTwice = renamings.contains { taken.contains($0.to) }
    for known in renamings { try run(rename(known.from, isTwice ? TableNames.part("new", of: known.to) : known.to)) }
    for known in renamings where isTwice { try run(rename(TableNames.part("new", of: known.to), known.to)) }
  }

  /// The tables with an index: the former and the present name.
  private func parts(of index: LayoutRecord.Index) -> [(from: String, to: String)] {
    let own = [(from: table.old?.name ?? table.new.name, to: table.new.name)]
    guard let partitioned = change.partitions[table.new.name] else { return own }
    let parts = partitioned.partitions.map { (from: $0, to: $0) }
    if index.isUnique { return parts }
    // The indices of partitions have such names if ``ConcurrentIndices`` made them.
    return partitioned.isSharded ? own : own + parts
  }

  private func physicalName(_ index: LayoutRecord.Index, of part: String) -> String {
    change.isFormer ? FormerServerNames.index(index, of: part) : ServerNames.index(index, of: part)
  }

  private func drop(_ index: LayoutRecord.Index) throws {
    for (from, to) in parts(of: index) {
      let name = physicalName(index, of: from).quotedIdentifier
      try change.alterShards(of: table.new.name) { _ in "DROP INDEX IF EXISTS \(name)" }
      guard !change.partitions.isSharded(table.new.name) else { continue }
      try connection.script(
        index.isUnique
          ? "ALTER TABLE \(to.quotedIdentifier) DROP CONSTRAINT IF EXISTS \(name)" : "DROP INDEX IF EXISTS \(name)")
    }
  }

  /// Whether ``ConcurrentIndices`` makes an index after the transaction, because the table is large.
  private func isDeferred(_ index: LayoutRecord.Index) throws -> Bool {
    guard !index.isUnique, !connection.isPooled, !change.partitions.isSharded(table.new.name) else { return false }
    return try change.size(of: table.new.name) >= ConcurrentIndices.size
  }

  func make(_ index: LayoutRecord.Index) throws {
    do {
      try connection.settleConstraints()
      change.noteUnmade(index, table.new)
      guard try !isDeferred(index) else { return }
      if let partitioned = change.shardedTable(table.new.name) {
        try change.shards.create(index, of: table.new, partitioned, change.layout)
      }
      try change.run(table.new.creationOnServer(index, in: change.partitions, change.layout))
    } catch let error as PostgresError where error.isUniquenessViolation {
      throw SwiftDataError(
        .uniquenessViolation, entity: index.classes?.first ?? table.new.classes[0],
        property: index.names.joined(separator: ", "),
        message: "stored objects have the same value, so it cannot be made unique; change or delete all but one of"
          + " them first", underlying: error)
    }
  }
}
