import ChildProcesses
import Foundation
import SwiftDataSync
import SyncProtocol
import Testing
import UntrustedInput

@testable import SyncServer

/// Requests to the log as any program could send them, over a socket.
@Suite("The log over HTTP", .timeLimit(.minutes(20))) struct LogOverHTTPTests {
  private typealias Parts = [ZoneName: [RecordName: Registers]]

  /// Sends a message, and reads the answer.
  private static func send<Answer: Decodable>(
    _ server: ServerFixture, _ method: String, _ path: String, as account: String, _ message: some Encodable,
    _ type: Answer.Type
  ) async throws -> Answer {
    let answer = try await server.send(
      method, path, token: try await server.token(account), body: try SyncWire.encode(message))
    try #require(answer.status == 200, "\(answer.failure?.message ?? "")")
    return try SyncWire.decode(type, from: answer.body)
  }

  private static func push(_ client: LogClient, _ parts: Parts) throws -> Data {
    try SyncWire.encode(
      SyncLog.PushRequest(
        cursor: client.cursor, epoch: try #require(client.epochs.last).name,
        transactions: [SyncLog.Transaction(id: UUID(), parts: parts)]))
  }

  // MARK: - Wrong persons

  @Test(
    "An account writes to no zone of another account, to no share that it may only read, and to none that it lost",
    arguments: TestStore.available)
  func wrongPersons(_ store: TestStore) async throws {
    try await store.with { server in
      let share = try await server.share(with: ["bob": false, "cat": true, "eve": true])
      var ann = try await server.logClient("ann")
      let (bob, cat) = (try await server.logClient("bob"), try await server.logClient("cat"))
      let (eve, mal) = (try await server.logClient("eve"), try await server.logClient("mal"))
      #expect(try await ann.push([ann.own: [.a: .born()], share: [.a: .born()]]) == nil)
      #expect(try await cat.push([share: [.b: .born()], cat.own: [.b: .born()]]) == nil)
      let path = "/v2/shares/\(share.text)/participants/eve"
      #expect(try await server.send("DELETE", path, token: try await server.token("ann")).status == 200)
      for client in [bob, eve, mal] {
        #expect(try await client.push([share: [.a: .dead()]]) == .forbidden)
        #expect(try await client.push([ann.own: [.a: .dead()]]) == .forbidden)
        // A zone of its own does not help, and gets nothing.
        #expect(try await client.push([client.own: [.c: .born()], share: [.a: .dead()]]) == .forbidden)
      }
      // A zone with the name of another account's, or no name of a zone.
      for zone in ["private", "account-", "share-", "ann/private", "..", "share-../account-ann"] {
        #expect(try await mal.push([.share(ExactText(zone)): [.a: .dead()]]) == .forbidden, "\(zone)")
      }
      for var client in [bob, cat, eve, mal] {
        try await client.pull()
        #expect(client.states.zones[ann.own] == nil)
        #expect((client.states.zones[share] != nil) == ["bob", "cat"].contains(client.account))
        #expect(client.states[client.own].records[.c] == nil)
      }
      try await ann.pull()
      #expect(ann.states[share].records.keys.sorted() == [.a, .b] && ann.states[share][.a]?.dead == nil)
      #expect(ann.states.zones[cat.own] == nil)
    }
  }

  @Test("A forged time, epoch, cursor, identity or name is refused, and changes nothing")
  func forgeries() async throws {
    try await ServerFixture.with { server in
      let ann = try await server.logClient("ann")
      let mal = try await server.logClient("mal")
      let first = SyncLog.Transaction(id: UUID(), parts: [ann.own: [.a: .born()]])
      #expect(try await ann.push([first]) == nil)
      let late = Registers.time(Int64(Date().timeIntervalSince1970 * 1000) + 3_600_000, .max)
      #expect(try await ann.push([ann.own: [.a: .dead(at: late)]]) == .clockAhead)
      #expect(try await ann.push([ann.own: [.a: .home(.ann, at: late)]]) == .clockAhead)
      #expect(try await ann.push([ann.own: [.a: .dead()]], cursor: 100) == .behind)
      #expect(try await ann.push([ann.own: [.a: .dead()]], cursor: -1) == .behind)
      let other = SyncLog.PushRequest(
        cursor: 0, epoch: UUID(), transactions: [SyncLog.Transaction(id: UUID(), parts: [ann.own: [.a: .dead()]])])
      #expect(try await ann.store.answer(other, account: ann.account).refusal?.code == .behind)
      #expect(try await ann.push([ann.own: [RecordName("\0"): .born()]]) == .invalid)
      // The identity of another account's transaction tells nothing, and does not keep a transaction from being taken.
      var asker = mal
      asker.outbox = [first]
      let answer = try await asker.pullOnce()
      #expect(answer.taken.isEmpty)
      #expect(try await mal.push([SyncLog.Transaction(id: first.id, parts: [mal.own: [.a: .born()]])]) == nil)
      // What a token does not say does not count.
      let headers = ["Authorization": "Bearer \(try await server.token("mal"))", SyncWire.accountHeader: ann.account]
      let request = SyncRequest(
        method: "POST", path: "/v2/log/push", headers: headers, body: try Self.push(ann, [ann.own: [.a: .dead()]]),
        timeout: .seconds(300))
      #expect(try await HTTPTransport(url: server.url).send(request).status == 401)
      var reader = try await server.logClient("ann")
      try await reader.pull()
      #expect(reader.states[ann.own].records.count == 1 && reader.states[ann.own][.a]?.dead == nil)
    }
  }

  @Test("A request without a token, with a forged, an expired or a foreign one, or of another version is refused")
  func tokens() async throws {
    try await ServerFixture.with { server in
      let body = try SyncWire.encode(SyncLog.PullRequest(cursor: 0, epoch: nil, known: []))
      let foreign = try await TokenKeys([("test", "ffffffffffffffffffffffffffffffff")]).token(for: "ann", seconds: 600)
      let expired = try await server.keys.token(for: "ann", seconds: -10)
      let own = try await server.token("ann")
      for token in [nil, "nonsense", foreign, expired, String(own.dropLast(4) + "AAAA")] {
        for route in ["pull", "push", "wait"] {
          let answer = try await server.send("POST", "/v2/log/\(route)", token: token, body: body)
          #expect(answer.status == 401 && answer.failure?.code == .unauthorized)
        }
      }
      for (version, status) in [("1", 400), ("2", 200), ("3", 400)] {
        let request = SyncRequest(
          method: "POST", path: "/v2/log/pull",
          headers: ["Authorization": "Bearer \(own)", SyncWire.versionHeader: version], body: body,
          timeout: .seconds(300))
        #expect(try await HTTPTransport(url: server.url).send(request).status == status, "\(version)")
      }
    }
  }

  // MARK: - Limits

  @Test("A request that is too large, too deep or has too many transactions is refused with a reason")
  func sizes() async throws {
    var limits = ServerLimits()
    (limits.bodySize, limits.transactions, limits.changes, limits.zoneSize) = (100_000, 10, 20, 20_000)
    try await ServerFixture.with(limits: limits) { server in
      let ann = try await server.logClient("ann")
      let token = try await server.token("ann")
      func refusal(_ body: Data, _ route: String = "push") async throws -> (Int, SyncFailure.Code?) {
        let answer = try await server.send("POST", "/v2/log/\(route)", token: token, body: body)
        return (answer.status, answer.failure?.code)
      }
      let data: RegisterValue = .data(Data(count: 150_000))
      #expect(try await refusal(try Self.push(ann, [ann.own: [.a: .set(["x": data])]])) == (413, .tooLarge))
      for route in ["push", "pull", "wait"] {
        #expect(try await refusal(Data(repeating: UInt8(ascii: " "), count: 200_000), route) == (413, .tooLarge))
        #expect(try await refusal(Data(String(repeating: "[", count: 50_000).utf8), route) == (400, .invalid))
        #expect(try await refusal(Data("{}".utf8), route) == (400, .invalid))
      }
      let empty = (0..<11).map { _ in SyncLog.Transaction(id: UUID(), parts: [:]) }
      let push = SyncLog.PushRequest(cursor: 0, epoch: try #require(ann.epochs.last).name, transactions: empty)
      #expect(try await refusal(try SyncWire.encode(push)) == (413, .tooLarge))
      let pull = SyncLog.PullRequest(cursor: 0, epoch: push.epoch, known: [], unsent: empty.map(\.id))
      #expect(try await refusal(try SyncWire.encode(pull), "pull") == (413, .tooLarge))
      // What concerns one transaction is in the answer, so that the client learns which one.
      let many = Dictionary(uniqueKeysWithValues: (0..<21).map { (RecordName.numbered($0), Registers.dead()) })
      #expect(try await ann.push([ann.own: many]) == .tooLarge)
      #expect(try await ann.push([ann.own: [.a: .set(["x": .data(Data(count: 30_000))])]]) == .quotaExceeded)
      #expect(try await ann.push([ann.own: [.a: .born()]]) == nil)
    }
  }

  @Test("A flood by one account is slowed down, and another account is served")
  func flood() async throws {
    var limits = ServerLimits()
    (limits.burst, limits.requestsPerSecond) = (5, 0.0001)
    try await ServerFixture.with(limits: limits) { server in
      let (ann, bob) = (try await server.token("ann"), try await server.token("bob"))
      let body = try SyncWire.encode(SyncLog.PullRequest(cursor: 0, epoch: nil, known: []))
      var statuses: [Int] = []
      for _ in 0..<8 {
        let answer = try await server.send("POST", "/v2/log/pull", token: ann, body: body)
        statuses.append(answer.status)
        if let failure = answer.failure {
          #expect(failure.code == .rateLimited && failure.retryAfter?.clamped(to: 0...1e9) ?? 0 > 0)
        }
      }
      #expect(statuses == [200, 200, 200, 200, 200, 429, 429, 429])
      #expect(try await server.send("POST", "/v2/log/pull", token: bob, body: body).status == 200)
    }
  }

  // MARK: - Waiting and stopping

  private static func wait(_ server: ServerFixture, _ client: LogClient, _ account: String) async throws -> Bool {
    let request = SyncLog.WaitRequest(
      cursor: client.cursor, epoch: try #require(client.epochs.last).name,
      version: try #require(client.list).version, seconds: 60)
    return try await send(server, "POST", "/v2/log/wait", as: account, request, SyncLog.WaitResponse.self).isChanged
  }

  @Test("An account has a largest number of requests that wait, and a push ends them")
  func waits() async throws {
    var limits = ServerLimits()
    (limits.waiting, limits.burst, limits.requestsPerSecond) = (3, 1e9, 1e9)
    try await ServerFixture.with(limits: limits) { server in
      let ann = try await server.logClient("ann")
      let bob = try await server.logClient("bob")
      try await withThrowingTaskGroup(of: Bool.self) { group in
        for _ in 0..<3 { group.addTask { try await Self.wait(server, ann, "ann") } }
        let watch = try await #require(server.service).watch
        while await watch.count < 3 { try await Task.sleep(for: .milliseconds(10)) }
        // A wait without seconds ends at once unless three others wait.
        let request = SyncLog.WaitRequest(
          cursor: ann.cursor, epoch: try #require(ann.epochs.last).name, version: try #require(ann.list).version,
          seconds: 0)
        let path = "/v2/log/wait"
        #expect(
          try await server.send(
            "POST", path, token: try await server.token("ann"), body: try SyncWire.encode(request)
          ).status == 429)
        #expect(
          try await server.send(
            "POST", path, token: try await server.token("bob"), body: try SyncWire.encode(request)
          ).status == 200)
        #expect(try await bob.push([bob.own: [.a: .born()]]) == nil)
        #expect(try await ann.push([ann.own: [.a: .born()]]) == nil)
        for try await isChanged in group { #expect(isChanged) }
      }
    }
  }

  @Test("A server that is told to stop answers the requests that wait, and ends", arguments: [SIGTERM, SIGINT])
  func stop(_ signal: Int32) async throws {
    let folder = try TestFolder()
    let place = folder.path("server.store")
    let account = try await ServerFixture.withProcesses(1, store: place) { servers, processes in
      var ann = try await servers[0].logClient("ann")
      #expect(try await ann.push([ann.own: [.a: .born()]]) == nil)
      try await ann.pull()
      let waiting = Task { [ann] in try await Self.wait(servers[0], ann, "ann") }
      func metrics() async throws -> String {
        String(decoding: try await servers[0].send("GET", "/metrics").body, as: UTF8.self)
      }
      while try await !metrics().contains("sync_waiting 1") { try Task.checkCancellation() }
      processes[0].signal(signal)
      #expect(try await !waiting.value)
      await processes[0].waitForExit()
      #expect(processes[0].ending == .exit(0))
      return ann.account
    }
    // What it acknowledged is there.
    try await ServerFixture.withProcesses(1, store: place) { servers, _ in
      let token = try await servers[0].keys.token(for: account, seconds: 60)
      var ann = LogClient(HTTPLogServer(fixture: servers[0], token: token), account)
      try await ann.pull()
      #expect(ann.epochs.count == 2 && ann.states[ann.own].records.count == 1)
    }
  }

  @Test("The metrics count requests by route and status")
  func metrics() async throws {
    try await ServerFixture.with { server in
      let ann = try await server.logClient("ann")
      #expect(try await ann.push([ann.own: [.a: .born()]]) == nil)
      let bad = try await server.send("POST", "/v2/log/push", token: try await server.token("ann"), body: Data())
      #expect(bad.status == 400)
      let text = String(decoding: try await server.send("GET", "/metrics").body, as: UTF8.self)
      for line in [
        "sync_requests_total{route=\"push\",status=\"200\"} 1", "sync_requests_total{route=\"push\",status=\"400\"} 1",
        "sync_requests_total{route=\"pull\",status=\"200\"} 2",
      ] { #expect(text.contains(line), "\(text)") }
    }
  }

  // MARK: - Assets

  @Test("A large value comes in chunks, and only those read it who may read its zone")
  func assets() async throws {
    var limits = ServerLimits()
    limits.assetSize = 1 << 20
    try await ServerFixture.with(limits: limits) { [limits] server in
      let share = try await server.share(with: ["bob": false])
      var ann = try await server.logClient("ann")
      let bob = try await server.token("bob")
      let bytes = Data((0..<600_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
      let name = ServerFixture.sha256(of: bytes)
      let path = "/v2/zones/\(share.text)/assets/\(name)"
      let registers = Registers.born("Note", ["x": .asset(sha256: ExactText(name), size: bytes.count)])
      #expect(try await ann.push([share: [.a: registers]]) == .missingAsset)
      let token = try await server.token("ann")
      var offset = 0
      while offset < bytes.count {
        let chunk = bytes[offset..<min(offset + SyncWire.chunkSize, bytes.count)]
        let put = "\(path)?offset=\(offset)&total=\(bytes.count)"
        #expect(try await server.send("PUT", put, token: bob, body: Data(chunk)).status == 403)
        let answer = try await server.send("PUT", put, token: token, body: Data(chunk))
        let state = try SyncWire.decode(AssetState.self, from: answer.body)
        offset += chunk.count
        #expect(state.size == Untrusted(Int64(offset)) && state.isComplete == (offset == bytes.count))
        if offset < bytes.count { #expect(try await ann.push([share: [.a: registers]]) == .missingAsset) }
      }
      #expect(try await ann.push([share: [.a: registers]]) == nil)
      var read = Data()
      while read.count < bytes.count {
        read += try await server.send("GET", "\(path)?offset=\(read.count)", token: bob).body
      }
      #expect(read == bytes)
      let mal = try await server.token("mal")
      #expect(try await server.send("GET", "\(path)?offset=0", token: mal).status == 404)
      #expect(
        try await server.send("GET", "/v2/zones/\(ann.own.text)/assets/\(name)?offset=0", token: token).status == 400)
      let large = "\(path)?offset=0&total=\(limits.assetSize + 1)"
      #expect(try await server.send("PUT", large, token: token, body: Data(count: SyncWire.chunkSize)).status == 413)
      // Damaged bytes are not kept.
      let damaged = "/v2/zones/\(share.text)/assets/\(ServerFixture.sha256("other"))?offset=0&total=3"
      #expect(try await server.send("PUT", damaged, token: token, body: Data("abc".utf8)).failure?.code == .invalid)
      try await ann.pull()
    }
  }

  // MARK: - Several processes

  @Test(
    "Two server processes on one database serve one log: pushes, lists of zones and waits",
    arguments: TestStore.available)
  func processes(_ store: TestStore) async throws {
    let folder = try TestFolder()
    try await ServerFixture.withProcesses(2, store: try folder.place(for: store)) { servers, _ in
      let share = try await servers[0].share(with: ["bob": true])
      let (ann, bob) = (try await servers[0].logClient("ann"), try await servers[1].logClient("bob"))
      #expect(bob.writable == [bob.own, share])
      // A push to one process ends the wait at the other one.
      async let isChanged = Self.wait(servers[1], bob, "bob")
      #expect(try await ann.push([share: [.a: .born()], ann.own: [.a: .born()]]) == nil)
      #expect(try await isChanged)
      let done = try await withThrowingTaskGroup(of: LogClient.self) { group in
        for (index, start) in [ann, bob].enumerated() {
          group.addTask {
            var client = start
            for number in 0..<20 {
              let parts: Parts = [
                share: [.numbered(100 + 2 * number + index): .born()], client.own: [.numbered(number): .born()],
              ]
              client.outbox.append(SyncLog.Transaction(id: UUID(), parts: parts))
              #expect(try await client.push() == nil)
              if number % 5 == 4 { try await client.pull() }
            }
            return client
          }
        }
        return try await group.reduce(into: []) { $0.append($1) }
      }
      var states: [SyncProtocol.ZoneState] = []
      for var client in done {
        try await client.pull()
        #expect(client.outbox.isEmpty)
        states.append(client.states[share])
      }
      #expect(states[0] == states[1] && states[0].records.count == 41)
      // A process learns at once what another one revoked.
      let path = "/v2/shares/\(share.text)/participants/bob"
      #expect(try await servers[0].send("DELETE", path, token: try await servers[0].token("ann")).status == 200)
      #expect(try await bob.push([share: [.b: .born()]]) == .forbidden)
      var last = bob
      try await last.pull()
      #expect(last.states.zones[share] == nil)
    }
  }
}
