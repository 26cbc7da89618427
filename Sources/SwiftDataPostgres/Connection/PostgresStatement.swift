import SwiftData

/// A statement with its parameters.
package struct PostgresStatement {
  /// The key of the prepared statement: the SQL, or a text with a question mark for each value.
  let text: String
  private let hasQuestionMarks: Bool
  let parameters: [PostgresParameter]
  var sql: String { hasQuestionMarks ? Self.numbered(text) : text }

  init(_ sql: String, _ parameters: [PostgresParameter] = []) {
    (text, hasQuestionMarks, self.parameters) = (sql, false, parameters)
  }

  /// A statement whose question marks are numbered only when a connection prepares it.
  init(marked fragment: SQLFragment) {
    (text, hasQuestionMarks) = (fragment.sql, true)
    parameters = fragment.arguments.map(PostgresParameter.init(comparing:))
  }

  /// The most bytes that the parameters of a statement may have. The server takes messages of a gigabyte, which also have
  /// the lengths of the parameters.
  static let sizeLimit = (1 << 30) - (1 << 20)

  /// The bytes of the parameters.
  var size: Int {
    var size = 0
    for parameter in parameters { size += parameter.bytes?.count ?? 0 }
    return size
  }

  /// Checks the size before anything is sent. The server would close the connection.
  func checkSize() throws {
    guard size > Self.sizeLimit else { return }
    throw PostgresError(
      message: "the values of the statement have \(size) bytes, and PostgreSQL takes \(Self.sizeLimit)", sql: sql)
  }
}

/// The key of a prepared statement. The same text with other parameter types is another statement.
struct StatementKey: Hashable {
  let namespace: String
  let text: String
  let types: [UInt32]

  /// Whether it is the key of a statement.
  func isOf(_ statement: PostgresStatement, in namespace: String) -> Bool {
    text == statement.text && self.namespace == namespace && types.count == statement.parameters.count
      && types.indices.allSatisfy { types[$0] == statement.parameters[$0].type }
  }
}

/// A statement as a connection sends it.
final class PreparedStatement {
  /// The zero-terminated name on the server, or nil if the statement is sent with each use.
  let name: ContiguousArray<CChar>?
  let sql: String
  /// The columns of its result, once they are known. The server refuses the statement when they change.
  var columns: PostgresColumns?

  init(name: String?, sql: String) { (self.name, self.sql) = (name?.utf8CString, sql) }
}
