/// A column with encrypted cells.
struct EncryptedColumn: Codable, Hashable, Comparable {
  let table: String
  let column: String

  /// The column's name, which each cell authenticates.
  static func name(_ table: String, _ column: String) -> String { table + "." + column }

  static func < (left: Self, right: Self) -> Bool { (left.table, left.column) < (right.table, right.column) }

  /// Whether a statement may contain secret values.
  static func isUsed(in sql: String) -> Bool { sql.contains("swift_encrypt(") || sql.contains("swift_decrypt(") }

  /// SQL that decrypts a cell.
  static func opened(_ cell: String, _ table: String, _ column: String) -> String {
    "swift_decrypt(\(cell), \(name(table, column).quotedLiteral))"
  }

  /// SQL for the encrypted cell of a value.
  static func encrypted(_ value: String, _ table: String, _ column: String) -> String {
    "swift_encrypt(\(value), \(name(table, column).quotedLiteral))"
  }
}

extension EntityTable {
  /// The names of the encrypted columns of some classes of one table. ``validateEncryption()`` diagnoses unsupported
  /// attributes.
  static func encryptedColumns(_ family: [__Entity]) -> Set<String> {
    Set(family.flatMap { $0.properties.filter(\.isSensitive).map { TableNames.column(for: $0) } })
  }

  /// - Throws: ``SwiftDataError/loadIssueModelContainer`` if the store would reveal values of an encrypted attribute.
  package func validateEncryption() throws {
    guard !encrypted.isEmpty else { return }
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
