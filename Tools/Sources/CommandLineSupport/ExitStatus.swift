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
}
