import Foundation

/// The part that encrypts and decrypts the cells of encrypted columns.
package enum ColumnEncryption: Sendable {
  /// Functions that statements call.
  case statements
  /// The program, before it sends rows and after it reads them. The database knows no value.
  case program
}

/// The keys of encrypted columns.
package protocol ColumnKeys: Sendable {
  /// - Parameter column: the name of the column, from ``EncryptedColumn/name(_:_:)``.
  func encrypt(_ cell: SQLValue, column: [UInt8]) throws -> Data
  /// Whether a cell has the form of an encrypted one.
  func isEncrypted(_ cell: SQLValue) -> Bool
  /// Decrypts a cell. Returns a cell that is not encrypted unchanged.
  /// - Throws: ``SwiftDataError/encryptionKey`` if no key encrypted it, ``SwiftDataError/unreadableValue`` if it was changed.
  func open(_ cell: SQLValue, column: [UInt8]) throws -> SQLValue
}

/// Encrypts and decrypts the cells of one column, for a store whose database cannot call the program.
package struct ColumnCipher: Sendable {
  private let keys: any ColumnKeys
  private let column: [UInt8]

  package init(_ keys: any ColumnKeys, table: String, column: String) {
    self.keys = keys
    self.column = Array(EncryptedColumn.name(table, column).utf8)
  }

  /// The cell that the database gets. Nil stays visible.
  package func encrypted(_ cell: SQLValue) throws -> SQLValue {
    cell == .null ? .null : .blob(try keys.encrypt(cell, column: column))
  }

  /// - Throws: ``SwiftDataError/encryptionKey`` and ``SwiftDataError/unreadableValue``, as ``ColumnKeys/open(_:column:)``.
  ///   Also for a cell that is not encrypted: only another program can have written it.
  package func decrypted(_ cell: SQLValue) throws -> SQLValue {
    guard cell == .null || keys.isEncrypted(cell) else {
      throw SwiftDataError(
        .unreadableValue, message: "the column is encrypted and the value is not, so another program wrote it")
    }
    return try keys.open(cell, column: column)
  }
}
