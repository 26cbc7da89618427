import Foundation

// The checks of a migration that read rows, and the values that it deletes.
extension LayoutMigration {
  /// Refuses relationships with stored targets that they do not lead to any more.
  func checkNarrowings() throws {
    for narrowing in plan.narrowings {
      let refusal = try database.first(narrowing.statement(in: plan.old)) { row in
        row.integer(0) > 0 ? narrowing.refusal(row.integer(0), first: row.integer(1), row.string(2)) : nil
      }
      if let refusal = refusal ?? nil { throw refusal }
    }
  }

  /// Which values go.
  func removedValues() throws -> [String] {
    try plan.removals.compactMap { removal in
      guard let sql = removal.count(in: plan.old), let count = try database.integer(sql), count > 0 else { return nil }
      return "\(store.name): \(removal.warning(count))"
    }
  }

  /// Refuses to drop rows of subclasses that the program omits. A plan may drop them.
  func checkRemovedClasses(_ table: LayoutPlan.TablePlan, _ old: LayoutRecord.Table) throws {
    guard !plan.isPlanned, old.hasDiscriminator else { return }
    for name in table.removedClasses {
      let count =
        try database.integer("SELECT count(*) FROM \(old.name.quotedIdentifier) WHERE _entity = ?", [.text(name)]) ?? 0
      guard count > 0 else { continue }
      throw SwiftDataError(
        .unknownDataStoreSchema, entity: name,
        message: "the store holds \(count) objects of this class, which is not in the schema; name it in"
          + " ModelContainer(for:), or remove it by a stage of a migration plan")
    }
  }

  func checkConversions(_ table: LayoutPlan.TablePlan, _ old: LayoutRecord.Table) throws {
    for (column, part) in table.columns.flatMap({ column in column.parts.map { (column, $0) } }) {
      guard case .unless(let condition, let reason) = part.conversion, case .column(let name) = part.source else {
        continue
      }
      let sql =
        "SELECT _pk, \(name.quotedIdentifier) FROM \(old.name.quotedIdentifier) AS o"
        + " WHERE \(condition.replacingOccurrences(of: "column", with: name.quotedIdentifier))"
        + (old.hasDiscriminator ? " AND \(Self.rows(of: part.classes))" : "") + " LIMIT 1"
      let found = try database.first(sql) { (key: $0.integer(0), value: $0.integer(1)) }
      guard let found else { continue }
      throw SwiftDataError(
        .unknownDataStoreSchema, entity: column.column.entity, property: column.column.propertyName,
        message: "the stored object with the key \(found.key) has the value \(found.value): \(reason); change"
          + " such values with the former version of the program or in a custom stage's willMigrate")
    }
  }

  /// Refuses to convert a to-many with more than one target to a to-one.
  func checkSingle(_ queries: [PairQuery], _ column: LayoutPlan.ColumnPlan) throws {
    guard column.column.family == .key else { return }
    let union = queries.map { $0.select(in: plan.old) }.joined(separator: " UNION ALL ")
    let sql = "SELECT owner, count(*) FROM (\(union)) GROUP BY owner HAVING count(*) > 1 LIMIT 5"
    let rows = try database.rows(sql) { (owner: $0.integer(0), count: $0.integer(1)) }
    guard let first = rows.first else { return }
    throw SwiftDataError(
      .unknownDataStoreSchema, entity: column.column.entity, property: column.column.propertyName,
      message: "the relationship becomes a to-one, but the stored object with the key \(first.owner)"
        + " has \(first.count) (also: \(rows.dropFirst().map { "\($0.owner)" }.joined(separator: ", "))); let"
        + " go of all but one in a custom stage's willMigrate")
  }

  func checkUnique(_ index: LayoutRecord.Index, _ table: LayoutPlan.TablePlan) throws {
    guard table.old?.indices.contains(index) != true || table.isRebuilt else { return }
    let list = index.terms(inNormalFormOf: table.new).joined(separator: ", ")
    let sql =
      "SELECT group_concat(_pk, ', '), count(*) FROM (SELECT * FROM \(table.new.name.quotedIdentifier) ORDER BY _pk)"
      + " WHERE \((index.terms.map { "\($0) IS NOT NULL" } + [index.condition()].compactMap(\.self)).joined(separator: " AND "))"
      + " GROUP BY \(list) HAVING count(*) > 1 ORDER BY min(_pk)"
    let group = try database.first(sql) { (keys: $0.string(0), count: $0.integer(1)) }
    guard let group else { return }
    let others = (try database.integer("SELECT count(*) FROM (\(sql))") ?? 1) - 1
    let keys = group.keys.components(separatedBy: ", ")
    throw SwiftDataError(
      .uniquenessViolation, entity: index.classes?[0] ?? table.new.classes[0],
      property: index.names.joined(separator: ", "),
      message: "it becomes unique, but the \(group.count) stored objects with the keys"
        + " \(keys.prefix(10).joined(separator: ", "))\(keys.count > 10 ? " and more" : "") have the same value"
        + (others > 0 ? " (and so have \(others) more groups of objects)" : "")
        + "; make them differ, or delete all but one, in a custom stage's willMigrate")
  }
}
