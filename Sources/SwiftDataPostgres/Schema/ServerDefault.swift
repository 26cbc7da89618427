import Foundation
import SwiftData

/// The value that the server gives a column in new rows of programs that do not know the column.
struct ServerDefault {
  let sql: String
  /// Whether each evaluation of the property's default gives another value, so that each stored row gets its own.
  let varies: Bool
  /// Whether the server gives all new rows the same value.
  let isConstant: Bool

  /// The longest default, in bytes, that is part of a statement.
  private static let limit = 10_000

  /// Nil if the property has no default, or none that the server can give.
  /// - Parameter isRolling: whether the rows of older programs need it. Otherwise a subclass's property has none, because
  ///   the server would store it in the rows of other classes too. No program reads it there.
  init?(_ property: __Property, _ member: EntityTable, _ column: LayoutRecord.Column, isRolling: Bool) throws {
    // The words of searchable texts would be missing in the rows of other classes.
    let isShared = member.entity.superentity != nil
    guard property.isAttribute, !isShared || isRolling && property.attribute?.options.contains(.spotlight) != true,
      column.family != .position,
      // Only the program encodes values.
      !column.hasCodec,
      let value = try DefaultCell.cell(of: property, in: member.entity)
    else { return nil }
    varies = try DefaultCell.varies(property, in: member.entity)
    if varies, let sql = Self.varying(value, column) {
      (self.sql, isConstant) = (sql, false)
      return
    }
    let cell = ServerCell(value, column.family)
    guard cell.given == nil, let sql = Self.literal(cell.value, column.serverType) else { return nil }
    (self.sql, isConstant) = (sql, true)
  }

  /// The server's expression for `UUID()`, `UUID().uuidString` and `Date()`.
  private static func varying(_ value: SQLValue, _ column: LayoutRecord.Column) -> String? {
    switch (value, column.family) {
    case (.blob, .uuid): return "gen_random_uuid()"
    case (.text(let text), .text) where UUID(uuidString: text) != nil:
      return text == text.lowercased() ? "gen_random_uuid()::text" : "upper(gen_random_uuid()::text)"
    case (.real(let seconds), .date) where abs(seconds - Date().timeIntervalSinceReferenceDate) < 60:
      return "extract(epoch FROM clock_timestamp())::double precision - 978307200"
    default: return nil
    }
  }

  private static func literal(_ value: SQLValue, _ type: PostgresType) -> String? {
    switch value {
    case .null: return nil
    case .integer(let number): return "'\(number)'::\(type.name)"
    case .real(let number): return "'\(number)'::\(type.name)"
    case .text(let text): return text.utf8.count > limit ? nil : "\(text.quotedLiteral)::\(type.name)"
    case .blob(let data) where type == .uuid: return "'\(data.hexDigits)'::uuid"
    case .blob(let data):
      return type != .bytea || data.count > limit ? nil : "'\\x\(data.hexDigits)'::bytea"
    }
  }
}

extension LayoutChange {
  /// The default of a column, or nil.
  func serverDefault(of column: LayoutRecord.Column) throws -> ServerDefault? {
    guard let entity = column.entity, let member = layout.table(ofClass: entity),
      let property = member.stored.first(where: { TableNames.column(for: $0) == column.name })
    else { return nil }
    return try ServerDefault(property, member, column, isRolling: isRolling)
  }

  /// Gives the columns of a table their defaults. A column that keeps its name keeps its default too.
  /// - Parameter changed: the columns that may have another default.
  func setDefaults(of table: LayoutRecord.Table, changed: Set<String>) throws {
    let name = table.name.quotedIdentifier
    let found = try connection.run(
      "SELECT attname::text FROM pg_catalog.pg_attribute WHERE attrelid = \(name.quotedLiteral)::regclass AND atthasdef"
    )
    let known = Set((0..<found.count).compactMap { found.text($0, 0) })
    let clauses = try table.columns.compactMap { column -> String? in
      let (isKnown, isChanged) = (known.contains(column.name), changed.contains(column.name))
      if isKnown, !isChanged { return nil }
      guard let standard = try serverDefault(of: column) else {
        return isKnown ? "ALTER COLUMN \(column.name.quotedIdentifier) DROP DEFAULT" : nil
      }
      return "ALTER COLUMN \(column.name.quotedIdentifier) SET DEFAULT \(standard.sql)"
    }
    guard !clauses.isEmpty else { return }
    try connection.settleConstraints()
    try connection.script("ALTER TABLE \(name) \(clauses.joined(separator: ", "))")
  }
}
