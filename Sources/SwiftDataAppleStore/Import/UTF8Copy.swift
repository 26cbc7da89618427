import Foundation
import SwiftData

/// A copy of a file whose text has another encoding than UTF-8, in a folder of its own that is removed with the copy.
final class UTF8Copy: Sendable {
  let url: URL

  /// Copies all tables and indices, one row at a time.
  /// - Throws: `SwiftDataError` if the file cannot be read or the copy cannot be written.
  init(of file: AppleFile) throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("apple-store-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    url = folder.appendingPathComponent("store")
    try Data().write(to: url)
    let copy = try FileConnection(uri: FileAccess.uri(url.path, "mode=rw"), place: url.path, lockTimeout: 5)
    try copy.execute("PRAGMA journal_mode = OFF")
    try copy.execute("BEGIN")
    try file.read { source in
      let entries = try source.rows(
        "SELECT name, sql, type FROM main.sqlite_master WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite%'")
      // `run` compiles one statement, so an entry of a hostile file cannot carry a second one.
      for entry in entries {
        guard case .text(let name) = entry[0], case .text(let sql) = entry[1], entry[2] == .text("table"),
          sql.hasPrefix("CREATE TABLE")
        else { continue }
        try copy.run(SQLFragment(sql))
        try Self.copyRows(of: name, from: source, to: copy)
      }
      for entry in entries where entry[2] == .text("index") {
        guard case .text(let sql) = entry[1], sql.hasPrefix("CREATE") else { continue }
        try copy.run(SQLFragment(sql))
      }
    }
    try copy.execute("COMMIT")
  }

  private static func copyRows(of table: String, from source: FileConnection, to copy: FileConnection) throws {
    let names = try source.rows("SELECT name FROM pragma_table_info(\(bind: .text(table)))").compactMap { row in
      if case .text(let name) = row[0] { name } else { nil }
    }
    guard !names.isEmpty else { return }
    let list = names.map(\.quotedIdentifier).joined(separator: ", ")
    let marks = Array(repeating: "?", count: names.count).joined(separator: ", ")
    let insert = "INSERT INTO \(table.quotedIdentifier) (\(list)) VALUES (\(marks))"
    let select = "SELECT \(list) FROM main.\(table.quotedIdentifier)"
    _ = try source.rows(SQLFragment(select)) { _ = try copy.run(SQLFragment(insert, $0)) }
  }

  deinit { try? FileManager.default.removeItem(at: url.deletingLastPathComponent()) }
}
