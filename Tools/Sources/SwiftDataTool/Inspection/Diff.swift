import ArgumentParser
import SwiftDataInspection

struct Diff: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Compares the models and the objects of two stores.",
    discussion: "Objects are the same where class and key are. Ends with 1 where the stores differ.")

  @Argument(help: "The first store.", completion: .file())
  var first: String
  @Argument(help: "The second store.", completion: .file())
  var second: String
  @Option(help: "The schema of the PostgreSQL database that holds a store.")
  var namespace = "swiftdata"
  @Option(help: "How many objects are listed.")
  var limit = 1000
  @OptionGroup var output: OutputOptions

  func run() throws {
    let (left, right) = (
      try InspectedStore(first, namespace: namespace), try InspectedStore(second, namespace: namespace)
    )
    let difference = try left.difference(to: right, limit: limit)
    try output.print(difference) { difference.text }
    if !difference.isEmpty { throw ExitCode(1) }
  }
}
