import Foundation
import SyncProtocol
import Testing
import UntrustedInput

@testable import SyncServer

@Suite("Hostile clients")
struct HostileClientTests {
  private func transaction(milliseconds: Int64 = 1000) -> SyncTransaction {
    var change = RecordChange(RecordName("r"), "Note")
    change.fields["text"] = FieldWrite(
      .text("a"), HybridTime(milliseconds: milliseconds, counter: 0, replica: 1), over: nil)
    return SyncTransaction(id: UUID(), replica: 1, changes: [change])
  }

  @Test("A request without a token, with a forged one, an expired one or one of another key is refused")
  func tokens() async throws {
    try await ServerFixture.with { server in
      let path = "/v1/zones/private/changes?after=0"
      let foreign = try await TokenKeys([("test", "ffffffffffffffffffffffffffffffff")]).token(for: "ann", seconds: 600)
      let expired = try await server.keys.token(for: "ann", seconds: -10)
      let own = try await server.token("ann")
      let forged = own.dropLast(4) + "AAAA"
      for token in [nil, "nonsense", foreign, expired, String(forged)] {
        let answer = try await server.send("GET", path, token: token)
        #expect(answer.status == 401 && answer.failure?.code == .unauthorized)
      }
      #expect(try await server.send("GET", path, token: own).status == 200)
    }
  }

  @Test("The refusal of a request to an unknown path names the path: a program's URL may have one of its own")
  func unknownPath() async throws {
    try await ServerFixture.with { server in
      let token = try await server.token("ann")
      let answer = try await server.send("GET", "/other/v1/zones/private/changes", token: token)
      #expect(answer.status == 404 && answer.failure?.message.contains("/other/v1/zones/private/changes") == true)
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

  @Test("An account neither sees nor changes what another account has")
  func isolation() async throws {
    try await ServerFixture.with { server in
      let (ann, bob) = (try await server.token("ann"), try await server.token("bob"))
      let push = try SyncWire.encode(PushRequest(base: 0, transactions: [transaction()]))
      #expect(try await server.send("POST", "/v1/zones/private/push", token: ann, body: push).status == 200)
      let answer = try await server.send("GET", "/v1/zones/private/changes?after=0", token: bob)
      #expect(try SyncWire.decode(ChangesResponse.self, from: answer.body).entries.isEmpty)
      for zone in ["ann%2Fprivate", "other", "..", "private%2F..%2F..%2Fann"] {
        let answer = try await server.send("POST", "/v1/zones/\(zone)/push", token: bob, body: push)
        #expect(answer.status == 404, "\(zone)")
      }
    }
  }

  @Test(
    "Numbers from the future, clocks from the future and bodies that are too big or too deep are refused with a reason")
  func refusals() async throws {
    var limits = ServerLimits()
    limits.bodySize = 100_000
    try await ServerFixture.with(limits: limits) { server in
      let ann = try await server.token("ann")
      func push(_ request: PushRequest) async throws -> SyncFailure? {
        let body = try SyncWire.encode(request)
        return try await server.send("POST", "/v1/zones/private/push", token: ann, body: body).failure
      }
      #expect(try await push(PushRequest(base: 7, transactions: [transaction()]))?.code == .unknownSequence)
      #expect(try await push(PushRequest(base: -1, transactions: [transaction()]))?.code == .unknownSequence)
      let future = Int64(Date().timeIntervalSince1970 * 1000) + 3_600_000
      let refused = try await push(PushRequest(base: 0, transactions: [transaction(milliseconds: future)]))
      #expect(refused?.code == .clockAhead)
      let now = future - 3_600_000
      #expect(refused?.time?.value(in: now - 60_000...now + 60_000) != nil)
      let big = Data(repeating: UInt8(ascii: " "), count: 200_000)
      #expect(try await server.send("POST", "/v1/zones/private/push", token: ann, body: big).status == 413)
      let deep = Data(String(repeating: "[", count: 50_000).utf8)
      #expect(try await server.send("POST", "/v1/zones/private/push", token: ann, body: deep).failure?.code == .invalid)
      let answer = try await server.send("GET", "/v1/zones/private/changes?after=9", token: ann)
      #expect(answer.failure?.code == .unknownSequence)
      #expect(try await server.send("GET", "/health").status == 200)
    }
  }

  @Test("A flood by one account is slowed down, and another account is served")
  func flood() async throws {
    var limits = ServerLimits()
    (limits.burst, limits.requestsPerSecond) = (5, 0.0001)
    try await ServerFixture.with(limits: limits) { server in
      let (ann, bob) = (try await server.token("ann"), try await server.token("bob"))
      let path = "/v1/zones/private/changes?after=0"
      var statuses: [Int] = []
      for _ in 0..<8 { statuses.append(try await server.send("GET", path, token: ann).status) }
      #expect(statuses == [200, 200, 200, 200, 200, 429, 429, 429])
      #expect(try await server.send("GET", path, token: bob).status == 200)
    }
  }

  @Test("A zone that is full refuses a push whole, and says so")
  func quota() async throws {
    var limits = ServerLimits()
    limits.zoneSize = 200
    try await ServerFixture.with(limits: limits) { server in
      let ann = try await server.token("ann")
      let body = try SyncWire.encode(PushRequest(base: 0, transactions: (0..<5).map { _ in transaction() }))
      let answer = try await server.send("POST", "/v1/zones/private/push", token: ann, body: body)
      #expect(answer.status == 507 && answer.failure?.code == .quotaExceeded)
      let changes = try await server.send("GET", "/v1/zones/private/changes?after=0", token: ann)
      #expect(try SyncWire.decode(ChangesResponse.self, from: changes.body).latest == 0)
    }
  }

  @Test("Random bytes and mutated requests never stop the server")
  func fuzz() async throws {
    try await ServerFixture.with { server in
      let ann = try await server.token("ann")
      let valid = try SyncWire.encode(PushRequest(base: 0, transactions: [transaction()]))
      for round in 0..<150 {
        var body = valid
        for _ in 0...(round % 7) { body[Int.random(in: 0..<body.count)] = UInt8.random(in: 0...255) }
        let path = [
          "/v1/zones/private/push", "/v1/wait", "/v1/zones/%00/push", "/v1/zones/private/assets/x?offset=0&total=1",
        ][
          round % 4]
        let answer = try await server.send(round % 4 == 3 ? "PUT" : "POST", path, token: ann, body: body)
        #expect(answer.status < 500 || answer.failure != nil, "\(answer)")
      }
      #expect(try await server.send("GET", "/health").status == 200)
    }
  }

  @Test("A transaction that names an asset which is not there is refused, and damaged bytes are not kept")
  func assets() async throws {
    try await ServerFixture.with { server in
      let ann = try await server.token("ann")
      let name = String(repeating: "0", count: 64)
      var transaction = transaction()
      transaction.changes[0].fields["data"] = FieldWrite(.asset(sha256: name, size: 3), .zero, over: nil)
      let body = try SyncWire.encode(PushRequest(base: 0, transactions: [transaction]))
      let push = try await server.send("POST", "/v1/zones/private/push", token: ann, body: body)
      #expect(push.failure?.code == .missingAsset)
      let put = try await server.send(
        "PUT", "/v1/zones/private/assets/\(name)?offset=0&total=3", token: ann, body: Data("abc".utf8))
      #expect(put.failure?.code == .invalid)
      let state = try await server.send("GET", "/v1/zones/private/assets/\(name)?state=1", token: ann)
      #expect(try SyncWire.decode(AssetState.self, from: state.body).size == 0)
    }
  }

  @Test("The metrics count requests by route and status")
  func metrics() async throws {
    try await ServerFixture.with { server in
      _ = try await server.send("GET", "/v1/zones/private/changes?after=0", token: try await server.token("ann"))
      let text = String(decoding: try await server.send("GET", "/metrics").body, as: UTF8.self)
      #expect(text.contains("sync_requests_total{route=\"changes\",status=\"200\"} 1"))
    }
  }
}
