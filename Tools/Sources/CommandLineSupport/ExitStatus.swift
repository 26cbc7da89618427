public import ArgumentParser
import Foundation

/// The exit codes of the commands. 0 says that a command did its work and found nothing.
public enum ExitStatus {
  /// The command found something: a fault, a difference, a loss.
  public static let found = ExitCode(1)
  /// The command could not do its work, or does not understand its arguments.
  public static let failed = ExitCode(2)
}

extension AsyncParsableCommand {
  /// Runs the command that the arguments name, and ends the process with one of the codes of ``ExitStatus``.
  /// - Parameter arguments: the arguments. Nil stands for the arguments of the process.
  public static func runAndExit(_ arguments: [String]? = nil) async -> Never {
    do {
      try checkCommands(arguments ?? Array(CommandLine.arguments.dropFirst()))
      var command = try await asyncParseAsRoot(arguments)
      if var command = command as? any AsyncParsableCommand {
        try await command.run()
      } else {
        try command.run()
      }
    } catch {
      // A request for help is an error with the code 0. A command that found something throws its code.
      if error is ExitCode || exitCode(for: error) == .success { exit(withError: error) }
      FileHandle.standardError.write(Data((fullMessage(for: error) + "\n").utf8))
      Foundation.exit(ExitStatus.failed.rawValue)
    }
    Foundation.exit(ExitCode.success.rawValue)
  }

  /// Checks that the words name commands: the first one, and all that follow `help`. The parser takes any others next to a request for help,
  /// and shows the help of the program.
  /// - Throws: `ValidationError` for the first word that names none.
  private static func checkCommands(_ arguments: [String]) throws {
    let requests: Set = ["--help", "-help", "-h", "--version"]
    var words = arguments.drop { requests.contains($0) }
    if words.first == "help" {
      words = words.dropFirst().filter { !requests.contains($0) }[...]
      if words == ["help"] { return }
    } else {
      words = words.prefix(1).filter { !$0.hasPrefix("-") }[...]
    }
    var command: any ParsableCommand.Type = Self.self
    for (index, word) in words.enumerated() {
      let next = command.configuration.subcommands.first {
        $0._commandName == word || $0.configuration.aliases.contains(word)
      }
      guard let next else {
        throw ValidationError("There is no command '\(words.prefix(index + 1).joined(separator: " "))'.")
      }
      command = next
    }
  }
}
