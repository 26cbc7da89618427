import SwiftData

extension LayoutRecord.Column {
  /// The type of the column on the server.
  var serverType: PostgresType {
    if isEncrypted == true { return .bytea }
    // Characters are text, but they belong to the family of integers.
    return family == .integer && affinity == .text ? .text : family.serverType
  }

  /// Whether the program encrypts both columns, or none.
  func isEncrypted(like other: LayoutRecord.Column) -> Bool { (isEncrypted == true) == (other.isEncrypted == true) }

  /// The column in `CREATE TABLE`.
  var serverDefinition: String {
    optionalDefinition + (isRequired ? " NOT NULL" : "")
  }

  /// The column in `CREATE TABLE`, which may be without a value.
  package var optionalDefinition: String { "\(name.quotedIdentifier) \(serverType.declaration)" }
}

extension ValueFamily {
  var serverType: PostgresType {
    switch self {
    // Booleans are 0 and 1, as in lowered predicates. Unsigned numbers are stored by bit pattern.
    case .bool, .integer, .unsigned, .key, .position: .bigint
    // Dates are seconds since 2001, because a server timestamp has only microseconds.
    case .real, .date: .float8
    // The digits of a decimal number, because `numeric` drops trailing zeros.
    case .text, .url, .decimal: .text
    case .uuid: .uuid
    case .data, .transformed: .bytea
    case .json: .jsonb
    // Values of several types, which the server never compares.
    case .mixed: .json
    }
  }
}

extension PostgresType {
  /// The type in a column's declaration.
  var declaration: String { self == .text ? "text COLLATE \"C\"" : name }
}
