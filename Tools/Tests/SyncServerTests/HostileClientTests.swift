import Foundation
import SyncProtocol
import Testing
import UntrustedInput

@testable import SyncServer

@Suite("Hostile clients")
struct HostileClientTests {
  @Test("The refusal of a request to an unknown path names the path: a program's URL may have one of its own")
  func unknownPath() async throws {
    try await ServerFixture.with { server in
      let token = try await server.token("ann")
      let answer = try await server.send("POST", "/other/v2/log/pull", token: token)
      #expect(answer.status == 404 && answer.failure?.message.contains("/other/v2/log/pull") == true)
    }
  }

  @Test("A key that was rotated out of the file's end still verifies, and one that was removed does not")
  func rotation() async throws {
    let old = try await TokenKeys([("a", ServerFixture.secret)])
    let both = try await TokenKeys([("a", ServerFixture.secret), ("b", String(ServerFixture.secret.reversed()))])
    let new = try await TokenKeys([("b", String(ServerFixture.secret.reversed()))])
    let token = try await old.token(for: "ann", seconds: 60)
    #expect(try await both.account("Bearer \(token)") == "ann")
    await #expect(throws: SyncFailure.self) { try await new.account("Bearer \(token)") }
    let next = try await both.token(for: "ann", seconds: 60)
    #expect(try await new.account("Bearer \(next)") == "ann")
  }

  @Test("Random bytes and mutated requests never stop the server")
  func fuzz() async throws {
    try await ServerFixture.with { server in
      let ann = try await server.token("ann")
      let valid = try SyncWire.encode(
        SyncLog.PushRequest(
          cursor: 0, epoch: UUID(), transactions: [SyncLog.Transaction(id: UUID(), parts: [.ann: [.a: .born()]])]))
      for round in 0..<150 {
        var body = valid
        for _ in 0...(round % 7) { body[Int.random(in: 0..<body.count)] = UInt8.random(in: 0...255) }
        let path = [
          "/v2/log/push", "/v2/log/wait", "/v2/log/pull", "/v2/zones/account-ann/assets/x?offset=0&total=1",
        ][round % 4]
        let answer = try await server.send(round % 4 == 3 ? "PUT" : "POST", path, token: ann, body: body)
        #expect(answer.status < 500 || answer.failure != nil, "\(answer)")
      }
      #expect(try await server.send("GET", "/health").status == 200)
    }
  }
}
