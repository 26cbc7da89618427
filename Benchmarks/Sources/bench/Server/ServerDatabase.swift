import ArgumentParser
import BenchKit
import Foundation
import SwiftData
import SwiftDataPostgres

/// A database with 100,000 messages, and the peers that can use it.
enum ServerDatabase: String, Codable, CaseIterable, ExpressibleByArgument, Sendable {
  case sqlite, postgres

  /// The connections of each peer's pool on PostgreSQL: our default.
  static let connections = PostgresPoolOptions().size

  var title: String {
    switch self {
    case .sqlite: "SQLite"
    case .postgres: "PostgreSQL"
    }
  }

  /// The names of the peers, the most direct one first.
  var peers: [String] {
    let own = OwnServerPeer.Way.allCases.map(\.rawValue)
    return switch self {
    case .sqlite: ["raw", "grdb"] + own
    case .postgres: ["libpq", "sqlalchemy"] + own
    }
  }

  /// Opens a peer in this process.
  /// - Parameter place: the folder of the files, or the URL of the server.
  func open(_ peer: String, _ place: String) throws -> any ServerPeer {
    switch (self, peer, OwnServerPeer.Way(rawValue: peer)) {
    case (.sqlite, _, let way?):
      let path = Files(directory: place).work
      let container = try ModelContainer(
        for: Schema(SwiftDataPeer.models), configurations: ModelConfiguration(url: URL(fileURLWithPath: path)))
      return OwnServerPeer(container: container, way: way) { try ServerHistory.count(path, "_swiftdata_history") }
    case (.postgres, _, let way?):
      return OwnServerPeer(container: try Self.container(place), way: way) {
        try ServerHistory.count(url: place, "bench._swiftdata_history")
      }
    case (.sqlite, "raw", _): return try RawServerPeer(path: Files(directory: place).work)
    case (.sqlite, "grdb", _): return try GRDBServerPeer(path: Files(directory: place).work)
    case (.postgres, "libpq", _): return try LibPQServerPeer(url: place)
    default: throw ValidationError("there is no \(peer) on \(title); there are \(peers.joined(separator: ", "))")
    }
  }

  private static func container(_ url: String) throws -> ModelContainer {
    try ModelContainer(
      for: Schema([Message.self]), configurations: PostgresConfiguration(url: url, namespace: "bench"))
  }

  /// Makes the rows, once for all cells.
  func fill(_ place: String) throws {
    switch self {
    case .sqlite:
      try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
      try Files(directory: place).make(.small, for: RawC.self)
      try Files(directory: place).make(.small, for: SwiftDataPeer.self)
    case .postgres:
      let container = try Self.container(place)
      for start in stride(from: 0, to: 100_000, by: 10_000) {
        let context = ModelContext(container)
        for number in start..<start + 10_000 { context.insert(Message(makeRow(number))) }
        try context.save()
      }
      try PostgresShell(place).run(
        """
        CREATE TABLE bench.raw (LIKE bench."Message" INCLUDING ALL);
        INSERT INTO bench.raw SELECT * FROM bench."Message";
        CREATE TABLE bench.raw_history (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
          timestamp float8 NOT NULL, author text, program text NOT NULL, process text NOT NULL, changes text NOT NULL);
        """)
    }
  }

  /// Gives a cell the rows that all cells begin with.
  func prepare(_ peer: String, _ place: String) throws {
    switch self {
    case .sqlite:
      let isOwn = OwnServerPeer.Way(rawValue: peer) != nil
      let files = Files(directory: place)
      try files.copyToWork(files.template(.small, isOwn ? SwiftDataPeer.layout : RawC.layout))
    case .postgres:
      // Rows that a large save of an earlier cell added, and what the server would otherwise do during the next one.
      // server.py does it for SQLAlchemy.
      guard peer != "sqlalchemy" else { return }
      let isOwn = OwnServerPeer.Way(rawValue: peer) != nil
      let table = isOwn ? "bench.\"Message\"" : "bench.raw"
      try PostgresShell(place).run("DELETE FROM \(table) WHERE \"createdAt\" >= 721692800 + 25000")
      try PostgresShell(place).run("VACUUM ANALYZE \(table)")
      try PostgresShell(place).run("CHECKPOINT")
    }
  }
}
