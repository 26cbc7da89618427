import Foundation
import SwiftData

/// Adds new columns of large tables before the transaction of an opening, and fills them while other programs write.
///
/// Only a column needs this whose default differs by row, such as `UUID()`: the server adds a constant without writing the
/// rows. Until the opening ends, no program's models have the column. The metadata names it, so that the next opening goes
/// on after one that ended early, and drops the column if the models lack it.
struct EarlyColumns {
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

  private struct Candidate {
    let place: Place
    let column: LayoutRecord.Column
    let standard: ServerDefault
    let property: __Property
    let entity: __Entity
    /// The condition for the rows that need a value.
    let gaps: String
  }

  let connection: PostgresConnection
  let change: LayoutChange
  /// Reads and writes the list in the metadata.
  let metadata: (read: () throws -> Set<Place>, write: (Set<Place>) throws -> Void)
  /// The store's layout now.
  let record: () throws -> LayoutRecord?
  /// Locks the namespace against other openings until the end of the transaction.
  let lock: () throws -> Void

  /// - Parameter stored: the layout from which the models are reached without a stage of a plan.
  func make(from stored: LayoutRecord) throws {
    let candidates = try candidates(LayoutPlan(from: stored, to: change.layout, isPlanned: false))
    guard !candidates.isEmpty else { return }
    var added = Set<Place>()
    try connection.script("BEGIN")
    do {
      try lock()
      // Another program may have ended meanwhile.
      guard let now = try record(), now.tables == stored.tables else { return try connection.script("COMMIT") }
      let known = try metadata.read()
      added = known
      for candidate in candidates where !known.contains(candidate.place) {
        // An administrator made a column of that name, which the store does not fill.
        guard try add(candidate) else { continue }
        added.insert(candidate.place)
      }
      if added != known { try metadata.write(added) }
      try connection.script("COMMIT")
    } catch {
      try? connection.script("ROLLBACK")
      throw error
    }
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

  private func candidates(_ plan: LayoutPlan) throws -> [Candidate] {
    try plan.tables.flatMap { table -> [Candidate] in
      guard let old = table.old, old.name == table.new.name, change.partitions[old.name] == nil,
        // The names of the classes come with the transaction.
        old.hasDiscriminator == table.new.hasDiscriminator
      else { return [] }
      let found = try table.columns.filter(\.isNew).compactMap { try candidate($0, table) }
      guard !found.isEmpty else { return [] }
      let size = try connection.run("SELECT pg_relation_size(\(old.name.quotedIdentifier.quotedLiteral)::regclass)")
      return size.integer(0, 0) >= ConcurrentIndices.size ? found : []
    }
  }

  private func candidate(_ plan: LayoutPlan.ColumnPlan, _ table: LayoutPlan.TablePlan) throws -> Candidate? {
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
      entity: member.entity, gaps: "\(column.name.quotedIdentifier) IS NULL\(condition)")
  }

  /// - Returns: false if the table has the column already.
  private func add(_ candidate: Candidate) throws -> Bool {
    let (table, column) = (candidate.place.table.quotedIdentifier, candidate.column.name.quotedIdentifier)
    let there = try connection.run(
      "SELECT 1 FROM pg_catalog.pg_attribute WHERE attrelid = \(table.quotedLiteral)::regclass AND attname = $1::text",
      [.text(candidate.column.name)])
    guard there.count == 0 else { return false }
    // Together they would write the rows.
    try connection.script("ALTER TABLE \(table) ADD COLUMN \(column) \(candidate.column.serverType.declaration)")
    try connection.script("ALTER TABLE \(table) ALTER COLUMN \(column) SET DEFAULT \(candidate.standard.sql)")
    return true
  }
}
