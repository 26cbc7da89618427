#if Sync
import Foundation
import SwiftData
import SyncProtocol
import Testing

@testable import SwiftDataSync

@Model private final class RenamedAgain {
  @Attribute(originalName: "name") var fullName: String = ""
  var name: String = ""
  @Attribute(.unique, .allowsCloudEncryption) var code: String = ""
  init() {}
}

@Suite("What a program names a server and an account by")
struct RegistrationTests {
  /// Refuses each request with the token that it got.
  private struct Echo: SyncTransport {
    func send(_ request: SyncRequest) async throws -> SyncReply {
      throw SyncFailure(.unauthorized, request.headers["Authorization"] ?? "")
    }
  }

  private func refusal(_ token: String) async -> SyncError? {
    let client = SyncClient(transport: Echo(), credentials: SyncCredentials(token: token))
    do {
      _ = try await client.pull(SyncLog.PullRequest(cursor: 0, epoch: nil, known: []))
      return nil
    } catch {
      return SyncError(error)
    }
  }

  @Test("The line break behind a token does not count, and a token that no header can have is not one that is offline")
  func tokenOfFile() async throws {
    #expect(await refusal("a.b-c_d\n")?.message == "Bearer a.b-c_d")
    let other = await refusal("a\nb")
    #expect(other?.code == .unauthorized && other?.message.contains("sync-token prints it") == true)
  }

  @Test("Models that cannot sync are refused with the property and the remedy")
  func models() {
    let error = #expect(throws: SwiftDataError.self) { try SyncRules.check(Schema([RenamedAgain.self]), canSeal: true) }
    let text = error?.description ?? ""
    #expect(text.contains("RenamedAgain.fullName: another property has its originalName \"name\""))
    #expect(text.contains("RenamedAgain.code: an attribute with .allowsCloudEncryption cannot be unique"))
  }

  @Test(
    "An address without http:// or https://, or without a host, is refused by its text",
    arguments: [
      "localhost:8787", "ftp://example.com", "http://",
    ])
  func address(_ text: String) throws {
    let url = try #require(URL(string: text))
    #expect {
      try SyncRemote.register("iCloud.com.example.wrong", at: url, credentials: SyncCredentials(token: "t"))
    } throws: { error in
      (error as? SwiftDataError)?.code == SwiftDataError.loadIssueModelContainer.code
        && "\(error)".contains("\"\(text)\" is not the URL of a server for iCloud.com.example.wrong")
    }
  }
}
#endif
