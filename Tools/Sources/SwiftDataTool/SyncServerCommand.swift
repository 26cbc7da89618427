import ArgumentParser
import CommandLineSupport
import Foundation
import SyncServer

/// `swiftdata sync-server`: serves zones to the programs that sync with `SwiftDataSync`.
struct SyncServerCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sync-server", abstract: "Serve the sync of SwiftData stores, until Ctrl-C.",
    discussion: """
      Programs sync with it after SyncRemote.register(…). Several servers may serve one PostgreSQL database.
      The file of keys has a line for each key: a name, a space, and a secret of at least 32 bytes. The last one signs.

      EXAMPLE
        swiftdata sync-server --store server.store --keys keys --quota 2GiB
      """)

  @Option(
    help: ArgumentHelp(
      "The database: a SQLite file, or postgres://user@host/database. (default: SWIFTDATA_SYNC_STORE)",
      valueName: "store"),
    completion: .file())
  var store: String?
  @OptionGroup var keys: KeysOption
  @Option(help: "The address to listen on.") var host = "127.0.0.1"
  @Option(help: "The port to listen on. 0 takes a free one.") var port = 8787
  @Option(help: ArgumentHelp("The size that a zone may have, for example 500MB or 2GiB.", valueName: "size"))
  var quota = ByteCount(10 << 30)
  @Option(
    help: ArgumentHelp(
      "The number of days for which the server keeps the entries of a log before it folds them. 0 folds them at once.",
      valueName: "days"))
  var retention = 30.0

  func validate() throws {
    try validatePort(port)
    guard quota.bytes > 0 else { throw ValidationError("--quota takes a size above 0.") }
    guard (0...36_500).contains(retention) else { throw ValidationError("--retention takes 0 to 36500 days.") }
    _ = try location()
    _ = try keys.file()
  }

  private func location() throws -> String {
    guard let location = store ?? EnvironmentVariable.value("SWIFTDATA_SYNC_STORE") else {
      throw ValidationError("Name the database with --store, or set SWIFTDATA_SYNC_STORE.")
    }
    return location
  }

  func run() async throws {
    var limits = ServerLimits()
    limits.zoneSize = quota.bytes
    limits.retention = Int64(retention * 86_400_000)
    let service = try SyncService(
      store: try location(), keys: try await TokenKeys(file: try keys.file()), limits: limits)
    try await service.run(host: host, port: port) { port in
      print("sync-server listens on http://\(host):\(port)")
      fflush(nil)
    }
  }
}

/// The keys that sign the tokens of a sync server.
struct KeysOption: ParsableArguments {
  @Option(
    help: ArgumentHelp("The file with the keys of tokens. (default: SWIFTDATA_SYNC_KEYS)", valueName: "file"),
    completion: .file())
  var keys: String?

  func file() throws -> String {
    guard let file = keys ?? EnvironmentVariable.value("SWIFTDATA_SYNC_KEYS") else {
      throw ValidationError("Name the file of keys with --keys, or set SWIFTDATA_SYNC_KEYS.")
    }
    return file
  }
}

/// `swiftdata sync-token`: prints a token of an account.
struct SyncTokenCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sync-token", abstract: "Print a token that lets a program sync as an account.",
    discussion: """
      EXAMPLE
        export SWIFTDATA_SYNC_TOKEN=$(swiftdata sync-token ann --keys keys)
      """)

  @Argument(help: "The name of the account.") var account: String
  @OptionGroup var keys: KeysOption
  @Option(help: ArgumentHelp("The number of days after which the token expires.", valueName: "days")) var days = 365.0

  func validate() throws {
    guard TokenKeys.isAccount(account) else {
      throw ValidationError("The name of an account has 1 to 128 bytes and no slash.")
    }
    guard days > 0, days <= 36_500 else { throw ValidationError("--days takes a number above 0, at most 36500.") }
    _ = try keys.file()
  }

  func run() async throws {
    try StandardOutput.write(try await TokenKeys(file: try keys.file()).token(for: account, seconds: days * 86_400))
  }
}

/// The operating system would take the port's lower 16 bits, and the command would listen on another port than it was told.
/// - Throws: `ValidationError` if no port has this number.
func validatePort(_ port: Int) throws {
  guard (0...65_535).contains(port) else { throw ValidationError("--port takes 0 to 65535.") }
}
