import ArgumentParser

/// The command `swiftdata`. Each subcommand has a file of its own.
@main
struct SwiftDataTool: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "swiftdata",
    abstract: "Looks into stores, moves their data, and serves them.",
    subcommands: [
      Inspect.self, Models.self, Import.self, Dump.self, Diff.self, Check.self, Diagram.self, Browse.self,
      SyncServerCommand.self, SyncTokenCommand.self,
    ]
  )
}
