import ArgumentParser
import BenchKit
import CRawPostgres
import Foundation
import SwiftData
import SwiftDataPostgres

/// Repeats fetches of one row from PostgreSQL, by this library and by libpq, for `Benchmarks/guard/point`.
struct PointCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "point", abstract: "Repeats fetches of one row from PostgreSQL; see Benchmarks/guard/point.")

  enum Step: String, ExpressibleByArgument, CaseIterable {
    /// Makes the rows, in a process of its own: valgrind cannot start `psql`.
    case fill
    case own, libpq
  }

  @Argument(help: "fill, own or libpq.") var step: Step
  @Option(help: "The server's libpq URL; $POSTGRES_URL by default.") var url: String?
  @Option(help: "Rounds of \(PointCommand.fetches) fetches.") var rounds = 1

  static let fetches = 500
  private static let rows = 2_000

  func run() throws {
    guard let url = url ?? ProcessInfo.processInfo.environment["POSTGRES_URL"] else {
      throw ValidationError("name a server: --url postgres://…, or run it under scripts/postgres")
    }
    let ids = (0..<Self.fetches).map { makeRow($0 &* 7 % Self.rows).id }
    switch step {
    case .fill:
      let context = ModelContext(try Self.container(url))
      for number in 0..<Self.rows { context.insert(Message(makeRow(number))) }
      try context.save()
      try PostgresShell(url).run(
        "CREATE TABLE bench.raw (LIKE bench.\"Message\" INCLUDING ALL);"
          + "INSERT INTO bench.raw SELECT * FROM bench.\"Message\"; ANALYZE")
    case .own:
      let context = ModelContext(try Self.container(url))
      for _ in 0..<rounds {
        for id in ids {
          let found = try context.fetch(FetchDescriptor<Message>(predicate: #Predicate { $0.id == id }))
          guard found.first?.touched ?? 0 > 0 else { throw Failure("no row has the id \(id)") }
        }
      }
    case .libpq:
      guard let raw = crawpg_open(url, "bench.raw") else { throw Failure("libpq has no memory") }
      defer { crawpg_close(raw) }
      let copies = ids.map { strdup($0) }
      defer { for copy in copies { free(copy) } }
      let pointers = copies.map { UnsafePointer($0) }
      for _ in 0..<rounds {
        let sum = pointers.withUnsafeBufferPointer { crawpg_point(raw, $0.baseAddress!, Int64(Self.fetches)) }
        guard sum > 0 else { throw Failure("the rows have no values") }
      }
    }
  }

  private static func container(_ url: String) throws -> ModelContainer {
    try ModelContainer(
      for: Schema([Message.self]), configurations: PostgresConfiguration(url: url, namespace: "bench"))
  }
}
