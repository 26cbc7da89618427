import ArgumentParser
import CommandLineSupport
import Foundation
import Sorted
import SwiftData
import SwiftDataPostgres

struct CopyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "copy",
    abstract: "Copy a store into another: a file, or a PostgreSQL database.",
    discussion: """
      The command counts and compares both stores afterwards. Run it again to resume
      an interrupted copy. No program may write to the source meanwhile.

      EXAMPLE
        sorted copy --from inbox.store --to postgres://app@db.example/app
      """)

  @Option(help: ArgumentHelp("The file or URL of the store to read.", valueName: "store"))
  var from: String

  @Option(help: ArgumentHelp("The file or URL of the store to write.", valueName: "store"))
  var to: String

  @Option(help: "The number of objects to write at a time.")
  var chunk = 2_000

  @OptionGroup var output: OutputOptions

  func validate() throws {
    if from == to { throw ValidationError("--from and --to name the same store") }
    if chunk < 1 { throw ValidationError("--chunk needs a number above 0") }
  }

  func run() throws {
    if !StoreOptions.isServer(from), !FileManager.default.fileExists(atPath: from) {
      throw Failure("there is no store at \(from)")
    }
    let results = try Failure.explained {
      switch (StoreOptions.isServer(from), StoreOptions.isServer(to)) {
      case (false, false): try copy(try file(from), try file(to))
      case (false, true): try copy(try file(from), try server(to))
      case (true, false): try copy(try server(from), try file(to))
      case (true, true): try copy(try server(from), try server(to))
      }
    }
    try output.print(results) { _ in
      results.map { result in
        "\(result.entity): \(result.sourceCount) models, \(result.written) written,"
          + " \(result.isVerified ? "the same in both stores" : "NOT the same: \(result.targetCount) in the target")"
      }.joined(separator: "\n")
    }
    guard results.allSatisfy(\.isVerified) else { throw ExitStatus.found }
  }

  private func file(_ path: String) throws -> DefaultStore {
    try DefaultStore(
      ModelConfiguration(schema: SortedContainer.schema, url: URL(fileURLWithPath: path), allowsSave: true),
      migrationPlan: SortedMigrationPlan.self)
  }

  private func server(_ url: String) throws -> PostgresStore {
    var configuration = StoreOptions.configuration(ofServer: url)
    configuration.schema = SortedContainer.schema
    return try PostgresStore(configuration)
  }

  private func copy<Source: DataStore, Target: DataStore>(
    _ source: Source, _ target: Target
  ) throws -> [StoreCopyResult]
  where Source.Snapshot == DefaultSnapshot, Target.Snapshot == DefaultSnapshot {
    let context = ModelContext(try SortedContainer.inMemory())
    context.author = "sorted copy"
    var copy = StoreCopy(from: source, to: target, state: context.editingState, chunk: chunk)
    return try copy.run { entity, done in Terminal.note("\r\(entity) \(done)") }
  }
}
