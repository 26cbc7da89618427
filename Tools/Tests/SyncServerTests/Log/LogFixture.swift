import Foundation
import SwiftData
import SyncProtocol
import Testing
import UntrustedInput

@testable import SyncServer

/// A store of zones with a clock.
struct LogFixture {
  let store: ZoneStore
  let clock: TestClock
  private let limits: ServerLimits
  private let place: String
  /// On PostgreSQL a fixture has tables of its own: the servers of other tests would delete what they find there.
  private let namespace: String
  private let folder: TestFolder

  /// - Parameter url: a PostgreSQL server for the test alone.
  init(_ kind: TestStore = .sqlite, at url: String? = nil, limits: ServerLimits = Self.limits) throws {
    folder = try TestFolder()
    place = try url ?? (kind == .postgres ? #require(TestStore.postgresURL) : folder.path("server.store"))
    (clock, self.limits) = (TestClock(), limits)
    namespace = "log_\(UUID().uuidString.prefix(8).lowercased())"
    store = try Self.open(place, namespace, limits, clock)
  }

  private init(copyOf other: LogFixture) throws {
    (folder, clock, limits, namespace) = (try TestFolder(), other.clock, other.limits, other.namespace)
    for suffix in ["", "-wal", "-shm"] where FileManager.default.fileExists(atPath: other.place + suffix) {
      try FileManager.default.copyItem(atPath: other.place + suffix, toPath: folder.path("server.store" + suffix))
    }
    place = folder.path("server.store")
    store = try Self.open(place, namespace, limits, clock)
  }

  /// The server folds at once.
  static var limits: ServerLimits {
    var limits = ServerLimits()
    (limits.retention, limits.foldSize) = (0, 0)
    return limits
  }

  private static func open(
    _ place: String, _ namespace: String, _ limits: ServerLimits, _ clock: TestClock
  ) throws -> ZoneStore {
    let store = ZoneStore(try ZoneStore.container(at: place, namespace: namespace), limits) { clock.now }
    try store.beginEpoch()
    return store
  }

  /// The same database as another process sees it, or as the next start of the server.
  func another() throws -> ZoneStore { try Self.open(place, namespace, limits, clock) }

  /// A server on a copy of the SQLite database, as after a restore. No other request may run meanwhile.
  func copy() throws -> LogFixture { try LogFixture(copyOf: self) }

  /// Shares a record, with participants that accept and may write or not.
  func share(_ root: String = "root", of owner: String = "ann", with members: [String: Bool] = [:]) async throws
    -> ZoneName
  {
    let share = try await store.createShare(
      CreateShareRequest(root: RecordName(root), title: ""), account: owner)
    for (member, isWritable) in members {
      try await invite(member, to: share.zone, of: owner, isWritable: isWritable)
    }
    return try #require(ZoneName(text: share.zone))
  }

  func invite(_ member: String, to zone: String, of owner: String = "ann", isWritable: Bool) async throws {
    _ = try await store.invite(
      InviteRequest(account: member, permission: isWritable ? .readWrite : .readOnly), to: zone, account: owner)
    _ = try await store.accept(zone: zone, account: member)
  }

  /// Sends bytes to a zone.
  /// - Returns: the value of a field that names them.
  @discardableResult
  func put(_ text: String, to zone: ZoneName, of account: String = "ann") async throws -> RegisterValue {
    let name = ServerFixture.sha256(text)
    let state = try await store.putAsset(
      name, offset: 0, total: Untrusted(Int64(text.utf8.count)), Data(text.utf8), account: account, zone: zone.text)
    #expect(state.isComplete)
    return Self.asset(text)
  }

  static func asset(_ text: String) -> RegisterValue {
    .asset(sha256: ExactText(ServerFixture.sha256(text)), size: text.utf8.count)
  }

  func hasAsset(_ text: String, in zone: ZoneName, of account: String = "ann") async throws -> Bool {
    try await store.assetState(ServerFixture.sha256(text), account: account, zone: zone.text).isComplete
  }

  /// Compacts a zone, as the server does every hour.
  @discardableResult
  func compact(_ zone: ZoneName) async throws -> LogCompaction { try await store.compactLog(zone.text) }

  /// What the store has of a zone.
  func stored(_ zone: ZoneName) async throws -> StoredLog { try await store.stored(zone.text) }
}

/// What a store has of a zone.
struct StoredLog: Equatable, Sendable {
  var entries = 0
  var pages = 0
  var folded: Int64 = 0
  var size: Int64 = 0
  var hasLeftovers = false
  /// The bytes of entries, pages and complete assets.
  var measured: Int64 = 0
}

extension ZoneStore {
  fileprivate func stored(_ key: String) throws -> StoredLog {
    let context = ModelContext(container)
    let parts = try context.fetch(FetchDescriptor<LogPart>(predicate: #Predicate { $0.zone == key }))
    let pages = try context.fetch(FetchDescriptor<LogPage>(predicate: #Predicate { $0.zone == key }))
    let assets = try context.fetch(FetchDescriptor<ServerAsset>()).filter { $0.key.hasPrefix(key + "/") }
    var stored = StoredLog(entries: parts.count, pages: pages.count)
    stored.measured =
      parts.reduce(0) { $0 + LogPart.size(of: $1.bytes) } + pages.reduce(0) { $0 + Int64($1.bytes.count) }
      + assets.reduce(0) { $0 + $1.received }
    if let zone = try zone(key, context) {
      (stored.folded, stored.size, stored.hasLeftovers) = (zone.folded, zone.size, zone.hasLeftovers)
    }
    return stored
  }

  /// The numbers of rows that a push makes.
  func counts() throws -> [Int] {
    let context = ModelContext(container)
    return [
      try context.fetchCount(FetchDescriptor<LogPart>()), try context.fetchCount(FetchDescriptor<LogTransaction>()),
      try context.fetchCount(FetchDescriptor<ServerChunk>()), Int(try head(context).commit),
    ]
  }
}

extension ZoneName {
  static let ann = ZoneName.account("ann")
}

/// A server as a client sees it.
protocol LogServer: Sendable {
  func pull(_ request: SyncLog.PullRequest, account: String) async throws -> Data
  func answer(_ request: SyncLog.PushRequest, account: String) async throws -> SyncLog.PushResponse
}

extension ZoneStore: LogServer {
  func answer(_ request: SyncLog.PushRequest, account: String) async throws -> SyncLog.PushResponse {
    try await push(request, account: account).response
  }
}

/// A client that keeps states and has no models.
struct LogClient {
  var store: any LogServer
  let account: String
  var states = ZoneStates()
  var cursor: Int64 = 0
  var epochs: [SyncLog.Epoch] = []
  var known = Set<ZoneName>()
  var loading: [ZoneName: String] = [:]
  var list: SyncLog.ZoneList?
  var outbox: [SyncLog.Transaction] = []
  /// Whether the client takes the parts of its own entries from the outbox, and names its zones only where it has to.
  var holds = false
  private var namesZones = false
  /// The commit at which a restored server left the log; nil for no such server.
  var fork: Int64?
  /// The number of answers, and the number of zones that began again.
  var (answers, starts) = (0, 0)

  init(_ store: any LogServer, _ account: String = "ann") { (self.store, self.account) = (store, account) }

  init(_ fixture: LogFixture, _ account: String = "ann") { self.init(fixture.store, account) }

  var own: ZoneName { .account(ExactText(account)) }
  /// The zones that the account may write to, as far as the client knows.
  var writable: Set<ZoneName> { Set(list?.zones.filter(\.isWritable).map(\.name) ?? []) }
  var isComplete: Bool { loading.isEmpty && known.count == list?.zones.count }

  /// Pulls one answer and takes it in.
  mutating func pullOnce() async throws -> SyncLog.PullResponse {
    let request = SyncLog.PullRequest(
      cursor: cursor, epoch: epochs.last?.name, known: holds && isAll && !namesZones ? nil : known.sorted(),
      loading: loading,
      unsent: outbox.map(\.id), held: holds ? outbox.map(\.id) : nil, version: list?.version)
    let sent = try SyncWire.decode(SyncLog.PullRequest.self, from: try SyncWire.encode(request))
    let answer = try SyncWire.decode(
      SyncLog.PullResponse.self, from: try await store.pull(sent, account: account))
    if request.known == nil, answer.list != nil {
      #expect(answer.cursor == cursor && answer.entries.isEmpty && answer.loads.isEmpty)
      namesZones = true
      return try await pullOnce()
    }
    namesZones = false
    take(answer)
    return answer
  }

  private var isAll: Bool { list.map { known.count + loading.count == $0.zones.count } ?? false }

  private mutating func take(_ answer: SyncLog.PullResponse) {
    answers += 1
    if let epochs = answer.epochs {
      fork = SyncLog.Epoch.fork(of: self.epochs, and: epochs, latest: answer.latest, cursor: cursor)
      self.epochs = epochs
      if fork != nil { (cursor, known, loading) = (0, [], [:]) }
      return
    }
    if let list = answer.list {
      self.list = list
      let names = Set(list.zones.map(\.name))
      states.zones = states.zones.filter { names.contains($0.key) }
      known.formIntersection(names)
      loading = loading.filter { names.contains($0.key) }
    }
    for var entry in answer.entries {
      if let id = entry.id, let own = outbox.first(where: { $0.id == id }) {
        #expect(holds && entry.parts.isEmpty)
        entry.parts = own.parts.filter { known.contains($0.key) }.mapValues(ZoneStates.Entry.Part.change)
      }
      #expect(entry.commit > cursor && entry.commit <= answer.cursor && known.isSuperset(of: entry.parts.keys))
      states.reduce(entry.reduced)
    }
    for load in answer.loads {
      if load.isStart { starts += 1 }
      known.remove(load.zone)
      load.load(into: &states)
      loading[load.zone] = load.position
      if load.position == nil { known.insert(load.zone) }
    }
    outbox.removeAll { answer.taken.contains($0.id) }
    cursor = answer.cursor
  }

  /// Pulls until there is no more.
  mutating func pull() async throws {
    var answer: SyncLog.PullResponse
    repeat { answer = try await pullOnce() } while answer.epochs != nil || answer.latest > cursor || !isComplete
  }

  /// Pushes the outbox.
  @discardableResult
  mutating func push() async throws -> SyncFailure.Code? { try await push(outbox) }

  /// Pushes transactions that may be others than those of the outbox.
  func push(
    _ transactions: [SyncLog.Transaction], before: [UUID] = [], cursor: Int64? = nil
  ) async throws -> SyncFailure.Code? {
    let request = SyncLog.PushRequest(
      cursor: cursor ?? self.cursor, epoch: epochs.last?.name ?? UUID(), before: before, transactions: transactions)
    let sent = try SyncWire.decode(SyncLog.PushRequest.self, from: try SyncWire.encode(request))
    let answer = try await store.answer(sent, account: account)
    #expect((answer.taken == Untrusted(transactions.count)) == (answer.refusal == nil))
    return answer.refusal?.code
  }

  /// Pushes the changes of one save.
  func push(
    _ parts: [ZoneName: [RecordName: Registers]], cursor: Int64? = nil
  ) async throws -> SyncFailure.Code? {
    try await push([SyncLog.Transaction(id: UUID(), parts: parts)], cursor: cursor)
  }
}

extension Registers {
  static func time(_ milliseconds: Int64 = 1000, _ session: UInt64 = 1) -> HybridTime {
    HybridTime(milliseconds: milliseconds, counter: 0, replica: session)
  }

  static func born(_ entity: WireName = "Note", at time: HybridTime = time(), _ fields: [WireName: RegisterValue] = [:])
    -> Registers
  {
    var registers = set(fields, at: time)
    registers.born = Stamped(time, entity)
    return registers
  }

  static func set(_ fields: [WireName: RegisterValue], at time: HybridTime = time()) -> Registers {
    var registers = Registers()
    registers.fields = fields.mapValues { Stamped(time, $0) }
    return registers
  }

  static func refer(_ name: RecordName, at time: HybridTime = time()) -> Registers {
    set(["owner": .reference(Reference(name))], at: time)
  }

  static func dead(at time: HybridTime = time()) -> Registers {
    var registers = Registers()
    registers.dead = time
    return registers
  }

  static func home(_ zone: ZoneName, moves: Int = 1, at time: HybridTime = time()) -> Registers {
    var registers = Registers()
    registers.home = Home(moves: moves, time: time, zone: zone)
    return registers
  }

  static func member(_ name: RecordName, at time: HybridTime = time()) -> Registers {
    var registers = Registers()
    registers.edges["members"] = [name: Edge(added: time, place: Stamped(time, Place("8")))]
    return registers
  }
}

extension RecordName {
  static func numbered(_ number: Int) -> RecordName {
    RecordName("00000000-0000-7000-8000-" + String(repeating: "0", count: 12 - "\(number)".count) + "\(number)")
  }

  static let (a, b, c, d) = (numbered(1), numbered(2), numbered(3), numbered(4))
}
