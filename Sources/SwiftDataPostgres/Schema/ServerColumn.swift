import SwiftData

extension LayoutRecord.Column {
  /// The type of the column on the server.
  var serverType: PostgresType {
    // The family of characters, which are text, is that of whole numbers.
    family == .integer && affinity == .text ? .text : family.serverType
  }

  /// The column in `CREATE TABLE`.
  var serverDefinition: String {
    "\(name.quotedIdentifier) \(serverType.declaration)\(isRequired ? " NOT NULL" : "")"
  }
}

extension ValueFamily {
  var serverType: PostgresType {
    switch self {
    // Truth values are 0 and 1, as lowered predicates have them; unsigned numbers are their bits.
    case .bool, .integer, .unsigned, .key, .position: .bigint
    // Dates are seconds since 2001: a timestamp of the server has microseconds, and would lose the rest.
    case .real, .date: .float8
    // The digits of a decimal number, of which `numeric` would forget how many were written.
    case .text, .url, .decimal: .text
    case .uuid: .uuid
    case .data, .transformed: .bytea
    case .json: .jsonb
    // Values of several types, which nothing on the server compares.
    case .mixed: .json
    }
  }
}

extension PostgresType {
  /// As a column is declared.
  var declaration: String { self == .text ? "text COLLATE \"C\"" : name }
}
