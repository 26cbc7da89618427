import Foundation
import SwiftData

/// Renames a property in the history of some classes, so that a reader finds older changes under the new name.
struct RenamedHistory {
  private static let pageSize: Int64 = 500

  let connection: PostgresConnection
  let classes: [String]

  private var classList: PostgresParameter { .array(classes.map { .text($0) }, .text) }

  func rename(_ former: String, to name: String) throws {
    _ = try connection.run(
      """
      UPDATE \(ServerNames.changes) SET properties = (
        SELECT json_agg(CASE p.name WHEN $1::text THEN $2::text ELSE p.name END ORDER BY p.place)::text
        FROM jsonb_array_elements_text(properties::jsonb) WITH ORDINALITY AS p (name, place)
      ) WHERE entity = ANY($3::text[]) AND properties::jsonb ? $1::text
      """, [.text(former), .text(name), classList])
    try renameTombstones(former, to: name)
  }

  /// The program converts the preserved values itself, because the server's JSON cannot hold NUL, which texts may contain.
  private func renameTombstones(_ former: String, to name: String) throws {
    var last = Int64.min
    while true {
      let rows = try connection.run(
        "SELECT id, tombstone FROM \(ServerNames.changes) WHERE entity = ANY($1::text[]) AND id > $2::bigint"
          + " AND tombstone IS NOT NULL ORDER BY id LIMIT \(Self.pageSize)", [classList, .integer(last)])
      guard rows.count > 0 else { return }
      var (changed, tombstones) = ([Int64](), [SQLValue]())
      for row in 0..<rows.count {
        last = rows.integer(row, 0)
        guard
          var values = try rows.text(row, 1).map({
            try JSONCoding.decode([String: SQLValue].self, from: Data($0.utf8))
          }), let value = values.removeValue(forKey: former)
        else { continue }
        values[name] = value
        changed.append(last)
        tombstones.append(.text(String(decoding: try JSONCoding.encode(values), as: UTF8.self)))
      }
      guard !changed.isEmpty else { continue }
      _ = try connection.run(
        "UPDATE \(ServerNames.changes) AS c SET tombstone = v.tombstone"
          + " FROM unnest($1::bigint[], $2::text[]) AS v (id, tombstone) WHERE c.id = v.id",
        [.keys(changed), .array(tombstones, .text)])
    }
  }
}
