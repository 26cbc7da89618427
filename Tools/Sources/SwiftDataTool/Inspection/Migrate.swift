import ArgumentParser
import CommandLineSupport
import SwiftDataInspection

struct Migrate: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Say what an opening with the models of another store would do to a store.",
    discussion: """
      Let the new version of the program make an empty store, and name it with --like. The command compares the models of both stores \
      and looks at the rows: at missing values, values that do not fit, equal values that must be unique. It knows neither the default \
      values of the models nor the stages of a migration plan. A line that depends on them says so. ModelContainer.migrationPreview in the \
      program knows them. The exit code is 1 if the opening may be refused.

      EXAMPLE
        swiftdata migrate app.store --like new.store --dry-run
      """)

  @OptionGroup var store: StoreArgument
  @Option(
    help: ArgumentHelp("A store that the new version of the program made.", valueName: "store"), completion: .file())
  var like: String
  @Flag(help: "Change nothing. Required, because only a program with the models can migrate a store.")
  var dryRun = false
  @OptionGroup var output: OutputOptions

  func validate() throws {
    guard dryRun else {
      throw ValidationError(
        "Only a program with the models migrates a store, when it opens it. --dry-run says what the opening would do.")
    }
  }

  func run() throws {
    let other = try InspectedStore(like, namespace: store.namespace.name)
    let forecast = try store.open().forecast(models: other)
    try output.print(forecast) { forecast.text }
    if !forecast.isSafe { throw ExitStatus.found }
  }
}
