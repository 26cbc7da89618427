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
    var url: URL
    let token: String
    let state: String

    init(_ fixture: ServerFixture, _ account: String, in folder: TestFolder) async throws {
      url = fixture.url
      token = try await fixture.token(account)
      state = folder.path(account + ".json")
    }

    /// The client without a network.
    var offline: Python {
      var python = self
      // The port that discards what it gets.
      python.url = URL(string: "http://127.0.0.1:9")!
      return python
    }

    /// The client on another server.
    func on(_ fixture: ServerFixture) -> Python {
      var python = self
      python.url = fixture.url
      return python
    }

    /// Runs a command.
    /// - Parameter fails: whether the client or the server refuses what the command changes, or there is no network.
    /// - Returns: the lines that it printed.
    @discardableResult func run(_ arguments: String..., fails: Bool = false) throws -> [String] {
      let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("client.py").path
      let process = try ChildProcess("python3", [script, url.absoluteString, token, state] + arguments)
      let text = process.text()
      #expect(process.wait() == .exit(fails ? 1 : 0), "\(arguments)")
      return text.split(separator: "\n").map(String.init)
    }
  }

  @Test("reads, creates, changes and deletes objects next to a client in Swift")
  func objects() async throws {
    try await ServerFixture.with(limits: LogFixture.limits) { fixture in
      let folder = try TestFolder()
      let python = try await Python(fixture, "ann", in: folder)
      var swift = try await fixture.logClient("ann")
      let zone = ZoneName.ann

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
      let share = try await fixture.share(with: ["bob": false])
      let swift = try await fixture.logClient("ann")
      for number in 0..<300 {
        let registers = Registers.born("Item", ["x": .integer(Int64(number))])
        #expect(try await swift.push([share: [.numbered(number): registers]]) == nil)
      }
      let python = try await Python(fixture, "bob", in: folder)
      #expect(try python.run("list", share.text, "Item").count == 300)
      try python.run("delete", share.text, RecordName.a.text, fails: true)
      #expect(try python.run("list", share.text, "Item").count == 300)
    }
  }

  @Test("sends an unsent change to the zone that its record moved to, and never into a private record of that name")
  func moves() async throws {
    try await ServerFixture.with(limits: LogFixture.limits) { fixture in
      let folder = try TestFolder()
      let share = try await fixture.share(.d, with: ["bob": true])
      var (ann, bob) = (try await fixture.logClient("ann"), try await fixture.logClient("bob"))
      let values: [RecordName: Registers] = [
        .a: .born("Item", ["x": .integer(1)]), .b: .born("Item", ["x": .integer(1)]),
      ]
      #expect(try await ann.push([share: values]) == nil)
      #expect(try await ann.push([.ann: [.b: .born("Item", ["x": .integer(7)])]]) == nil)
      let python = try await Python(fixture, "ann", in: folder)
      #expect(try python.run("list", share.text, "Item").count == 2)
      for name in [RecordName.a, .b] {
        try python.offline.run("set", share.text, name.text, "x=2", "next=@\(RecordName.c.text)", fails: true)
      }
      // Another device takes one record out of the share. Bob moves the other one, which has the name of a private record.
      try await ann.pull()
      let moved = try #require(values[.a]).joining(.home(.ann))
      #expect(try await ann.push([share: [.a: .home(.ann)], .ann: [.a: moved]]) == nil)
      try await bob.pull()
      #expect(try await bob.push([share: [.b: .home(.ann)]]) == nil)
      // It says that it dropped the second change.
      try python.run("list", share.text, "Item", fails: true)
      try python.run("list", share.text, "Item")
      try await ann.pull()
      let record = try #require(ann.states[.ann][.a])
      #expect(record.isHere(.ann) && record.fields["x"]?.value == .integer(2))
      #expect(record.fields["next"]?.value == .reference(Reference(.c, hint: share)))
      #expect(ann.states[share][.a]?.fields["x"]?.value == .integer(1))
      #expect(ann.states[.ann][.b]?.fields["x"]?.value == .integer(7))
      #expect(ann.states[share][.b]?.fields["x"]?.value == .integer(1))
    }
  }

  @Test("gives a restored server what it lost, with the objects of a share that was made after the backup")
  func restored() async throws {
    let folder = try TestFolder()
    let (store, backup) = (folder.path("a.store"), folder.path("b.store"))
    let own = ZoneName.ann.text
    let (python, names) = try await ServerFixture.withProcesses(1, store: store) { fixtures, _ in
      let python = try await Python(fixtures[0], "ann", in: folder)
      let names = try ["note", "gone", "shared"].map { try python.run("create", own, "Note", "title=\"\($0)\"")[0] }
      return (python, names.map { RecordName($0) })
    }
    let (note, gone, shared) = (names[0], names[1], names[2])
    for suffix in ["", "-wal"] where FileManager.default.fileExists(atPath: store + suffix) {
      try FileManager.default.copyItem(atPath: store + suffix, toPath: backup + suffix)
    }
    let share = try await ServerFixture.withProcesses(1, store: store) { fixtures, _ in
      let python = python.on(fixtures[0])
      try python.run("set", own, note.text, "count=2")
      try python.run("delete", own, gone.text)
      try python.run("create", own, "Note", #"title="late""#)
      let share = try await fixtures[0].share(shared, with: ["bob": true])
      var ann = try await fixtures[0].logClient("ann")
      var record = try #require(ann.states[.ann][shared])
      let time = Registers.time((record.fields["title"]?.time.milliseconds ?? 0) + 1000)
      record.commit = nil
      let move = Registers.home(share, at: time)
      #expect(try await ann.push([.ann: [shared: move], share: [shared: record.joining(move)]]) == nil)
      let bob = try await fixtures[0].logClient("bob")
      let forged = Registers.born("Note", at: time, ["title": .text("forged")])
      let changes: [RecordName: Registers] = [
        shared: .set(["title": .text("of Bob")], at: time), note: forged,
        .a: .born("Note", at: time, ["title": .text("new"), "next": .reference(Reference(shared))]),
        .b: .born("Note", at: time).joining(.dead(at: time)).joining(.refer(note, at: time)),
      ]
      #expect(try await bob.push([share: changes]) == nil)
      #expect(try python.run("list", share.text, "Note").count == 3)
      try await ann.pull()
      return share
    }
    try python.offline.run("set", share.text, shared.text, "extra=5", fails: true)
    try python.offline.run("set", own, note.text, "extra=6", fails: true)
    try await ServerFixture.withProcesses(1, store: backup) { fixtures, _ in
      let python = python.on(fixtures[0])
      #expect(try await fixtures[0].logClient("ann").states[.ann].records.count == 3)
      // The log goes on beyond the client's cursor.
      let bob = try await fixtures[0].logClient("bob")
      for number in 0..<10 { #expect(try await bob.push([bob.own: [.numbered(number): .born()]]) == nil) }
      #expect(try python.run("list", own, "Note").count == 4)
      let ann = try await fixtures[0].logClient("ann")
      let records = ann.states[.ann].records
      func value(_ name: RecordName, _ property: WireName) -> RegisterValue? { records[name]?.fields[property]?.value }
      #expect(ann.list?.zones.map(\.name) == [.ann] && records.count == 6)
      // The move into the share is one into the own zone now.
      #expect(records.values.compactMap(\.home).map(\.zone) == [.ann] && records[shared]?.home?.moves == 1)
      #expect(records[gone]?.dead != nil && records.values.contains { $0.fields["title"]?.value == .text("late") })
      #expect(value(note, "title") == .text("note") && value(note, "count") == .integer(2))
      #expect(value(note, "extra") == .integer(6))
      #expect(value(shared, "title") == .text("of Bob") && value(shared, "extra") == .integer(5))
      #expect(value(.a, "title") == .text("new"))
      #expect(value(.a, "next") == .reference(Reference(shared, hint: share)))
      // A dead record of the share leads to nothing.
      #expect(records[.b]?.dead != nil && records[.b]?.fields.isEmpty == true)
      // It sends nothing a second time.
      #expect(try python.run("list", own, "Note").count == 4)
      #expect(try await fixtures[0].logClient("ann").cursor == ann.cursor)
    }
  }

  @Test("gives a server what it lost that did not notice its restore")
  func unnoticedRestore() async throws {
    var limits = LogFixture.limits
    // The zone comes in parts.
    limits.answerSize = 100
    try await ServerFixture.with(limits: limits) { fixture in
      let folder = try TestFolder()
      let python = try await Python(fixture, "ann", in: folder)
      let own = ZoneName.ann.text
      for title in ["kept", "lost", "lost, too"] { try python.run("create", own, "Note", "title=\"\(title)\"") }
      try await #require(fixture.service).store.lose(after: 1, isNoticed: false)
      #expect(try await fixture.logClient("ann").states[.ann].records.count == 1)
      try python.offline.run("create", own, "Note", #"title="unsent""#, fails: true)
      #expect(try python.run("list", own, "Note").count == 4)
      let ann = try await fixture.logClient("ann")
      #expect(ann.states[.ann].records.count == 4 && ann.epochs.count == 1)
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
  /// Shares a record of Ann's with participants that accept and may write or not.
  func share(_ root: RecordName = .a, with members: [String: Bool]) async throws -> ZoneName {
    func post<Answer: Decodable>(_ path: String, _ account: String, _ message: some Encodable) async throws -> Answer {
      let answer = try await send("POST", path, token: try await token(account), body: try SyncWire.encode(message))
      return try SyncWire.decode(Answer.self, from: answer.body)
    }
    let share: ShareInfo = try await post("/v2/shares", "ann", CreateShareRequest(root: root, title: ""))
    for (member, isWritable) in members {
      let request = InviteRequest(account: member, permission: isWritable ? .readWrite : .readOnly)
      let _: InviteResponse = try await post("/v2/shares/\(share.zone)/invitations", "ann", request)
      let _: ShareInfo = try await post("/v2/shares/\(share.zone)/accept", member, Done())
    }
    return try #require(ZoneName(text: share.zone))
  }

  /// A client of an account that has no models, and all that the server has.
  func logClient(_ account: String) async throws -> LogClient {
    var client = LogClient(HTTPLogServer(fixture: self, token: try await token(account)), account)
    try await client.pull()
    return client
  }
}
