/// A store whose database also keeps tables of another module of this package, such as the bookkeeping of the sync.
///
/// The names of such tables begin with `_swiftdata_`, which no name of a program does.
package protocol TransactionStore: EngineStore {
  /// Whether ``transaction(_:)`` works. A store that reads other files too cannot read them in a writing transaction.
  var hasTransactions: Bool { get }
  /// The names of the database's types in statements that make tables.
  var tableTypes: TableTypes { get }

  /// Runs `body` in one writing transaction, into which no save of another context or program comes.
  ///
  /// All that this thread fetches and saves meanwhile belongs to the transaction. Other contexts and observers hear of the saves
  /// after the commit. A transaction inside another one is a part of it.
  /// - Throws: an error of the database or of `body`. Then the database is as it was before, unless the error says that the connection was
  ///   lost during the commit and the outcome is not known. The contexts that saved in `body` and their objects must not be used any more.
  func transaction<T>(_ body: () throws -> T) throws -> T
  /// The rows of a reading statement, which has a `?` for each argument. In a transaction of this thread it sees what that wrote.
  func rows(_ sql: String, _ arguments: [SQLValue]) throws -> [[SQLValue]]
  /// Runs a writing statement, which has a `?` for each argument. Without a transaction of this thread it is one of its own.
  func execute(_ sql: String, _ arguments: [SQLValue]) throws
}

/// The names of a database's types.
package struct TableTypes: Sendable {
  package let integer: String
  package let real: String
  package let text: String
  package let bytes: String

  package init(integer: String, real: String, text: String, bytes: String) {
    (self.integer, self.real, self.text, self.bytes) = (integer, real, text, bytes)
  }

  /// The types of SQLite.
  package static let sqlite = TableTypes(integer: "INTEGER", real: "REAL", text: "TEXT", bytes: "BLOB")
}
