import ArgumentParser
import CommandLineSupport

/// The command line of the inbox.
@main
struct SortedCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sorted",
    abstract: "An inbox that reads message archives, offline first.",
    discussion: """
      EXAMPLE
        sorted import irc logs/ --store inbox.store
        sorted list --store inbox.store
      """,
    version: Release.version,
    subcommands: [
      ImportCommand.self, ListCommand.self, ShowCommand.self, SendCommand.self, PinCommand.self, MuteCommand.self,
      ArchiveCommand.self, KeepCommand.self, DeleteCommand.self, CleanCommand.self, SearchCommand.self,
      StatsCommand.self, CopyCommand.self, DemoCommand.self, NewCommand.self, EditCommand.self, SyncCommand.self,
      StatusCommand.self, RetryCommand.self, FirestoreCommand.self, RecoverCommand.self, ServeCommand.self,
      AssistCommand.self, DigestCommand.self, PeopleCommand.self, AboutCommand.self,
    ])

  /// Accepts the store before the command: `sorted --store inbox.store list`.
  static func main() async {
    var arguments = Array(CommandLine.arguments.dropFirst())
    if arguments.count > 2, arguments[0] == "--store" { arguments.insert(arguments.remove(at: 2), at: 0) }
    await runAndExit(arguments)
  }
}
