import SwiftData

extension LayoutRecord.Column {
  /// The type of the column on the server.
  var serverType: PostgresType {
    if hasCodec { return .bytea }
    // Characters are text, but they belong to the family of integers.
    return family == .integer && affinity == .text ? .text : family.serverType
  }

  /// Whether the program encodes both columns, or none.
  func isCoded(like other: LayoutRecord.Column) -> Bool { hasCodec == other.hasCodec }

  /// The type in the column's declaration. The server refuses cells in plain, as a program would write that opened the store before
  /// the column had a codec: `COPY` sends bytes without a type.
  var serverDeclaration: String {
    guard hasCodec else { return serverType.declaration }
    let start = "substring(\(name.quotedIdentifier) FROM 1 FOR \(KeyRing.mark.count))"
    return "\(serverType.declaration) CHECK (\(start) = '\\x\(KeyRing.markDigits)'::bytea)"
  }

  /// The column in `CREATE TABLE`.
  var serverDefinition: String {
    optionalDefinition + (isRequired ? " NOT NULL" : "")
  }

  /// The column in `CREATE TABLE`, which may be without a value.
  package var optionalDefinition: String { "\(name.quotedIdentifier) \(serverDeclaration)" }
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
    // Values of several types, in a column of the first format.
    case .mixed: .json
    }
  }
}

extension PostgresType {
  /// The type in a column's declaration.
  var declaration: String { self == .text ? "text COLLATE \"C\"" : name }
}
