import ArgumentParser
import CommandLineSupport
import SwiftDataInspection

struct Diff: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Compare the models and the objects of two stores.",
    usage: "swiftdata diff [<first>] <second> [--namespace <schema>] [--limit <count>] [--json]",
    discussion: "Objects are the same where class and key are. The exit code is 1 if the stores differ.")

  @Argument(help: "The first store. (default: SWIFTDATA_STORE)", completion: .file())
  var first: String?
  @Argument(help: "The second store.", completion: .file())
  var second: String?
  @OptionGroup var namespace: NamespaceOption
  @Option(help: ArgumentHelp("The greatest number of objects in the list.", valueName: "count"))
  var limit = 1000
  @OptionGroup var output: OutputOptions

  func validate() throws {
    guard limit >= 0 else { throw ValidationError("--limit takes no number below 0.") }
    _ = try location()
  }

  private func location() throws -> (store: String, other: String) {
    try StoreArgument.location(first, and: second, "the second store")
  }

  func run() throws {
    let (first, second) = try location()
    let left = try InspectedStore(first, namespace: namespace.name)
    let right = try InspectedStore(second, namespace: namespace.name)
    let difference = try left.difference(to: right, limit: limit)
    try output.print(difference) { difference.text }
    if !difference.isEmpty { throw ExitStatus.found }
  }
}
