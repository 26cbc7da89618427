import ArgumentParser
import SwiftDataInspection

struct Inspect: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Says what a store is: who made it, its models, counts, sizes, indices, history and integrity.")

  @OptionGroup var store: StoreArgument
  @OptionGroup var output: OutputOptions

  func run() throws {
    let inspection = try store.open().inspection()
    try output.print(inspection) { inspection.text }
  }
}

/// The store that a command looks at.
struct StoreArgument: ParsableArguments {
  @Argument(
    help: "A store of SwiftData, Core Data or OpenSwiftData, or the URL of a PostgreSQL database.",
    completion: .file())
  var store: String
  @Option(help: "The schema of the PostgreSQL database that holds the store.")
  var namespace = "swiftdata"

  func open() throws -> InspectedStore { try InspectedStore(store, namespace: namespace) }
}
