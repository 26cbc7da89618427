import Foundation
import SwiftDataInspection

/// Runs `pg_dump`, which copies a schema as it is at one moment.
struct PostgresDump {
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  private let url: String
  private let password: String?
  private let namespace: String

  /// - Throws: ``Failure`` if the store has rows on other servers, which `pg_dump` leaves out.
  init(_ url: String, namespace: String, _ store: InspectedStore) throws {
    let tables = try store.shardedTables()
    guard tables.isEmpty else {
      throw Failure(
        description:
          "the rows of \(tables.joined(separator: ", ")) are on other servers, which pg_dump leaves out; stop the programs,"
          + " and dump the schema \(namespace) on each server")
    }
    (self.url, password) = Self.withoutPassword(url)
    self.namespace = namespace
  }

  /// The URL without its password, and the password. Other users of a machine see the arguments of a process.
  static func withoutPassword(_ url: String) -> (url: String, password: String?) {
    var (rest, password) = (url, String?.none)
    if let scheme = rest.range(of: "://"),
      let user = rest[scheme.upperBound...].prefix(while: { !"/?".contains($0) }).lastIndex(of: "@"),
      let colon = rest[scheme.upperBound..<user].firstIndex(of: ":")
    {
      password = String(rest[rest.index(after: colon)..<user])
      rest.removeSubrange(colon..<user)
    }
    if let mark = rest.firstIndex(of: "?") {
      let items = rest[rest.index(after: mark)...].split(separator: "&")
      let kept = items.filter { !$0.hasPrefix("password=") }
      if let item = items.first(where: { $0.hasPrefix("password=") }) {
        password = String(item.dropFirst("password=".count))
        rest = String(rest[..<mark]) + (kept.isEmpty ? "" : "?" + kept.joined(separator: "&"))
      }
    }
    return (rest, password.map { $0.removingPercentEncoding ?? $0 })
  }

  /// - Throws: ``Failure`` if the file exists, and if `pg_dump` is missing or fails, `SwiftDataError` if another program makes the file
  ///   meanwhile. Then there is no file of this dump.
  func write(to destination: URL) throws {
    guard !FileManager.default.fileExists(atPath: destination.path) else {
      throw Failure(description: "\"\(destination.path)\" exists already; name a new file")
    }
    let folder = destination.deletingLastPathComponent()
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let unfinished = folder.appendingPathComponent(".\(destination.lastPathComponent)-backup-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: unfinished) }
    // pg_dump keeps the mode of a file that exists.
    guard FileManager.default.createFile(atPath: unfinished.path, contents: nil, attributes: [.posixPermissions: 0o600])
    else {
      throw Failure(
        description: "\"\(destination.path)\" cannot be written; name a file in a folder that you may write to")
    }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    // The name of a schema is a pattern, except in double quotes.
    let schema = "\"\(namespace.replacingOccurrences(of: "\"", with: "\"\"", options: .literal))\""
    process.arguments = [
      "pg_dump", "--format=custom", "--no-password", "--schema=\(schema)", "--file=\(unfinished.path)",
      "--dbname=\(url)",
    ]
    var environment = ProcessInfo.processInfo.environment
    if let password { environment["PGPASSWORD"] = password }
    process.environment = environment
    process.standardInput = FileHandle.nullDevice
    let errors = Pipe()
    process.standardError = errors
    try process.run()
    let text = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    if process.terminationStatus == 127 {
      throw Failure(description: "there is no pg_dump on the PATH; install PostgreSQL's client programs")
    }
    guard process.terminationStatus == 0 else {
      throw Failure(description: text.trimmingCharacters(in: .whitespacesAndNewlines))
    }
    try FinishedFile.move(unfinished, to: destination)
  }
}
