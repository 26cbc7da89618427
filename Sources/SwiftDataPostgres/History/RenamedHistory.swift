import Foundation
import SwiftData

/// Renames properties in the history of a class, so that a reader finds older changes under the new names.
struct RenamedHistory {
  private static let pageSize: Int64 = 500

  let connection: PostgresConnection
  let entity: String

  /// Renames all at once, so that two can exchange their names.
  /// - Parameter names: the new names by the old ones.
  func rename(_ names: [String: String]) throws {
    guard !names.isEmpty else { return }
    _ = try connection.run(
      """
      UPDATE \(ServerNames.changes) SET properties = (
        SELECT json_agg(coalesce($1::jsonb ->> p.name, p.name) ORDER BY p.place)::text
        FROM jsonb_array_elements_text(properties::jsonb) WITH ORDINALITY AS p (name, place)
      ) WHERE entity = $2::text AND properties::jsonb ?| $3::text[]
      """,
      [
        .text(String(decoding: try JSONCoding.encode(names), as: UTF8.self)), .text(entity),
        .array(names.keys.sorted().map { .text($0) }, .text),
      ])
    try renameTombstones(names)
  }

  /// The program converts the preserved values itself, because the server's JSON cannot hold NUL, which texts may contain.
  private func renameTombstones(_ names: [String: String]) throws {
    var last = Int64.min
    while true {
      let rows = try connection.run(
        "SELECT id, tombstone FROM \(ServerNames.changes) WHERE entity = $1::text AND id > $2::bigint"
          + " AND tombstone IS NOT NULL ORDER BY id LIMIT \(Self.pageSize)", [.text(entity), .integer(last)])
      guard rows.count > 0 else { return }
      var (changed, tombstones) = ([Int64](), [SQLValue]())
      for row in 0..<rows.count {
        last = rows.integer(row, 0)
        guard
          let values = try rows.text(row, 1).map({
            try JSONCoding.decode([String: SQLValue].self, from: Data($0.utf8))
          }), values.keys.contains(where: { names[$0] != nil })
        else { continue }
        let renamed = Dictionary(values.map { (names[$0.key] ?? $0.key, $0.value) }) { first, _ in first }
        changed.append(last)
        tombstones.append(.text(String(decoding: try JSONCoding.encode(renamed), as: UTF8.self)))
      }
      guard !changed.isEmpty else { continue }
      _ = try connection.run(
        "UPDATE \(ServerNames.changes) AS c SET tombstone = v.tombstone"
          + " FROM unnest($1::bigint[], $2::text[]) AS v (id, tombstone) WHERE c.id = v.id",
        [.keys(changed), .array(tombstones, .text)])
    }
  }
}
