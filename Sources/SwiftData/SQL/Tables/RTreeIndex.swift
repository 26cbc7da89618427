import Foundation

/// An R*Tree over numbers and dates of a class: `#Index<Place>(.rtree([\.latitude, \.longitude]))`.
///
/// SQLite's R*Trees store intervals of 32-bit floats. A value becomes the smallest interval around it. Nil, NaN and
/// values beyond 32 bits become an interval that no bound excludes. The tree therefore finds every matching row and
/// some others, which the predicate then rejects.
package struct RTreeIndex {
  /// The class that declares the index.
  let entity: __Entity
  let terms: [IndexTerm]

  /// Larger magnitudes have no bound in the tree. The largest 32-bit float is slightly greater.
  static let limit = 3e38

  /// The trees with every row of a class: its own and its superclasses'.
  static func all(of entity: __Entity) -> [RTreeIndex] {
    entity.lineage.flatMap(declared)
  }

  static func declared(by entity: __Entity) -> [RTreeIndex] {
    entity.rtreeTerms.map { RTreeIndex(entity: entity, terms: $0) }
  }

  /// - Throws: ``SwiftDataError/unsupportedKeyPath`` if an R*Tree does not support the terms.
  static func validate(_ terms: [IndexTerm], in entity: __Entity) throws {
    let names = terms.map { "\\.\($0.name)" }.joined(separator: ", ")
    guard (1...5).contains(terms.count) else {
      throw SwiftDataError(
        .unsupportedKeyPath, entity: entity.name,
        message: ".rtree([\(names)]) has \(terms.count) key paths, but an R*Tree has one to five")
    }
    if let wrong = terms.first(where: { !$0.isNumeric }) {
      throw SwiftDataError(
        .unsupportedKeyPath, entity: entity.name, property: wrong.name,
        message: ".rtree([\(names)]) supports numbers and dates only, but \(wrong.name) is a \(wrong.type.swiftName);"
          + " use .binary")
    }
  }

  /// The name of the table.
  var name: String {
    let columns = terms.map { $0.column(in: TableNames.column(for: $0.property)) }.joined(separator: ",")
    return "_swiftdata_\(TableNames.table(ofClass: entity.name)).\(columns).rtree"
  }

  func lower(_ index: Int) -> String { "lower_\(index)" }
  func upper(_ index: Int) -> String { "upper_\(index)" }

  // MARK: - Making it

  /// The table, the triggers and the rows. `family` lists the classes whose rows it contains; nil means all of the
  /// table.
  func derived(family: [__Entity]?) -> DerivedTable {
    let (rows, index) = (TableNames.table(for: entity).quotedIdentifier, name.quotedIdentifier)
    let columns = terms.indices.map { "\(lower($0)), \(upper($0))" }.joined(separator: ", ")
    let sources = Set(terms.map { TableNames.column(for: $0.property).quotedIdentifier }).sorted()
    let members = family.map { family in
      family.map { "'" + $0.name.replacingOccurrences(of: "'", with: "''") + "'" }.joined(separator: ", ")
    }
    func condition(_ row: String) -> String { members.map { " \(row)_entity IN (\($0))" } ?? "" }
    let isMember = members == nil ? "" : " WHEN\(condition("new."))"
    let remove = "DELETE FROM \(index) WHERE id = old._pk;"
    let add = "INSERT INTO \(index) (id, \(columns)) VALUES (new._pk, \(intervals("new.")));"
    return DerivedTable(
      name: name,
      objects: [
        .init(.virtualTable, name, "USING rtree(id, \(columns))"),
        .init(.trigger, "\(name).insert", "AFTER INSERT ON \(rows)\(isMember) BEGIN \(add) END"),
        .init(.trigger, "\(name).delete", "AFTER DELETE ON \(rows) BEGIN \(remove) END"),
        .init(
          .trigger, "\(name).update",
          "AFTER UPDATE OF \(sources.joined(separator: ", ")) ON \(rows)\(isMember) BEGIN \(remove) \(add) END"),
      ],
      fill: "INSERT INTO \(index) (id, \(columns)) SELECT _pk, \(intervals("")) FROM \(rows)"
        + (members == nil ? "" : " WHERE" + condition("")))
  }

  /// The bounds of a row's values. SQLite rounds bounds outwards, except so close to zero that a 32-bit float becomes
  /// zero.
  private func intervals(_ row: String) -> String {
    func bound(_ value: String, sign: String) -> String {
      "CASE WHEN typeof(\(value)) NOT IN ('real', 'integer') THEN \(sign)3e38"
        + " WHEN \(value) BETWEEN -1e-30 AND 1e-30 THEN \(sign)1e-30 ELSE max(min(\(value), 3e38), -3e38) END"
    }
    return terms.map { term in
      let value = term.sql(in: row + TableNames.column(for: term.property).quotedIdentifier)
      return bound(value, sign: "-") + ", " + bound(value, sign: "")
    }.joined(separator: ", ")
  }
}

extension IndexTerm {
  /// Whether the SQL order of the cells is the order of the numbers or dates.
  var isNumeric: Bool { (type.form == .integer || type.form == .real) && type.isPlain }
}
