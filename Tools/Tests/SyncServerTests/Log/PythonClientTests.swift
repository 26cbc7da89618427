import BlockingTests
import ChildProcesses
import Foundation
import SyncProtocol
import Testing
import UntrustedInput

@testable import SyncServer

/// `client.py` was written from Documentation/sync-protocol.md. It and a client in Swift read and change the same objects.
@Suite("A client in Python", .blocking, .timeLimit(.minutes(20))) struct PythonClientTests {
  /// The program with its state, for one account.
  private struct Python {
    let fixture: ServerFixture
    let token: String
    let state: String

    /// Runs a command.
    /// - Parameter isRefused: whether the server refuses what the command changes.
    /// - Returns: the lines that it printed.
    func run(_ arguments: String..., isRefused: Bool = false) throws -> [String] {
      let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("client.py").path
      let process = try ChildProcess("python3", [script, fixture.url.absoluteString, token, state] + arguments)
      let text = process.text()
      #expect(process.wait() == .exit(isRefused ? 1 : 0), "\(arguments)")
      return text.split(separator: "\n").map(String.init)
    }
  }

  @Test("reads, creates, changes and deletes objects next to a client in Swift")
  func objects() async throws {
    try await ServerFixture.with(limits: LogFixture.limits) { fixture in
      let folder = try TestFolder()
      let token = try await fixture.token("ann")
      let python = Python(fixture: fixture, token: token, state: folder.path("ann.json"))
      var swift = LogClient(HTTPLogServer(fixture: fixture, token: token))
      let zone = ZoneName.ann
      try await swift.pull()

      // Python makes objects.
      let title = "caf\u{E9} \"quoted\""
      let list = try #require(try python.run("create", zone.text, "List", #"title="one""#).first)
      let item = try #require(
        try python.run(
          "create", zone.text, "Item", #"title="caf\u00e9 \"quoted\"""#, "count=-300", "price=2.5", "done=true",
          "note=null", "list=@\(list)"
        ).first)
      _ = try python.run("add", zone.text, list, "favorites", item)
      try await swift.pull()
      let record = try #require(swift.states[zone][RecordName(item)])
      #expect(record.isHere(zone) && record.born?.value == "Item" && RecordName(item).isUUID)
      #expect(
        record.fields.mapValues(\.value) == [
          "title": .text(ExactText(title)), "count": .integer(-300), "price": .real(2.5), "done": .integer(1),
          "note": .null, "list": .reference(Reference(RecordName(list))),
        ])
      let edge = try #require(swift.states[zone][RecordName(list)]?.edges["favorites"]?[RecordName(item)])
      #expect(edge.isPresent && edge.place?.value.key == "8")

      // Swift changes one of them, makes another one and takes a member out.
      let later = Registers.time((record.fields["title"]?.time.milliseconds ?? 0) + 5000)
      var removal = Registers()
      removal.edges["favorites"] = [RecordName(item): Edge(removed: edge.added)]
      let changes: [RecordName: Registers] = [
        RecordName(item): .set(["count": .integer(7), "secret": .sealed(Data([1, 2]))], at: later),
        RecordName(list): removal,
        .a: .born("Item", at: later, ["title": .text("of Swift"), "data": .data(Data([0, 255]))]),
      ]
      #expect(try await swift.push([zone: changes]) == nil)
      let seen = try python.run("list", zone.text, "Item")
      #expect(seen.count == 2 && seen.contains { $0.contains(#""count": 7"#) && $0.contains(#""price": 2.5"#) })
      #expect(seen.contains { $0.contains(#""title": "of Swift""#) && $0.contains(#""data": "AP8=""#) })
      #expect(try python.run("list", zone.text, "List") == [#"{"favorites": [], "name": "\#(list)", "title": "one"}"#])

      // Python's write is later than what it has seen, and its deletion wins.
      _ = try python.run("set", zone.text, item, "count=8")
      _ = try python.run("delete", zone.text, RecordName.a.text)
      try await swift.pull()
      #expect(swift.states[zone][RecordName(item)]?.fields["count"]?.value == .integer(8))
      #expect(swift.states[zone][.a]?.dead != nil && swift.states[zone][.a]?.fields["title"]?.value == .null)
      #expect(try python.run("list", zone.text, "Item").count == 1)
    }
  }

  @Test("reads a large share in parts, and is told what it may not write")
  func share() async throws {
    var limits = LogFixture.limits
    limits.answerSize = 2000
    try await ServerFixture.with(limits: limits) { fixture in
      let folder = try TestFolder()
      let (ann, bob) = (try await fixture.token("ann"), try await fixture.token("bob"))
      func send<Answer: Decodable>(
        _ method: String, _ path: String, _ token: String, _ message: some Encodable, _ type: Answer.Type
      ) async throws -> Answer {
        let answer = try await fixture.send(method, path, token: token, body: try SyncWire.encode(message))
        return try SyncWire.decode(type, from: answer.body)
      }
      let request = CreateShareRequest(root: .a, title: "")
      let zone = try await send("POST", "/v2/shares", ann, request, ShareInfo.self).zone
      _ = try await send(
        "POST", "/v2/shares/\(zone)/invitations", ann, InviteRequest(account: "bob", permission: .readOnly),
        InviteResponse.self)
      _ = try await send("POST", "/v2/shares/\(zone)/accept", bob, Done(), ShareInfo.self)
      var swift = LogClient(HTTPLogServer(fixture: fixture, token: ann))
      try await swift.pull()
      let share = try #require(ZoneName(text: zone))
      for number in 0..<300 {
        let registers = Registers.born("Item", ["x": .integer(Int64(number))])
        #expect(try await swift.push([share: [.numbered(number): registers]]) == nil)
      }
      let python = Python(fixture: fixture, token: bob, state: folder.path("bob.json"))
      #expect(try python.run("list", zone, "Item").count == 300)
      _ = try python.run("delete", zone, RecordName.a.text, isRefused: true)
      #expect(try python.run("list", zone, "Item").count == 300)
    }
  }
}

/// A server behind a socket.
struct HTTPLogServer: LogServer {
  let fixture: ServerFixture
  let token: String

  private func send(_ path: String, _ message: some Encodable) async throws -> Data {
    let answer = try await fixture.send("POST", path, token: token, body: try SyncWire.encode(message))
    if let failure = answer.failure, answer.status != 200 { throw failure }
    return answer.body
  }

  func pull(_ request: SyncLog.PullRequest, account: String) async throws -> Data {
    try await send("/v2/log/pull", request)
  }

  func answer(_ request: SyncLog.PushRequest, account: String) async throws -> SyncLog.PushResponse {
    try SyncWire.decode(SyncLog.PushResponse.self, from: try await send("/v2/log/push", request))
  }
}

extension ServerFixture {
  /// A client of an account that has no models, and all that the server has.
  func logClient(_ account: String) async throws -> LogClient {
    var client = LogClient(HTTPLogServer(fixture: self, token: try await token(account)), account)
    try await client.pull()
    return client
  }
}
