import Foundation
import SwiftData
import Synchronization

/// Hears of what other programs save, on a connection of its own.
///
/// A notification only says that there is something; what it is the history says. So nothing is missed while the
/// connection was lost.
final class ForeignSaves: Sendable {
  private struct State {
    var watchers = 0
    var connection: PostgresConnection?
    /// Whether somebody said something since the history was read.
    var hasNews = true
  }
  private let state = Mutex(State())

  func begin() { state.withLock { $0.watchers += 1 } }

  func end() {
    state.withLock { state in
      state.watchers -= 1
      if state.watchers == 0 { state = State() }
    }
  }

  /// Whether others may have saved something since the last call that returned true.
  /// - Throws: ``PostgresError`` where there is no connection; the next call makes another.
  func hasNews(_ store: PostgresStore) throws -> Bool {
    try state.withLock { state in
      do {
        if state.connection == nil {
          let connection = try store.pool.connect()
          try connection.script("LISTEN \(store.channel.quotedIdentifier)")
          state.connection = connection
          state.hasNews = true
        }
        let own = store.instance.uuidString
        if try state.connection!.notifications().contains(where: { $0 != own }) { state.hasNews = true }
      } catch {
        state.connection = nil
        throw error
      }
      defer { state.hasNews = false }
      return state.hasNews
    }
  }

  /// What was heard could not be read.
  func keepNews() { state.withLock { $0.hasNews = true } }
}

extension PostgresStore: WatchedStore {
  package var isShared: Bool { true }

  /// Ignores an unreachable server: the next use of the store reports it, and the next poll tries again.
  package func beginWatch() -> Int64 {
    foreign.begin()
    let newest = try? read { try $0.run("SELECT coalesce(max(id), 0) FROM \(ServerNames.history)").integer(0, 0) }
    return newest ?? 0
  }

  package func endWatch() { foreign.end() }

  package func externalChanges(after seen: inout Int64) throws -> ExternalChanges? {
    guard try foreign.hasNews(self) else { return nil }
    do {
      return try read { try externalChanges(after: &seen, $0) }
    } catch {
      foreign.keepNews()
      throw error
    }
  }

  private func externalChanges(after seen: inout Int64, _ connection: PostgresConnection) throws -> ExternalChanges? {
    let known = seen
    let saves = try connection.run(
      "SELECT count(*), coalesce(max(id), 0) FROM \(ServerNames.history) WHERE id > $1::bigint", [.integer(known)])
    let newest = saves.integer(0, 1)
    guard newest > known else { return nil }
    let rows = try connection.run(
      "SELECT c.kind, c.entity, c.key, c.count FROM \(ServerNames.changes) AS c"
        + " JOIN \(ServerNames.history) AS h ON h.id = c.history"
        + " WHERE h.id > $1::bigint AND h.id <= $2::bigint AND h.origin <> $3::uuid ORDER BY c.id",
      [.integer(known), .integer(newest), .uuid(instance)])
    let changes = (0..<rows.count).compactMap { row -> ExternalChanges.Change? in
      guard let kind = HistoryRecorder.Kind(rawValue: rows.integer(row, 0)), let entity = rows.text(row, 1) else {
        return nil
      }
      let first = rows.integer(row, 2)
      return .init(kind: kind, entity: entity, keys: first..<first + rows.integer(row, 3))
    }
    seen = newest
    let isComplete = saves.integer(0, 0) == newest - known
    return changes.isEmpty && isComplete ? nil : ExternalChanges(isComplete: isComplete, changes: changes)
  }

  /// Where saves of the store are made known.
  var channel: String { "swiftdata_\(identifier.lowercased())" }
}
