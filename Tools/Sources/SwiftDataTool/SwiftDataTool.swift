import ArgumentParser
import CommandLineSupport

/// The command `swiftdata`. Each subcommand has a file of its own.
@main
struct SwiftDataTool: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "swiftdata",
    abstract: "Inspect stores, move and back up their data, and serve their sync.",
    discussion: """
      The exit code is 0 if all is well, 1 if a command found something, and 2 if it could not do its \
      work.

      ENVIRONMENT
        SWIFTDATA_STORE         the store, where a command takes one
        SWIFTDATA_NAMESPACE     the schema, in place of --namespace
        SWIFTDATA_SYNC_STORE    the store of sync-server, in place of --store
        SWIFTDATA_SYNC_KEYS     the keys, in place of --keys
        PGPASSWORD, PGPASSFILE  the password of a PostgreSQL database

      EXAMPLE
        swiftdata inspect app.store
        swiftdata query app.store 'SELECT title FROM Book'
        swiftdata backup app.store backups/app.store
      """,
    version: Release.version,
    groupedSubcommands: [
      CommandGroup(
        name: "Look",
        subcommands: [
          Inspect.self, Check.self, Query.self, History.self, Dump.self, Diff.self, Diagram.self, Browse.self,
        ]),
      CommandGroup(name: "Move", subcommands: [Backup.self, Import.self, Models.self, Migrate.self]),
      CommandGroup(name: "Sync", subcommands: [SyncServerCommand.self, SyncTokenCommand.self]),
    ]
  )

  static func main() async { await runAndExit() }
}
