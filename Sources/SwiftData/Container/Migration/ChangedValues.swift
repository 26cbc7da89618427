/// The stored values of properties whose type a migration changed. A value may not fit the new type.
package struct ChangedValues {
  private let tables: [EntityTable]

  package init(_ plan: LayoutPlan, _ layout: StoreLayout) {
    let names = Set(plan.tables.filter(\.needsDecoding).map(\.new.name))
    tables = layout.tables.filter { names.contains($0.name) }
  }

  package var isEmpty: Bool { tables.isEmpty }

  /// Decodes each of their rows, so that an opening refuses a value that a later fetch could not read.
  /// - Parameter selection: the select list of rows that become objects.
  /// - Throws: ``SwiftDataError/unreadableValue`` with the object and the property.
  /// - Complexity: O(rows).
  package func check(on connection: any SQLConnection, selection: (EntityTable) -> String) throws {
    for table in tables {
      var last: Int64? = Int64.min
      while let start = last { last = try check(table, after: start, connection, selection(table)) }
    }
  }

  /// Decodes one batch of rows.
  /// - Returns: the last key, or nil if no row is left.
  private func check(
    _ table: EntityTable, after start: Int64, _ connection: any SQLConnection, _ selection: String
  ) throws -> Int64? {
    var conditions = SQLFragment("t0._pk > ?", [.integer(start)])
    if table.hasDiscriminator {
      conditions = conditions + SQLFragment(" AND t0._entity = ?", [.text(table.entity.name)])
    }
    let query =
      SQLFragment("SELECT \(selection) FROM \(table.name.quotedIdentifier) AS t0 WHERE ") + conditions
      + SQLFragment(" ORDER BY t0._pk LIMIT 1000")
    // SQL compares the cells of Floats. A Double that is read as a Float would not equal itself.
    let singles = table.entity.properties.filter { $0.isStored && ScalarType(of: $0).isSinglePrecision }
    var last: Int64?
    try connection.run(query, of: table, entity: table.entity) { reader in
      reader.columns = table.positions[table.entity.name]!
      while try reader.next() {
        last = reader.int64(0)
        reader.deferred = PropertySet()
        do {
          _ = try table.entity.type.init(__row: reader)
          for property in singles { try Self.checkSingle(property, reader) }
        } catch let error as SwiftDataError {
          throw Self.refusal(error, key: reader.int64(0))
        }
      }
    }
    return last
  }

  private static func checkSingle(_ property: __Property, _ reader: SQLRows) throws {
    let column = reader.columns[property.index]
    guard column >= 0, reader.kind(column) == .real else { return }
    let value = reader.double(column)
    guard Double(Float(value)) != value else { return }
    throw reader.unreadable(property.index, "the stored value \(value) is not exactly a Float")
  }

  private static func refusal(_ error: SwiftDataError, key: Int64) -> SwiftDataError {
    SwiftDataError(
      .unreadableValue, entity: error.entity, property: error.property,
      message: "the stored object with the key \(key) has a value that the property's new type cannot take"
        + " (\(error.message ?? error.code.description)); give the property another name and fill it in a custom stage",
      underlying: error)
  }
}
