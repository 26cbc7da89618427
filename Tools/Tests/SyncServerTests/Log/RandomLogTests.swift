import Foundation
import SyncProtocol
import Testing
import UntrustedInput

@testable import SyncServer

/// Random requests to the server and to a port of the model's server. A seed determines them.
@Suite("Random requests to the log", .timeLimit(.minutes(20))) struct RandomLogTests {
  private static let isLong = ProcessInfo.processInfo.environment["TEST_ALL"] != nil

  @Test(
    "have the answers that the model gives, and each client has the model's states at its cursor",
    arguments: TestStore.available)
  func model(_ kind: TestStore) async throws {
    var counts: [String: Int] = [:]
    let one = ProcessInfo.processInfo.environment["LOG_SEED"].flatMap { Int($0) }
    for seed in one.map({ $0..<$0 + 1 }) ?? 0..<(Self.isLong ? 200 : kind == .sqlite ? 12 : 2) {
      var run = try await RandomRun(seed, kind)
      try await run.run(Self.isLong ? 150 : 80)
      counts.merge(run.counts) { $0 + $1 }
    }
    print("random requests to the log on \(kind): \(counts.sorted { $0.key < $1.key })")
    guard kind == .sqlite, one == nil else { return }
    for what in [
      "taken", "behind", "forbidden", "moved", "clockAhead", "missingAsset", "folded", "forgotten", "restored", "fork",
      "parts", "several zones",
    ] { #expect(counts[what] ?? 0 > 0, "no \(what)") }
  }
}

/// One run: a server, its model, and clients of three accounts.
private struct RandomRun {
  let seed: Int
  private var random: RandomRegisters
  private var fixture: LogFixture
  private var store: ZoneStore
  private var model = ModelServer()
  private var clients: [LogClient] = []
  /// The epochs of each client as the model numbers them.
  private var names: [UUID: Int] = [:]
  private var backup: (fixture: LogFixture, model: ModelServer)?
  private let isRestorable: Bool
  private var shares: [ZoneName] = []
  var counts: [String: Int] = [:]

  private static let accounts = ["ann", "bob", "cy"]
  private static let texts = ["one", "two"]

  init(_ seed: Int, _ kind: TestStore) async throws {
    (self.seed, random, isRestorable) = (seed, RandomRegisters(seed: seed), kind == .sqlite)
    var limits = LogFixture.limits
    limits.answerSize = random.pick([200, 2000, 1 << 18])
    // Then a pull of several zones finds the entries of a few commits.
    if seed % 2 == 1 { limits.scannedEntries = 8 }
    fixture = try LogFixture(kind, limits: limits)
    store = fixture.store
    model.now = fixture.clock.now
    try await noteStart()
    for (index, owner) in ["ann", "ann", "bob"].enumerated() {
      let zone = try await fixture.share("root\(index)", of: owner)
      shares.append(zone)
      model.shares[zone] = ModelServer.Share(owner: owner)
    }
    clients = Self.accounts.map { LogClient(store, $0) } + [LogClient(store, "ann")]
    // The last two get their own entries without parts.
    for index in clients.indices.suffix(2) { clients[index].holds = true }
  }

  /// The model notes a start of the server.
  private mutating func noteStart() async throws {
    var model = model
    try await noteStart(of: store, &model)
    self.model = model
  }

  private mutating func noteStart(of store: ZoneStore, _ model: inout ModelServer) async throws {
    let name = try #require(try await store.allEpochs().last).name
    names[name] = names.count
    model.start(names.count - 1)
  }

  mutating func run(_ steps: Int) async throws {
    for _ in 0..<steps {
      switch random.below(40) {
      case 0..<10: save(random.below(clients.count))
      case 10..<22: try await push(random.below(clients.count))
      case 22..<33: try await pull(random.below(clients.count))
      case 33: try await changeShare()
      case 34, 35: try await compact()
      case 36, 37: try await putAsset()
      case 38: try await restart()
      default: if isRestorable { try await restore() }
      }
    }
    for index in clients.indices { try await pull(index, wholly: true) }
  }

  private mutating func count(_ what: String) { counts[what, default: 0] += 1 }

  // MARK: - Steps

  private mutating func save(_ index: Int) {
    let client = clients[index]
    let readable = client.states.zones.keys.sorted()
    let zones = readable.isEmpty || random.chance(5) ? [client.own] + shares : readable
    var parts: [ZoneName: [RecordName: Registers]] = [:]
    for _ in 0...random.below(3) { parts[random.pick(zones), default: [:]][random.name()] = random.registers(zones) }
    if parts.count > 1 { count("several zones") }
    clients[index].outbox.append(SyncLog.Transaction(id: random.id(), parts: parts))
  }

  private mutating func push(_ index: Int) async throws {
    let client = clients[index]
    guard let epoch = client.epochs.last, !client.outbox.isEmpty else { return }
    let start = random.chance(80) ? 0 : random.below(client.outbox.count)
    let transactions = Array(client.outbox[start...].prefix(1 + random.below(3)))
    let request = SyncLog.PushRequest(
      cursor: client.cursor, epoch: epoch.name, before: client.outbox[..<start].map(\.id), transactions: transactions)
    let answer = try await store.push(
      try SyncWire.decode(SyncLog.PushRequest.self, from: try SyncWire.encode(request)), account: client.account
    ).response
    var (taken, refusal, before) = (0, SyncFailure.Code?.none, request.before)
    for transaction in transactions {
      refusal = model.push(
        transaction, client.account, cursor: client.cursor, epoch: names[epoch.name] ?? 0, before: before)
      guard refusal == nil else { break }
      taken += 1
      before.append(transaction.id)
    }
    #expect(answer.refusal?.code == refusal && answer.taken == Untrusted(taken), "seed \(seed)")
    if taken > 0 { count("taken") }
    guard let refusal else { return }
    count("\(refusal)")
    // What can never be taken goes.
    if [.clockAhead, .missingAsset, .forbidden].contains(refusal) { clients[index].outbox.remove(at: start + taken) }
    if [.behind, .moved].contains(refusal), random.chance(70) { try await pull(index, wholly: true) }
  }

  private mutating func pull(_ index: Int, wholly: Bool = false) async throws {
    var answers = wholly ? Int.max : 1 + random.below(4)
    repeat {
      let before = clients[index]
      let answer = try await clients[index].pullOnce()
      let client = clients[index]
      if answer.epochs != nil {
        #expect(client.fork == fork(of: before), "seed \(seed)")
        if client.fork != nil { count("fork") }
        continue
      }
      if answer.loads.contains(where: { $0.position != nil }) { count("parts") }
      for zone in client.known where client.cursor >= model.folded(zone) {
        #expect(client.states[zone] == model.state(zone, at: client.cursor), "seed \(seed), \(zone)")
      }
      let zones = Dictionary(uniqueKeysWithValues: (client.list?.zones ?? []).map { ($0.name, $0.isWritable) })
      #expect(zones == model.zones(client.account), "seed \(seed)")
      let taken = before.outbox.filter { model.isTaken($0.id, client.account, at: client.cursor) }.map(\.id)
      #expect(answer.taken == taken && answer.latest == model.commit, "seed \(seed)")
      if wholly, answer.latest == client.cursor, client.isComplete { return }
      answers -= 1
    } while answers > 0
  }

  /// What the model says of the commits that a server lost.
  private func fork(of client: LogClient) -> Int64? {
    let known = client.epochs.map { names[$0.name] }
    let common = zip(known, model.epochs).prefix { $0 == $1.name }.count
    let fork = common < model.epochs.count ? model.epochs[common].start : model.commit
    return client.cursor > fork ? fork : nil
  }

  private mutating func changeShare() async throws {
    let zone = random.pick(shares)
    guard let owner = model.shares[zone]?.owner else { return }
    let account = random.pick(Self.accounts)
    guard account != owner else { return }
    if model.shares[zone]?.members[account] == nil || random.chance(50) {
      let isWritable = random.chance(60)
      _ = try await store.invite(
        InviteRequest(account: account, permission: isWritable ? .readWrite : .readOnly), to: zone.text, account: owner)
      _ = try await store.accept(zone: zone.text, account: account)
      model.shares[zone]?.members[account] = isWritable
    } else {
      try await store.removeParticipant(account, from: zone.text, account: owner)
      model.shares[zone]?.members[account] = nil
    }
  }

  private mutating func compact() async throws {
    let zone = random.pick(shares + Self.accounts.map { .account(ExactText($0)) })
    let done = try await store.compactLog(zone.text)
    let before = model.folded(zone)
    let forgotten = model.compact(zone)
    #expect(done.forgotten == forgotten && (done.folded ?? before) == model.folded(zone), "seed \(seed)")
    let stored = try await fixture.stored(zone)
    #expect(!stored.hasLeftovers && stored.size == stored.measured && stored.entries <= 1, "seed \(seed)")
    if done.folded != nil { count("folded") }
    if forgotten > 0 { count("forgotten") }
  }

  private mutating func putAsset() async throws {
    let index = random.below(Self.accounts.count)
    let (zone, text) = (clients[index].own, random.pick(Self.texts))
    let name = ServerFixture.sha256(text)
    _ = try await store.putAsset(
      name, offset: 0, total: Untrusted(Int64(text.utf8.count)), Data(text.utf8), account: clients[index].account,
      zone: zone.text)
    model.upload(name, to: zone)
  }

  private mutating func restart() async throws {
    store = try fixture.another()
    try await noteStart()
    connect()
  }

  private mutating func restore() async throws {
    if let backup, random.chance(60) {
      // Shares are not part of what this test restores.
      count("restored")
      (fixture, model) = (try backup.fixture.copy(), backup.model)
      store = fixture.store
      try await noteStart()
      connect()
    } else {
      let copy = try fixture.copy()
      var model = model
      try await noteStart(of: copy.store, &model)
      backup = (copy, model)
    }
  }

  private mutating func connect() { for index in clients.indices { clients[index].store = store } }
}

extension ZoneStore {
  fileprivate func allEpochs() throws -> [SyncLog.Epoch] { try epochs(.init(container)) }
}
