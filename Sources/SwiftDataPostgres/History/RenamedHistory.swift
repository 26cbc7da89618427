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
    _ = try changeTombstones { values in
      guard values.keys.contains(where: { names[$0] != nil }) else { return nil }
      return Dictionary(values.map { (names[$0.key] ?? $0.key, $0.value) }) { first, _ in first }
    }
  }

  /// Removes the preserved values of properties, and what the server may keep of them.
  func forget(_ names: Set<String>) throws {
    let isChanged = try changeTombstones { values in
      values.keys.contains(where: names.contains) ? values.filter { !names.contains($0.key) } : nil
    }
    guard isChanged else { return }
    // Writes the rows again. The former ones would stay until the server cleans up.
    try connection.script(
      "ALTER TABLE \(ServerNames.changes) ALTER COLUMN tombstone TYPE text USING tombstone || ''")
  }

  /// The program converts the preserved values itself, because the server's JSON cannot hold NUL, which texts may contain.
  /// - Parameter change: the values to preserve instead, or nil for the same.
  /// - Returns: whether any changed.
  private func changeTombstones(_ change: ([String: SQLValue]) -> [String: SQLValue]?) throws -> Bool {
    var (last, isChanged) = (Int64.min, false)
    while true {
      let rows = try connection.run(
        "SELECT id, tombstone FROM \(ServerNames.changes) WHERE entity = $1::text AND id > $2::bigint"
          + " AND tombstone IS NOT NULL ORDER BY id LIMIT \(Self.pageSize)", [.text(entity), .integer(last)])
      guard rows.count > 0 else { return isChanged }
      var (changed, tombstones) = ([Int64](), [SQLValue]())
      for row in 0..<rows.count {
        last = rows.integer(row, 0)
        guard
          let values = try rows.text(row, 1).map({
            try JSONCoding.decode([String: SQLValue].self, from: Data($0.utf8))
          }), let new = change(values)
        else { continue }
        changed.append(last)
        tombstones.append(.text(String(decoding: try JSONCoding.encode(new), as: UTF8.self)))
      }
      guard !changed.isEmpty else { continue }
      isChanged = true
      _ = try connection.run(
        "UPDATE \(ServerNames.changes) AS c SET tombstone = v.tombstone"
          + " FROM unnest($1::bigint[], $2::text[]) AS v (id, tombstone) WHERE c.id = v.id",
        [.keys(changed), .array(tombstones, .text)])
    }
  }
}
