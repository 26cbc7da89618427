import Foundation
import SwiftData

extension PostgresStore: WatchedStore {
  package var isShared: Bool { true }
  package var watchQueue: DispatchQueue { connections.listener?.queue ?? .global(qos: .utility) }

  /// Ignores an unreachable server: the next use of the store reports it, and the next poll tries again.
  package func beginWatch() -> Int64 {
    connections.listener?.begin(instance, channel: channel)
    let newest = try? read { connection in
      _ = isAfterFailover(connection)
      return try connection.run("SELECT coalesce(max(id), 0) FROM \(ServerNames.history)").integer(0, 0)
    }
    return newest ?? 0
  }

  package func endWatch() { connections.listener?.end(instance) }

  package func externalChanges(after seen: inout Int64) throws -> ExternalChanges? {
    guard let listener = connections.listener, try listener.hasChanges(instance) else { return nil }
    do {
      return try read { try externalChanges(after: &seen, $0) }
    } catch {
      listener.keepChanges(instance)
      throw error
    }
  }

  private func externalChanges(after seen: inout Int64, _ connection: PostgresConnection) throws -> ExternalChanges? {
    let known = seen
    let saves = try connection.run(
      "SELECT count(*), coalesce(max(id), 0) FROM \(ServerNames.history) WHERE id > $1::bigint", [.integer(known)])
    let newest = saves.integer(0, 1)
    if isAfterFailover(connection) || newest < known {
      // A server that took over may lack the last saves of the old one and reuse their numbers.
      seen = newest
      return ExternalChanges(isComplete: false, changes: [])
    }
    guard newest > known else { return nil }
    let rows = try connection.run(
      "SELECT c.kind, c.entity, c.key, c.count FROM \(ServerNames.changes) AS c"
        + " JOIN \(ServerNames.history) AS h ON h.id = c.history"
        + " WHERE h.id > $1::bigint AND h.id <= $2::bigint AND h.origin <> $3::uuid ORDER BY c.id",
      [.integer(known), .integer(newest), .uuid(instance)])
    var isComplete = saves.integer(0, 0) == newest - known
    let changes = (0..<rows.count).compactMap { row -> ExternalChanges.Change? in
      guard let kind = HistoryRecorder.Kind(rawValue: rows.integer(row, 0)), let entity = rows.text(row, 1) else {
        return nil
      }
      let (first, count) = (rows.integer(row, 2), rows.integer(row, 3))
      guard HistoryBlocks.isRun(first, count) else {
        // Another program may have written any numbers.
        isComplete = false
        return nil
      }
      return .init(kind: kind, entity: entity, keys: first..<first + count)
    }
    seen = newest
    return changes.isEmpty && isComplete ? nil : ExternalChanges(isComplete: isComplete, changes: changes)
  }

  /// Whether another server became the primary since the last call.
  private func isAfterFailover(_ connection: PostgresConnection) -> Bool {
    watchedTimeline.exchange(connection.timeline, ordering: .relaxed) != connection.timeline
  }

  /// The notification channel of the store's saves.
  var channel: String { "swiftdata_\(identifier.lowercased())" }
}
