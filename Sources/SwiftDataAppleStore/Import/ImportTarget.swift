import Foundation
import GRDBSQLite
import SwiftData

/// The store that an import fills. A connection attaches it under the name `target`.
package struct ImportTarget {
  private let url: URL
  private let layout: LayoutRecord
  /// The text that distinguishes imports of this source.
  private let mark: String
  /// The path of the source, for messages.
  private let source: String

  /// The key under which a store keeps the mark.
  private static let markKey = "imported"

  package init(url: URL, layout: LayoutRecord, mark: String, source: String) {
    (self.url, self.layout, self.mark, self.source) = (url, layout, mark, source)
  }

  /// Makes the store or empties an earlier import, and runs `body` to fill it, all in one transaction.
  /// - Parameter replaces: whether changes that programs saved to the store since the last import may be lost.
  /// - Returns: whether the store had an earlier import.
  /// - Throws: `SwiftDataError`. The store is then as it was, or removed if it is new.
  package func fill(on connection: FileConnection, replaces: Bool, _ body: () throws -> Void) throws -> Bool {
    let isNew = !FileManager.default.fileExists(atPath: url.path)
    if isNew { try NewStore.create(at: url, layout: layout, identifier: UUID().uuidString) }
    do {
      // A connection that only reads an Apple store takes no locks. The target needs them.
      try connection.run("ATTACH DATABASE \(bind: .text(FileAccess.uri(url.path, "mode=rw&vfs=unix"))) AS target")
      defer { try? connection.execute("DETACH DATABASE target") }
      if !isNew { try check(connection, replaces) }
      try connection.execute("PRAGMA foreign_keys = OFF")
      try connection.execute("BEGIN IMMEDIATE")
      do {
        if !isNew { try empty(connection) }
        try body()
        try connection.run(
          """
          INSERT OR REPLACE INTO target._swiftdata (key, value) \
          VALUES (\(bind: .text(Self.markKey)), \(bind: .text(mark)))
          """)
        try connection.execute("COMMIT")
      } catch {
        if sqlite3_get_autocommit(connection.handle) == 0 { try? connection.execute("ROLLBACK") }
        throw error
      }
    } catch {
      if isNew { remove() }
      throw error
    }
    return !isNew
  }

  private func remove() {
    for suffix in ["-wal", "-shm", ""] { try? FileManager.default.removeItem(atPath: url.path + suffix) }
    try? FileManager.default.removeItem(at: NewStore.externalFolder(of: url))
  }

  /// Checks that the store is an import of this source and that no program saved to it since.
  private func check(_ connection: FileConnection, _ replaces: Bool) throws {
    let names = try connection.rows("SELECT name FROM target.sqlite_master WHERE name = '_swiftdata'")
    guard !names.isEmpty else { throw refusal("it is not a store of OpenSwiftData") }
    func value(_ key: String) throws -> String? {
      let rows = try connection.rows("SELECT value FROM target._swiftdata WHERE key = \(bind: .text(key))")
      if case .text(let text)? = rows.first?.first { return text }
      return nil
    }
    guard try value(Self.markKey) == mark else {
      throw refusal("it is not an import of \"\(source)\"; name a new file")
    }
    let known = try value("layout").flatMap { try? JSONCoding.decode(LayoutRecord.self, from: Data($0.utf8)) }
    guard known == layout else { throw refusal("its models changed since the import; name a new file") }
    let saves = try connection.rows("SELECT count(*) FROM target._swiftdata_history")
    if saves.first?.first != .integer(0), !replaces {
      throw refusal("a program saved to it since the import; --replace gives these changes up")
    }
  }

  private func refusal(_ reason: String) -> SwiftDataError {
    SwiftDataError(.io, message: "\"\(url.path)\" is not imported into: \(reason)")
  }

  private func empty(_ connection: FileConnection) throws {
    for name in layout.pairTables.map(\.name) + layout.tables.map(\.name) {
      try connection.run("DELETE FROM target.\(name: name)")
    }
    for name in ["_swiftdata_denormalized", "_swiftdata_history", "_swiftdata_changes"] {
      try connection.run("DELETE FROM target.\(name: name)")
    }
  }

  /// Records the columns of a filled table whose text is not in Unicode normal form C.
  package static func noteNonNFCText(of table: LayoutRecord.Table, on connection: FileConnection) throws {
    let columns = table.columns.filter { [.text, .json, .url, .mixed].contains($0.family) }
    // SQLite limits the columns of a result to 2,000. One statement reads the table once.
    for start in stride(from: 0, to: columns.count, by: 500) {
      let part = columns[start..<min(start + 500, columns.count)]
      let terms = part.map { "max(swift_nfc(\($0.name.quotedIdentifier)) IS NOT \($0.name.quotedIdentifier))" }
      let row =
        try connection.rows("SELECT \(terms.joined(separator: ", ")) FROM target.\(name: table.name)").first ?? []
      for (column, cell) in zip(part, row) where cell == .integer(1) {
        try connection.run(
          """
          INSERT OR IGNORE INTO target._swiftdata_denormalized (column_name) \
          VALUES (\(bind: .text("\(table.name).\(column.name)")))
          """)
      }
    }
  }
}
