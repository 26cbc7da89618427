import Foundation
import SwiftData

/// Changes one table of the store to what the models want.
///
/// A column whose values one column takes gets that column's name. If the values of one column go to several
/// columns, or the values of several columns to one, new columns take the values and the old columns go. The old ones
/// have other names meanwhile, so a new one may have the name of any of them. The values of a column that gets or
/// loses a codec go to a new column too.
struct TableChange {
  let change: LayoutChange
  let plan: LayoutPlan
  let table: LayoutPlan.TablePlan
  var connection: PostgresConnection { change.connection }
  var name: String { table.new.name.quotedIdentifier }
  /// The column plans by what happens to them.
  let renames: [(from: String, plan: LayoutPlan.ColumnPlan)]
  let copies: [LayoutPlan.ColumnPlan]
  let news: [LayoutPlan.ColumnPlan]
  /// The old columns that only copies read.
  let consumed: Set<String>

  init(_ change: LayoutChange, _ plan: LayoutPlan, _ table: LayoutPlan.TablePlan) {
    (self.change, self.plan, self.table) = (change, plan, table)
    var readers = [String: Int]()
    for column in table.columns { for name in Set(column.columns) { readers[name, default: 0] += 1 } }
    var renames = [(from: String, plan: LayoutPlan.ColumnPlan)]()
    var (copies, news) = ([LayoutPlan.ColumnPlan](), [LayoutPlan.ColumnPlan]())
    func isKept(_ column: LayoutPlan.ColumnPlan) -> Bool {
      // A column with values of several types gets a column of its own type.
      column.isKept && movesAlike(column.column.name, column)
    }
    /// Whether the cells of an old column stay as they are.
    func movesAlike(_ source: String, _ column: LayoutPlan.ColumnPlan) -> Bool {
      guard let old = table.old?.column(named: source) else { return true }
      return old.isMixed != true && old.isCoded(like: column.column)
    }
    for column in table.columns where !isKept(column) {
      let sources = Set(column.columns)
      if sources.isEmpty {
        news.append(column)
      } else if sources.count == 1, let source = sources.first, readers[source] == 1,
        movesAlike(source, column)
      {
        // The column stays if only other rows need a value.
        if source != column.column.name { renames.append((source, column)) }
      } else {
        copies.append(column)
      }
    }
    (self.renames, self.copies, self.news) = (renames, copies, news)
    consumed = Set(copies.flatMap(\.columns)).subtracting(table.columns.filter(isKept).map(\.column.name))
  }

  /// - Returns: the record of the table.
  func bring(_ stored: LayoutRecord.Table) throws -> LayoutRecord.Table {
    var result = stored
    try nameClasses(&result)
    let moved = Set(renames.map(\.from))
    let targets = Set((renames.map(\.plan) + copies + news).map(\.column.name))
    let displaced = result.columns.map(\.name).filter {
      targets.contains($0) && !moved.contains($0) && !consumed.contains($0)
    }
    if !renames.isEmpty || !copies.isEmpty || !displaced.isEmpty || change.isFormer {
      try dropWords(of: result.columns)
    }
    try renameIndices(&result, moved: renames.map { ($0.from, $0.plan.column.name) }, gone: consumed.union(displaced))
    for column in result.columns where moved.union(consumed).union(displaced).contains(column.name) {
      try change.run(references(column)?.removal ?? [])
    }
    for name in displaced { try displace(name) }
    try moveGiven(consumed.union(displaced).union(moved))
    for name in consumed.sorted() { try rename(name, to: physicalSource(name)) }
    try renameColumns(Set(result.columns.map(\.name)).subtracting(displaced).subtracting(consumed))
    try connection.settleConstraints()
    let gone = consumed.union(displaced)
    try recode(result.columns.filter { !gone.contains($0.name) })
    for column in copies { try copy(column) }
    for name in consumed.sorted() { try drop(physicalSource(name)) }
    try wipe()
    for (former, column) in renames {
      if !column.column.isRequired, table.old?.column(named: former)?.isRequired == true {
        try alter("ALTER COLUMN \(column.column.name.quotedIdentifier) DROP NOT NULL")
      }
      try narrow(column, from: former)
    }
    var filled = Set<String>()
    for column in news where try addFilled(column.column) { filled.insert(column.column.name) }
    for column in table.columns where !filled.contains(column.column.name) {
      let isCopied = copies.contains { $0.column.name == column.column.name }
      try fill(column, isKept: column.isKept && !isCopied, stored)
    }
    for column in copies.map(\.column) + renames.map(\.plan.column) + news.map(\.column) {
      try connection.settleConstraints()
      try change.run(references(column)?.creation ?? [])
    }
    try change.setDefaults(
      of: table.new, changed: Set((renames.map(\.plan) + copies + news).map(\.column.name)).subtracting(filled))
    try renameHistory()
    try forgetHistory()
    let left = result.columns.filter { column in
      !displaced.contains(column.name) && !moved.contains(column.name) && !consumed.contains(column.name)
        && table.new.column(named: column.name) == nil
    }
    result.columns = try table.columns.map { try record(of: $0) }
    result.columns += try left.map { try change.relax($0, of: table.new) }
    for index in table.new.indices where !result.indices.contains(index) {
      try make(index)
      result.indices.append(index)
    }
    result.classes += table.new.classes.filter { !result.classes.contains($0) }
    result.superclasses = (result.superclasses ?? [:]).merging(table.new.superclasses ?? [:]) { $1 }
    return result
  }

  // MARK: - Checks

  func checkTypes() throws {
    for column in table.columns {
      for name in column.columns {
        guard let known = table.old?.column(named: name), known.isMixed != true else { continue }
        guard known.family != column.column.family else { continue }
        throw SwiftDataError(
          .loadIssueModelContainer, entity: column.column.entity, property: column.column.propertyName,
          message: "the store \"\(change.store)\" has values of the kind \(known.family) there, and the models want"
            + " \(column.column.family); add a property with another name, fill it, and remove this one later")
      }
    }
  }

  // MARK: - Rows

  private func nameClasses(_ result: inout LayoutRecord.Table) throws {
    let own = table.new.classes[0]
    if table.new.hasDiscriminator, !result.hasDiscriminator {
      let former = (result.classes.first ?? own).quotedLiteral
      // The server gives all rows the constant without writing them.
      try change.alterShards(of: table.new.name) { _ in
        "ALTER TABLE \(name) ADD COLUMN IF NOT EXISTS _entity text COLLATE \"C\" DEFAULT \(former)"
      }
      try change.alterShards(of: table.new.name) { _ in "ALTER TABLE \(name) ALTER COLUMN _entity DROP DEFAULT" }
      // Programs without the subclasses go on with the default.
      try connection.script("ALTER TABLE \(name) ADD COLUMN \(LayoutRecord.Table.discriminator) DEFAULT \(former)")
      result.hasDiscriminator = true
    } else if result.hasDiscriminator, !table.new.hasDiscriminator {
      try connection.script("ALTER TABLE \(name) ALTER COLUMN _entity SET DEFAULT \(own.quotedLiteral)")
    }
  }

  /// The condition for the rows of some classes, by their old names. Nil for all rows.
  func condition(_ classes: [String]) -> String? {
    guard table.new.hasDiscriminator || table.old?.hasDiscriminator == true else { return nil }
    // The rows have the new names of their classes by now.
    let names = classes.map { plan.classes.newName(of: $0) ?? $0 }
    return LayoutRecord.Index.condition(names)
  }

  /// The present name of a column that copies read.
  func physicalSource(_ column: String) -> String {
    consumed.contains(column) ? TableNames.part("former", of: column) : column
  }

  private func copy(_ column: LayoutPlan.ColumnPlan) throws {
    try add(column.column)
    for part in column.parts {
      guard case .column(let former) = part.source else { continue }
      let source = physicalSource(former)
      let old = table.old?.column(named: former)
      if old?.isMixed == true {
        try unmix(source, column.column, condition(part.classes))
      } else if let old, old.hasCodec || column.column.hasCodec {
        try recode(old, column.column, condition(part.classes))
      } else {
        try connection.script(
          "UPDATE \(name) SET \(column.column.name.quotedIdentifier) = \(source.quotedIdentifier)"
            + (condition(part.classes).map { " WHERE \($0)" } ?? ""))
      }
      try connection.settleConstraints()
    }
  }

  /// Copies the values of a column that several types shared.
  private func unmix(_ source: String, _ column: LayoutRecord.Column, _ condition: String?) throws {
    let source = source.quotedIdentifier
    let rows = "\(source) IS NOT NULL" + (condition.map { " AND \($0)" } ?? "")
    try writing(column).write(from: source, where: rows) { try Self.value(ServerCell.unmixed($0), of: column) }
  }

  /// The value as the column keeps it. Another class may have kept values of another type under the column's name.
  private static func value(_ value: SQLValue, of column: LayoutRecord.Column) throws -> SQLValue {
    switch (value, column.family) {
    case (.integer(let number), .real), (.integer(let number), .date): return .real(Double(number))
    case (.text("nan"), .real), (.text("nan"), .date): return value
    case (.text, .real), (.text, .date), (.blob, .real), (.blob, .date), (.real, .integer), (.text, .integer),
      (.blob, .integer), (.real, .unsigned), (.text, .unsigned), (.blob, .unsigned), (.real, .bool), (.text, .bool),
      (.blob, .bool):
      throw SwiftDataError(
        .unreadableValue, entity: column.entity, property: column.propertyName,
        message:
          "a stored value has another type than \(column.valueType); give the property another name, and fill it in a"
          + " custom stage")
    default: return value
    }
  }

  /// Clears the values of classes that do not have the property any more, and the server's default in the rows of classes
  /// that did not have it.
  private func narrow(_ column: LayoutPlan.ColumnPlan, from former: String) throws {
    guard let old = table.old, old.column(named: former)?.entity != nil, table.new.hasDiscriminator else { return }
    let kept = column.parts.filter { $0.source == .column(former) }.flatMap(\.classes)
    guard !Set(kept).isSuperset(of: old.classes), let condition = condition(kept) else { return }
    let target = column.column.name.quotedIdentifier
    try connection.script("UPDATE \(name) SET \(target) = NULL WHERE \(target) IS NOT NULL AND NOT (\(condition))")
    try connection.settleConstraints()
  }

  /// Gives the rows without a value the default of the property, if they need one.
  private func fill(_ plan: LayoutPlan.ColumnPlan, isKept: Bool, _ stored: LayoutRecord.Table) throws {
    let column = plan.column
    guard let entity = column.entity, let member = change.layout.table(ofClass: entity),
      let property = member.stored.first(where: { TableNames.column(for: $0) == column.name }),
      column.family != .position
    else { return }
    for part in plan.parts {
      let isNew = part.source == .nothing
      guard isNew || !property.isOptional else { continue }
      // A column that was required has no gaps.
      if isKept, stored.column(named: column.name)?.isRequired == true { continue }
      try DefaultFilling(writing: writing(column), condition: condition(part.classes)).fill(property, member.entity)
    }
    guard column.isRequired, !isKept || stored.column(named: column.name)?.isRequired != true else { return }
    try connection.settleConstraints()
    try alter("ALTER COLUMN \(column.name.quotedIdentifier) SET NOT NULL")
  }

  // MARK: - Columns

  func alter(_ text: String) throws { try connection.script("ALTER TABLE \(name) \(text)") }

  private func references(_ column: LayoutRecord.Column) -> ReferenceStatements? {
    table.new.references(column, change.partitions)
  }

  private func add(_ column: LayoutRecord.Column, _ standard: String = "") throws {
    try change.alterShards(of: table.new.name) { _ in
      "ALTER TABLE \(name) ADD COLUMN IF NOT EXISTS \(column.optionalDefinition)"
    }
    let place = EarlyColumns.Place(table.new.name, column, try change.serverDefault(of: column))
    guard !change.early.contains(place) else { return }
    try alter("ADD COLUMN \(column.name.quotedIdentifier) \(column.serverDeclaration)\(standard)")
  }

  /// Adds a column, whose default the server gives all rows at once without writing them.
  /// - Returns: whether the rows have their values.
  private func addFilled(_ column: LayoutRecord.Column) throws -> Bool {
    guard !change.partitions.isSharded(table.new.name), let standard = try change.serverDefault(of: column),
      !standard.varies
    else {
      try add(column)
      return false
    }
    try add(column, "\(column.isRequired ? " NOT NULL" : "") DEFAULT \(standard.sql)")
    return true
  }

  private func drop(_ column: String) throws {
    try change.alterShards(of: table.new.name) { _ in
      "ALTER TABLE \(name) DROP COLUMN IF EXISTS \(column.quotedIdentifier)"
    }
    try alter("DROP COLUMN \(column.quotedIdentifier) CASCADE")
  }

  /// Drops a column whose name another one takes.
  private func displace(_ column: String) throws {
    let count = try connection.run("SELECT count(\(column.quotedIdentifier)) FROM \(name)").integer(0, 0)
    if let known = table.old?.column(named: column), known.family != .position, count > 0 {
      change.warn(
        "\(known.entity ?? table.new.classes[0]).\(known.propertyName) gives its name to another property", count,
        "value")
    }
    try drop(column)
  }

  private func rename(_ from: String, to: String) throws {
    try change.alterShards(of: table.new.name) { $0.renaming(from, to: to) }
    try alter("RENAME COLUMN \(from.quotedIdentifier) TO \(to.quotedIdentifier)")
  }

  /// Renames all columns at once, so that two can exchange their names.
  private func renameColumns(_ present: Set<String>) throws {
    let taken = renames.filter { present.contains($0.plan.column.name) }
    if taken.isEmpty {
      for (from, plan) in renames { try rename(from, to: plan.column.name) }
      return
    }
    for (from, plan) in renames { try rename(from, to: TableNames.part("new", of: plan.column.name)) }
    for (_, plan) in renames { try rename(TableNames.part("new", of: plan.column.name), to: plan.column.name) }
  }

  /// Moves the original texts of the columns, which `_given` has by column.
  /// - Parameter gone: the columns that go or get other names. The texts that no column takes go too.
  private func moveGiven(_ gone: Set<String>) throws {
    var moves = [(classes: [String], names: [String: String])]()
    for match in plan.classes.matches where match.table.name == table.old?.name {
      var names = Dictionary(uniqueKeysWithValues: gone.map { ($0, "") })
      for column in renames.map(\.plan) + copies {
        for part in column.parts where part.classes.contains(match.old) {
          if case .column(let source) = part.source { names[source] = column.column.name }
        }
      }
      guard !names.isEmpty else { continue }
      if let place = moves.firstIndex(where: { $0.names == names }) {
        moves[place].classes.append(match.old)
      } else {
        moves.append(([match.old], names))
      }
    }
    for move in moves {
      let names = String(decoding: try JSONCoding.encode(move.names), as: UTF8.self)
      _ = try connection.run(
        "UPDATE \(name) AS t SET _given = (SELECT jsonb_object_agg(coalesce(m.value, g.key), g.value)"
          + " FROM jsonb_each(t._given) AS g LEFT JOIN jsonb_each_text($1::jsonb) AS m ON m.key = g.key"
          + " WHERE m.value IS DISTINCT FROM '')"
          + " WHERE t._given ?| $2::text[]" + (condition(move.classes).map { " AND \($0)" } ?? ""),
        [.text(names), .array(move.names.keys.sorted().map { .text($0) }, .text)])
    }
    if !moves.isEmpty { try connection.settleConstraints() }
  }

  /// Drops the words of searchable texts with all that belongs to them. Opening the store makes them again.
  /// Columns and functions of an administrator stay.
  private func dropWords(of columns: [LayoutRecord.Column]) throws {
    let own = table.new.name.quotedIdentifier.quotedLiteral
    let names = columns.flatMap { column in
      [ServerNames.words(of: column.name)] + (change.isFormer ? [FormerServerNames.words(of: column.name)] : [])
    }
    let functions = try connection.run(
      "SELECT DISTINCT f.oid::regprocedure::text FROM pg_catalog.pg_trigger AS t"
        + " JOIN pg_catalog.pg_proc AS f ON f.oid = t.tgfoid"
        + " JOIN unnest($1::text[]) AS b (body) ON strpos(f.prosrc, b.body) > 0"
        + " WHERE t.tgrelid = \(own)::regclass AND t.tgparentid = 0",
      [.array(names.map { .text(SearchColumns.forgettingBody($0)) }, .text)])
    for row in 0..<functions.count {
      guard let name = functions.text(row, 0) else { continue }
      try connection.script("DROP FUNCTION IF EXISTS \(name) CASCADE")
    }
    let words = try connection.run(
      "SELECT attname::text FROM pg_catalog.pg_attribute WHERE attrelid = \(own)::regclass AND NOT attisdropped"
        + " AND atttypid = 'tsvector'::regtype AND attname::text = ANY($1::text[])",
      [.array(names.map { .text($0) }, .text)])
    for row in 0..<words.count { if let column = words.text(row, 0) { try drop(column) } }
    // A program with other searchable texts makes its own again too.
    _ = try connection.run(
      "UPDATE \(ServerNames.metadata) SET value = (SELECT coalesce(string_agg(line, E'\\n'), '')"
        + " FROM unnest(string_to_array(value, E'\\n')) AS line WHERE strpos(line, $1::text) = 0) WHERE key = 'search'",
      [.text(" \(table.new.name): ")])
  }

  private func renameHistory() throws {
    for match in plan.classes.matches where match.table.name == table.old?.name {
      try RenamedHistory(connection: connection, entity: match.new).rename(match.renamed)
    }
  }

  // MARK: - The record

  private func record(of plan: LayoutPlan.ColumnPlan) throws -> LayoutRecord.Column {
    var column = plan.column
    let known = plan.columns.compactMap { table.old?.column(named: $0) }
    if !column.isRequired, known.contains(where: \.isRequired) {
      try alter("ALTER COLUMN \(column.name.quotedIdentifier) DROP NOT NULL")
    }
    // Other programs may still name the earlier ones.
    let formers = known.flatMap { $0.formerNames ?? [] }
    column.formerNames = (column.formerNames ?? []) + formers.filter { column.formerNames?.contains($0) != true }
    if plan.isKept, let former = known.first, former.reference != column.reference {
      try change.run(references(former)?.removal ?? [])
      try connection.settleConstraints()
      if former.reference == nil, let reference = column.reference, reference.setsNull {
        // A column without a reference, as of the rule noAction, may name rows that are gone.
        let (name, target) = (column.name.quotedIdentifier, reference.table.quotedIdentifier)
        try connection.script(
          "UPDATE \(self.name) AS o SET \(name) = NULL WHERE o.\(name) IS NOT NULL"
            + " AND NOT EXISTS (SELECT 1 FROM \(target) AS t WHERE t._pk = o.\(name))")
      }
      try change.run(references(column)?.creation ?? [])
    }
    return column
  }
}
