/// Finds rows whose unique values are equal in Swift, though not byte by byte.
///
/// A unique index compares bytes, which suffices for text in Unicode normal form C. A save that writes other text to a unique
/// column, or writes to a unique column with such text, looks for equal values here: in the index by the text in normal form C,
/// and among the rows with other text, which it reads once.
final class EquivalentRows {
  /// A unique constraint, by the SQL that finds its rows.
  private struct Name: Hashable {
    let table: String
    let terms: [String]
    let condition: String?
  }

  private let connection: SQLiteConnection
  /// The keys of rows with text outside normal form C by their values in it. Rows may have changed since.
  private var known: [Name: [[SQLValue]: [Int64]]] = [:]

  init(_ connection: SQLiteConnection) { self.connection = connection }

  /// The constraints of a class that a byte comparison may not hold.
  /// - Parameter hasOtherForms: whether a column has text outside normal form C.
  static func constraints(of table: EntityTable, where hasOtherForms: (String) -> Bool) -> [UniqueConstraint] {
    table.uniqueness.filter { constraint in
      constraint.terms.contains { term in
        term.mayHaveOtherForms && hasOtherForms("\(table.name).\(TableNames.column(for: term.property))")
      }
    }
  }

  /// Whether two rows of a table have equal values.
  static func areAny(
    in table: EntityTable, _ constraint: UniqueConstraint, _ connection: SQLiteConnection
  ) throws -> Bool {
    let terms = constraint.terms.map(\.canonicalSQL)
    let conditions = terms.map { "\($0) IS NOT NULL" } + [constraint.condition].compactMap(\.self)
    let statement = SQLFragment(
      "SELECT 1 FROM \(table.name.quotedIdentifier) WHERE \(conditions.joined(separator: " AND "))"
        + " GROUP BY \(terms.joined(separator: ", ")) HAVING count(*) > 1 LIMIT 1")
    return try connection.rows(statement) { $0.integer(0) }.isEmpty == false
  }

  /// Another row with the unique values of a row.
  func row(
    equalTo key: Int64, in table: EntityTable, _ constraint: UniqueConstraint
  ) throws -> (key: Int64, entity: String?)? {
    guard let values = try values(of: key, in: table, constraint) else { return nil }
    let entity = table.hasDiscriminator ? ", _entity" : ""
    let conditions = constraint.terms.map { "\($0.sql) = ?" } + [constraint.condition].compactMap(\.self)
    let inIndex = SQLFragment(
      "SELECT _pk\(entity) FROM \(table.name.quotedIdentifier) WHERE \(conditions.joined(separator: " AND "))"
        + " AND _pk <> ?",
      values + [.integer(key)])
    if let found = try rows(inIndex, table).first { return found }
    for other in try others(in: table, constraint)[values] ?? [] where other != key {
      guard try self.values(of: other, in: table, constraint) == values else { continue }
      let own = SQLFragment(
        "SELECT _pk\(entity) FROM \(table.name.quotedIdentifier) WHERE _pk = ?", [.integer(other)])
      return try rows(own, table).first
    }
    return nil
  }

  /// Records a written row.
  func note(_ key: Int64, in table: EntityTable, _ constraint: UniqueConstraint) throws {
    let name = Self.name(table, constraint)
    guard known[name] != nil, let values = try values(of: key, in: table, constraint) else { return }
    known[name]![values, default: []].append(key)
  }

  private func rows(_ statement: SQLFragment, _ table: EntityTable) throws -> [(key: Int64, entity: String?)] {
    try connection.rows(statement) { ($0.integer(0), table.hasDiscriminator ? $0.text(1) : nil) }
  }

  private static func name(_ table: EntityTable, _ constraint: UniqueConstraint) -> Name {
    Name(table: table.name, terms: constraint.terms.map(\.sql), condition: constraint.condition)
  }

  /// The values of a row. Text is in normal form C. Nil if the constraint does not hold for it, as for nil and NaN.
  private func values(
    of key: Int64, in table: EntityTable, _ constraint: UniqueConstraint
  ) throws -> [SQLValue]? {
    let list = constraint.terms.map(\.canonicalSQL).joined(separator: ", ")
    let conditions = ["_pk = ?"] + [constraint.condition].compactMap(\.self)
    let found = try connection.rows(
      SQLFragment(
        "SELECT \(list) FROM \(table.name.quotedIdentifier) WHERE \(conditions.joined(separator: " AND "))",
        [.integer(key)])
    ) { cells in (0..<cells.count).map(cells.value) }
    return found.first.flatMap { $0.contains(.null) ? nil : $0 }
  }

  /// The rows with text outside normal form C.
  private func others(in table: EntityTable, _ constraint: UniqueConstraint) throws -> [[SQLValue]: [Int64]] {
    let name = Self.name(table, constraint)
    if let known = known[name] { return known }
    let list = constraint.terms.map(\.canonicalSQL).joined(separator: ", ")
    let conditions = ["(\(Self.hasOtherForms(constraint)))"] + [constraint.condition].compactMap(\.self)
    let found = try connection.rows(
      SQLFragment(
        "SELECT _pk, \(list) FROM \(table.name.quotedIdentifier) WHERE \(conditions.joined(separator: " AND "))")
    ) { cells in (key: cells.integer(0), values: (1..<cells.count).map(cells.value)) }
    var rows = [[SQLValue]: [Int64]]()
    for row in found where !row.values.contains(.null) { rows[row.values, default: []].append(row.key) }
    known[name] = rows
    return rows
  }

  /// The condition for a row to have text outside normal form C.
  private static func hasOtherForms(_ constraint: UniqueConstraint) -> String {
    constraint.terms.filter(\.mayHaveOtherForms).map { term in
      let cell = TableNames.column(for: term.property).quotedIdentifier
      return "(typeof(\(cell)) = 'text' AND swift_nfc(\(cell)) <> \(cell))"
    }.joined(separator: " OR ")
  }
}
