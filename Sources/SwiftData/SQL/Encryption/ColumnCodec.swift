/// The part that encodes and decodes the cells of a store's secret columns.
package enum ColumnCoding: Sendable {
  /// Functions that statements call.
  case statements
  /// The program, before it sends rows and after it reads them. The database knows no value.
  case program(KeyRing)
}

/// The form of a column's cells, for a column whose cells are not the values.
package struct ColumnCodec: Sendable {
  private let coding: ColumnCoding
  /// The column's name, which each cell authenticates.
  private let name: String

  package init(_ coding: ColumnCoding, table: String, column: String) {
    (self.coding, name) = (coding, "\(table).\(column)")
  }

  // MARK: - Statements

  /// Whether statements can read the values. Otherwise the database can neither compare nor order them.
  var isReadable: Bool { if case .statements = coding { true } else { false } }

  /// SQL for the value of a cell.
  func read(_ cell: String) -> String { isReadable ? "swift_decrypt(\(cell), \(name.quotedLiteral))" : cell }

  /// SQL for the cell of a value.
  func written(_ value: String) -> String { isReadable ? "swift_encrypt(\(value), \(name.quotedLiteral))" : value }

  /// Whether a statement may contain secret values.
  static func isUsed(in sql: String) -> Bool { sql.contains("swift_encrypt(") || sql.contains("swift_decrypt(") }

  // MARK: - Cells

  /// The cell that the database gets. Nil stays visible.
  package func encode(_ value: SQLValue) throws -> SQLValue {
    guard case .program(let keys) = coding, value != .null else { return value }
    return .blob(try keys.encrypt(value, column: name.utf8))
  }

  /// The value of a cell.
  /// - Throws: ``SwiftDataError/encryptionKey`` and ``SwiftDataError/unreadableValue``, as ``KeyRing/open(_:column:)``.
  ///   Also for a cell that is not encrypted: only another program can have written it.
  package func decode(_ cell: SQLValue) throws -> SQLValue {
    guard case .program(let keys) = coding, cell != .null else { return cell }
    guard keys.isEncrypted(cell) else {
      throw SwiftDataError(
        .unreadableValue,
        message: "the column is encrypted and the value is not, so another program wrote it; set the cell to NULL, then"
          + " save the value with a program that has the key")
    }
    return try keys.open(cell, column: name.utf8)
  }
}

extension [String: ColumnCodec] {
  /// SQL for the value of a column.
  /// - Parameter table: the alias of the table in the statement, with a dot.
  func read(_ column: String, of table: String = "") -> String {
    let cell = table + column.quotedIdentifier
    return self[column]?.read(cell) ?? cell
  }

  /// SQL to assign to a column.
  /// - Parameter value: the SQL of the value.
  func written(_ value: String, to column: String) -> String { self[column]?.written(value) ?? value }
}

extension EntityTable {
  /// The names of the columns of some classes of one table that have a codec if the store has a key. ``validateCodecs()`` diagnoses
  /// unsupported attributes.
  package static func secretColumns(_ family: [__Entity]) -> Set<String> {
    Set(family.flatMap { $0.properties.filter(\.isSensitive).map { TableNames.column(for: $0) } })
  }

  /// - Throws: ``SwiftDataError/loadIssueModelContainer`` if the store would reveal values of an encrypted attribute.
  package func validateCodecs() throws {
    guard !codecs.isEmpty else { return }
    let indexed = (uniqueness.map(\.terms) + indices + rtrees.map(\.terms)).joined().map(\.property.name)
    for property in stored where property.isSensitive {
      let options = property.attribute?.options ?? []
      func refuse(_ what: String) -> SwiftDataError {
        SwiftDataError(
          .loadIssueModelContainer, entity: entity.name, property: property.name,
          message: "an encrypted attribute cannot be \(what), because its values would stay readable; remove one of"
            + " the two")
      }
      if indexed.contains(property.name) || options.contains(.indexed) { throw refuse("unique or indexed") }
      if options.contains(.spotlight) { throw refuse("searchable (.spotlight)") }
      if options.contains(.preserveValueOnDeletion) { throw refuse("kept in the history (.preserveValueOnDeletion)") }
    }
  }
}
