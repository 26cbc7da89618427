import Foundation
import SwiftData

/// Finds the stores of a program's models in a database.
struct TenantList {
  let connection: PostgresConnection
  let prefix: String
  let owner: StoreOwner

  /// The number of stores that are read with one statement.
  private static let batch = 100

  func namespaces() throws -> [String] {
    // Other users' stores may be unreadable.
    let found = try connection.run(
      """
      SELECT n.nspname::text FROM pg_catalog.pg_class AS c JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
      WHERE c.relname = $1::text AND c.relkind = 'r' AND starts_with(n.nspname::text, $2::text)
        AND has_schema_privilege(n.oid, 'USAGE') AND has_table_privilege(c.oid, 'SELECT')
      ORDER BY n.nspname::text COLLATE "C"
      """, [.text(ServerNames.metadata), .text(prefix)])
    let all = (0..<found.count).compactMap { found.text($0, 0) }
    return try stride(from: 0, to: all.count, by: Self.batch).flatMap { first in
      try tenants(Array(all[first..<min(first + Self.batch, all.count)]))
    }
  }

  private func tenants(_ names: [String]) throws -> [String] {
    do {
      var classes = [String: [String]]()
      let rows = try connection.texts(names.map(Self.layouts).joined(separator: " UNION ALL "))
      for row in 0..<rows.count {
        guard let name = rows.text(row, 0), let text = rows.text(row, 1) else { continue }
        // A store of a newer format is not recognized, and no opening of this program would accept it.
        let record = try? JSONCoding.decode(LayoutRecord.self, from: Data(text.utf8))
        classes[name, default: []] += record?.tables.flatMap(\.classes) ?? []
      }
      return names.filter { owner.owns(classes[$0] ?? []) }
    } catch let error as PostgresError where ["42P01", "3F000", "42501"].contains(error.state) {
      // A store was erased meanwhile.
      return names.count == 1 ? [] : try names.flatMap { try tenants([$0]) }
    }
  }

  private static func layouts(of namespace: String) -> String {
    "SELECT \(namespace.quotedLiteral), value FROM \(namespace.quotedIdentifier).\(ServerNames.metadata)"
      + " WHERE key IN (\(PostgresOpening.Keys.layout.quotedLiteral), \(PostgresOpening.Keys.formerLayout.quotedLiteral))"
  }
}
