import ArgumentParser
import Foundation
import Sorted
import SortedSync

/// The account's token for a sync server.
struct TokenOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The file with the account's token, as `swiftdata sync-token` prints it. It is read again for each request, so that it"
        + " can be renewed. (default: the token in SWIFTDATA_SYNC_TOKEN)", valueName: "file"))
  var tokenFile: String?

  /// Returns the source of the token.
  /// - Throws: ``Failure`` if no token is named.
  func provider() throws -> @Sendable () throws -> String {
    if let tokenFile {
      return {
        guard let text = try? String(contentsOfFile: tokenFile, encoding: .utf8) else {
          throw Failure("the token file \(tokenFile) cannot be read")
        }
        return text.trimmingCharacters(in: .whitespacesAndNewlines)
      }
    }
    guard let token = ProcessInfo.processInfo.environment["SWIFTDATA_SYNC_TOKEN"], !token.isEmpty else {
      throw Failure("a sync server needs a token; name its file with --token-file, or set SWIFTDATA_SYNC_TOKEN")
    }
    return { token }
  }
}

extension StoreOptions {
  /// Opens the store as an inbox that syncs with a server.
  /// - Parameter user: whose token it has to be, or nil for any.
  func sharedInbox(_ server: String, _ token: TokenOptions, user: String?) throws -> SharedInbox {
    guard let file else {
      throw Failure("an inbox that syncs with a sync server is in a file; name one with --store")
    }
    guard let url = URL(string: server) else {
      throw Failure("\(server) is not an address; write it as in http://127.0.0.1:8787")
    }
    return try Failure.explained {
      let provider = try token.provider()
      let account = try AccountToken.account(of: try provider())
      guard user == nil || user == account else {
        throw Failure("the token is \(account)'s, and --user says \(user ?? "")")
      }
      return try SharedInbox.open(file, server: url, token: provider)
    }
  }
}
