import Foundation
import SwiftData

/// Adds new columns of large tables before the transaction of an opening, and fills them while other programs write.
///
/// Only a column needs this whose default differs by row, such as `UUID()`: the server adds a constant without writing the
/// rows. Until the opening ends, no program's models have the column. The metadata names it, so that the next opening goes
/// on after one that ended early, and drops the column if the models lack it.
///
/// The stages of a plan run in the transaction and find the column of their version there. A stage that moves values
/// between columns, or gives a table or its classes other names, leaves the new columns after it to the transaction.
struct EarlyColumns {
  /// One change of the tables on the way to the models.
  struct Step {
    let plan: LayoutPlan
    let change: LayoutChange
  }

  /// A column that an opening added before its transaction.
  struct Place: Codable, Hashable {
    let table: String
    let column: String
    /// The server's type, with which the column was added.
    let type: String
    /// The server's expression for the values, or nil if the store adds no such column before the transaction.
    let standard: String?

    init(_ table: String, _ column: LayoutRecord.Column, _ standard: ServerDefault?) {
      (self.table, self.column, type) = (table, column.name, column.serverType.name)
      self.standard = standard.flatMap { $0.varies && !$0.isConstant ? $0.sql : nil }
    }
  }

  fileprivate struct Candidate {
    let place: Place
    let column: LayoutRecord.Column
    let standard: ServerDefault
    let property: __Property
    let entity: __Entity
    /// The condition for the rows that need a value.
    let gaps: String
    let change: LayoutChange
  }

  let connection: PostgresConnection
  /// The changes that lead from the store's tables to the models.
  let steps: [Step]
  /// Reads and writes the list in the metadata.
  let metadata: (read: () throws -> Set<Place>, write: (Set<Place>) throws -> Void)
  /// The store's layout now.
  let record: () throws -> LayoutRecord?
  /// Refuses a migration that cannot be made, so that it adds nothing.
  let check: () throws -> Void
  /// Locks the namespace against other openings until the end of the transaction.
  let lock: () throws -> Void

  /// - Parameter stored: the layout of the store.
  func make(from stored: LayoutRecord) throws {
    let candidates = try candidates(from: stored).filter { try $0.isLarge }
    guard !candidates.isEmpty else { return }
    try check()
    let added = try connection.runAlone { try add(candidates, to: stored) }
    try? connection.forgetStatements()
    for candidate in candidates where added.contains(candidate.place) {
      let writing = ColumnWriting(
        connection: connection, table: candidate.place.table.quotedIdentifier, column: candidate.column, fillsOnly: true
      )
      try writing.write(from: candidate.column.name.quotedIdentifier, where: candidate.gaps) { _ in
        try DefaultCell.cell(of: candidate.property, in: candidate.entity) ?? .null
      }
    }
  }

  /// Adds the columns that are not there yet.
  /// - Returns: the columns that an opening added, now or earlier.
  private func add(_ candidates: [Candidate], to stored: LayoutRecord) throws -> Set<Place> {
    try lock()
    // Another program may have ended meanwhile.
    guard let now = try record(), now.tables == stored.tables else { return [] }
    let known = try metadata.read()
    var added = known
    for candidate in candidates where !known.contains(candidate.place) {
      // An administrator made a column of that name, which the store does not fill.
      guard try add(candidate) else { continue }
      added.insert(candidate.place)
    }
    if added != known { try metadata.write(added) }
    return added
  }

  /// The columns that may be there before the transaction, however large their tables are.
  func places(from stored: LayoutRecord) throws -> Set<Place> { Set(try candidates(from: stored).map(\.place)) }

  private func candidates(from stored: LayoutRecord) throws -> [Candidate] {
    var result = [Candidate]()
    // The tables whose rows are as they are in the store, with the names that their columns had so far.
    var known = [String: Set<String>]()
    for table in stored.tables { known[table.name] = Set(table.columns.map(\.name)) }
    for (index, step) in steps.enumerated() {
      let isFirst = index == 0
      var next = [String: Set<String>]()
      for table in step.plan.tables {
        guard let old = table.old, old.name == table.new.name, let names = known[old.name],
          // The names of the classes come with the transaction.
          stored.table(named: old.name)?.hasDiscriminator == table.new.hasDiscriminator
        else { continue }
        result += try table.columns.filter { column in
          // A property of a later version may take the values of one that an earlier version removed.
          column.isNew && !names.contains(column.column.name)
            && (isFirst || column.column.formerNames?.isEmpty != false)
        }.compactMap { try candidate($0, table, step.change) }
        let isRenamed = table.classes.contains { $0.key != $0.value }
        if !isRenamed { next[old.name] = names.union(table.new.columns.map(\.name)) }
      }
      known = next
    }
    return result
  }

  private func candidate(
    _ plan: LayoutPlan.ColumnPlan, _ table: LayoutPlan.TablePlan, _ change: LayoutChange
  ) throws -> Candidate? {
    let column = plan.column
    guard let entity = column.entity, let member = change.layout.table(ofClass: entity),
      let property = member.stored.first(where: { TableNames.column(for: $0) == column.name }),
      // New rows of the older programs get a value from the server meanwhile.
      let standard = try change.serverDefault(of: column), standard.varies, !standard.isConstant
    else { return nil }
    let classes = Set(plan.parts.flatMap(\.classes)).sorted()
    let condition = table.new.hasDiscriminator ? " AND \(LayoutRecord.Index.condition(classes))" : ""
    return Candidate(
      place: Place(table.new.name, column, standard), column: column, standard: standard, property: property,
      entity: member.entity, gaps: "\(column.name.quotedIdentifier) IS NULL\(condition)", change: change)
  }

  /// - Returns: false if the table has the column already.
  private func add(_ candidate: Candidate) throws -> Bool {
    let (table, column) = (candidate.place.table.quotedIdentifier, candidate.column.name.quotedIdentifier)
    let there = try connection.run(
      "SELECT 1 FROM pg_catalog.pg_attribute WHERE attrelid = \(table.quotedLiteral)::regclass AND attname = $1::text",
      [.text(candidate.column.name)])
    guard there.count == 0 else { return false }
    try candidate.change.alterShards(of: candidate.place.table) { _ in
      "ALTER TABLE \(table) ADD COLUMN IF NOT EXISTS \(candidate.column.optionalDefinition)"
    }
    // Together they would write the rows.
    try connection.script("ALTER TABLE \(table) ADD COLUMN \(column) \(candidate.column.serverType.declaration)")
    try connection.script("ALTER TABLE \(table) ALTER COLUMN \(column) SET DEFAULT \(candidate.standard.sql)")
    return true
  }
}

extension EarlyColumns.Candidate {
  /// Whether a write of all rows would keep saves waiting for long.
  fileprivate var isLarge: Bool {
    get throws { try change.size(of: place.table) >= ConcurrentIndices.size }
  }
}

extension LayoutChange {
  /// The bytes of a table with its partitions, also on other servers.
  func size(of table: String) throws -> Int64 {
    if let partitioned = partitions[table], partitioned.isSharded { return try shards.size(of: partitioned) }
    return try partitions.parts(of: table).reduce(0) { sum, part in
      let size = try connection.run("SELECT pg_relation_size(\(part.quotedIdentifier.quotedLiteral)::regclass)")
      return sum + size.integer(0, 0)
    }
  }
}
