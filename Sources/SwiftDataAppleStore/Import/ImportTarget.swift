import Foundation
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
    let isNew = try checkPlace()
    if !isNew { try look(replaces) }
    connection.target = url.path
    defer { connection.target = nil }
    do {
      if isNew { try NewStore.create(at: url, layout: layout, identifier: UUID().uuidString) }
      try attach(to: connection, isNew: isNew, replaces: replaces, body)
    } catch let error as SwiftDataError where error.code == .storeFull {
      throw FileErrors.fullTarget(url.path)
    }
    return !isNew
  }

  private func attach(
    to connection: FileConnection, isNew: Bool, replaces: Bool, _ body: () throws -> Void
  ) throws {
    // The last connection merges the log into the file. A store that stays as it was keeps its log.
    let hasLog = !isNew && FileManager.default.fileExists(atPath: url.path + "-wal")
    var reader = hasLog ? (try? FileConnection(reading: url.path, place: url.path)) : nil
    _ = try? reader?.rows("SELECT count(*) FROM sqlite_master")
    defer { withExtendedLifetime(reader) {} }
    do {
      try connection.run("ATTACH DATABASE \(bind: .text(FileAccess.uri(url.path, "mode=rw"))) AS target")
      defer { try? connection.execute("DETACH DATABASE target") }
      try connection.execute("PRAGMA foreign_keys = OFF")
      try connection.transaction(beginning: "BEGIN IMMEDIATE") {
        if !isNew {
          // A program may have saved since the look.
          try check(connection, in: "target", replaces)
          try empty(connection)
        }
        try body()
        try connection.run(
          """
          INSERT OR REPLACE INTO target._swiftdata (key, value) \
          VALUES (\(bind: .text(Self.markKey)), \(bind: .text(mark)))
          """)
      }
      reader = nil
    } catch {
      if isNew { remove() }
      throw error
    }
  }

  /// Looks at the file before SQLite opens it for writing.
  /// - Returns: whether there is no file.
  /// - Throws: `SwiftDataError/io` for a file that is not a store of our own.
  private func checkPlace() throws -> Bool {
    guard FileManager.default.fileExists(atPath: url.path) else { return true }
    if FileKind.real(url.path) == FileKind.real(source) {
      throw refusal("it is the file that is imported; name a new file")
    }
    switch FileKind.of(url) {
    case .store: return false
    case .new: throw refusal("it exists already and has no tables; name a new file")
    case .apple: throw refusal("it is a store of SwiftData or Core Data; name a new file")
    case .database: throw refusal("it is a database of another program; name a new file")
    case .other: throw refusal("it is not an SQLite database; name a new file")
    case .notAFile(let kind): throw refusal("it is \(kind); name a new file")
    case .unreadable(let code, let message):
      throw FileErrors.error(code: code, message: message, sql: nil, place: url.path)
    }
  }

  private func remove() {
    for suffix in ["-wal", "-shm", ""] { try? FileManager.default.removeItem(atPath: url.path + suffix) }
    try? FileManager.default.removeItem(at: NewStore.externalFolder(of: url))
  }

  /// Checks the store before SQLite opens it for writing.
  private func look(_ replaces: Bool) throws {
    do {
      try FileAccess(url, isWritable: false) { try $0.expectOwnStore() }.read { try check($0, in: "main", replaces) }
    } catch let error as SwiftDataError where error.code == .storeLocked {
      // A program writes to it. The check in the transaction of the import waits for the program.
    }
  }

  /// Checks that the store is an import of this source and that no program saved to it since.
  /// - Parameter schema: the name under which the connection has the store.
  private func check(_ connection: FileConnection, in schema: String, _ replaces: Bool) throws {
    func value(_ key: String) throws -> String? {
      let rows = try connection.rows("SELECT value FROM \(name: schema)._swiftdata WHERE key = \(bind: .text(key))")
      if case .text(let text)? = rows.first?.first { return text }
      return nil
    }
    guard try value(Self.markKey) == mark else {
      throw refusal("it is not an import of \"\(source)\"; name a new file")
    }
    let known = try value("layout").flatMap { try? JSONCoding.decode(LayoutRecord.self, from: Data($0.utf8)) }
    guard known == layout else { throw refusal("its models changed since the import; name a new file") }
    let saves = try connection.rows("SELECT count(*) FROM \(name: schema)._swiftdata_history")
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
    try connection.run("DELETE FROM target._swiftdata_denormalized")
    for statement in StoreCounters.endingHistory(in: "target") { try connection.run(statement) }
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
