import ArgumentParser
import Foundation
import SyncServer

/// `swiftdata sync-server`: serves zones to the programs that sync with `SwiftDataSync`.
struct SyncServerCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sync-server", abstract: "Serves the sync of SwiftData stores.",
    discussion: """
      Programs sync with it after SyncServer.register(…). Several servers may serve one PostgreSQL database.
      The file of keys has a line for each key: a name, a space, and a secret of at least 32 bytes. The last one signs.
      """)

  @Option(help: "The database: a SQLite file, or postgres://user@host/database.") var store: String
  @Option(help: "The file with the keys of tokens.") var keys: String
  @Option(help: "The address to listen on.") var host = "127.0.0.1"
  @Option(help: "The port to listen on; 0 takes a free one.") var port = 8787
  @Option(help: "The number of bytes that a zone may take.") var quota: Int64 = 10 << 30
  @Option(
    help: "For how many days the log of a zone is kept after a device made a snapshot of it; 0 deletes it at once.")
  var retention = 30.0
  @Option(help: "How many saves the log of a zone grows by before a device is asked for a snapshot.")
  var snapshotAfter: Int64 = 1000

  func validate() throws {
    try validatePort(port)
    guard quota > 0 else { throw ValidationError("--quota takes a number above 0.") }
    guard snapshotAfter > 0 else { throw ValidationError("--snapshot-after takes a number above 0.") }
    guard (0...36_500).contains(retention) else { throw ValidationError("--retention takes 0 to 36500 days.") }
  }

  func run() async throws {
    var limits = ServerLimits()
    limits.zoneSize = quota
    limits.retention = Int64(retention * 86_400_000)
    limits.snapshotAfter = snapshotAfter
    let service = try SyncService(store: store, keys: try await TokenKeys(file: keys), limits: limits)
    try await service.run(host: host, port: port) { port in
      print("sync-server listens on http://\(host):\(port)")
      fflush(nil)
    }
  }
}

/// `swiftdata sync-token`: prints a token of an account.
struct SyncTokenCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sync-token", abstract: "Prints a token that lets a program sync as an account.")

  @Argument(help: "The name of the account.") var account: String
  @Option(help: "The file with the keys of tokens.") var keys: String
  @Option(help: "The number of days after which the token expires.") var days = 365.0

  func validate() throws {
    guard TokenKeys.isAccount(account) else {
      throw ValidationError("The name of an account has 1 to 128 bytes and no slash.")
    }
    guard days > 0, days <= 36_500 else { throw ValidationError("--days takes a number above 0, at most 36500.") }
  }

  func run() async throws {
    try StandardOutput.write(try await TokenKeys(file: keys).token(for: account, seconds: days * 86_400))
  }
}

/// The operating system would take the port's lower 16 bits, and the command would listen on another port than it was told.
/// - Throws: `ValidationError` if no port has this number.
func validatePort(_ port: Int) throws {
  guard (0...65_535).contains(port) else { throw ValidationError("--port takes 0 to 65535.") }
}
