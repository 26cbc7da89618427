import ArgumentParser
import CommandLineSupport

/// The command line of the inbox.
@main
struct SortedCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sorted",
    abstract: "An inbox that reads message archives, offline first.",
    discussion: """
      The exit code is 0 if all is well, 1 if a command found something (`recover` and `copy`: a \
      loss), and 2 if it could not do its work. An interrupted import ends with 130.

      ENVIRONMENT
        SORTED_STORE                    the store, in place of --store
        SORTED_MODELS                   the folder of the sentence model
        SWIFTDATA_SYNC_TOKEN            the token, in place of --token-file
        FIRESTORE_EMULATOR_HOST         the host and port, in place of --remote
        FIREBASE_STORAGE_EMULATOR_HOST  the host and port for attached files
        PGPASSWORD, PGPASSFILE          the password of a PostgreSQL database

      EXAMPLE
        sorted import irc logs/ --store inbox.store
        sorted list --store inbox.store
        sorted serve --sample
      """,
    version: Release.version,
    groupedSubcommands: [
      CommandGroup(
        name: "Read",
        subcommands: [
          ListCommand.self, ShowCommand.self, SearchCommand.self, DigestCommand.self, PeopleCommand.self,
          AboutCommand.self, StatsCommand.self, DemoCommand.self,
        ]),
      CommandGroup(
        name: "Change",
        subcommands: [
          SendCommand.self, NewCommand.self, EditCommand.self, PinCommand.self, MuteCommand.self, ArchiveCommand.self,
          KeepCommand.self, DeleteCommand.self, AssistCommand.self,
        ]),
      CommandGroup(
        name: "Store",
        subcommands: [ImportCommand.self, CopyCommand.self, CleanCommand.self, RecoverCommand.self]),
      CommandGroup(name: "Sync", subcommands: [SyncCommand.self, StatusCommand.self, RetryCommand.self]),
      CommandGroup(name: "Serve", subcommands: [ServeCommand.self, FirestoreCommand.self]),
    ])

  /// Accepts the store before the command: `sorted --store inbox.store list`.
  static func main() async {
    var arguments = Array(CommandLine.arguments.dropFirst())
    if arguments.count > 2, arguments[0] == "--store" { arguments.insert(arguments.remove(at: 2), at: 0) }
    await runAndExit(arguments)
  }
}
