#if Sync
import Foundation
import SwiftData
import SyncCore
import SyncProtocol

@testable import SwiftDataSync

/// One replica with real stores, a wrong clock and a bad network.
final class ZoneNode: EditedNode {
  let index: Int
  let server: ZoneServer
  let account: String
  /// How wrong its clock is, in milliseconds.
  var skew: Int64
  var isCutOff = false
  /// Where the next crash comes.
  var crashesAt: CrashPoint?
  private(set) var program: SimulatedProgram
  // Closed while their files are copied.
  private(set) var container: ModelContainer!
  private var secrets: Secrets!
  private(set) var replica: ZoneReplica!
  private var random: SeededGenerator
  /// Where the files are; nil for stores in memory.
  private let folder: URL?
  /// The names of records that a participant forged. What becomes of such a record in a share is the participant's right.
  var forgedNames: Set<RecordName> = []
  /// What went wrong with unsent saves.
  private(set) var lostSaves: [String] = []
  /// Requests and answers that are on their way.
  private var flying: [Message] = []
  private var uploaded = UploadedAssets()
  /// Whether it sends the bytes of all assets that it names, since the server lacked some.
  private var sendsAll = false
  /// What decides which uploads and downloads of assets are lost; nil if none are.
  private var assetFaults: SeededGenerator?

  private enum Message {
    case push(SyncLog.PushRequest)
    case pushed(SyncLog.PushResponse, SyncLog.PushRequest)
    case pulled(SyncLog.PullResponse, SyncLog.PullRequest)
  }

  init(
    _ index: Int, _ server: ZoneServer, account: String = "ann", skew: Int64 = 0, program: SimulatedProgram = .current,
    seed: UInt64, losesAssets: Bool = false, isRestorable: Bool = false, copy: URL? = nil
  ) throws {
    (self.index, self.server, self.account, self.skew, self.program) = (index, server, account, skew, program)
    random = SeededGenerator(seed: seed)
    if losesAssets {
      var faults = SeededGenerator(seed: ~seed)
      // A clock that is ahead by less than the server tolerates dates values later than those that other replicas restamp.
      self.skew += Int64.random(in: 0...9, using: &faults) * 60_000
      assetFaults = faults
    }
    if program != .current || isRestorable || copy != nil {
      let folder = FileManager.default.temporaryDirectory.appendingPathComponent("sim-\(UUID().uuidString)")
      self.folder = folder
      for part in ["store", "secrets"] {
        let part = folder.appendingPathComponent(part)
        try FileManager.default.createDirectory(at: part, withIntermediateDirectories: true)
      }
    } else {
      folder = nil
    }
    if let copy, let folder { try Self.replace(folder.appendingPathComponent("store"), by: copy) }
    try open()
    try start()
  }

  deinit { if let folder { try? FileManager.default.removeItem(at: folder) } }

  private func open() throws {
    let schema = Schema(program.models)
    let configuration =
      folder.map {
        ModelConfiguration(
          schema: schema, url: $0.appendingPathComponent("store/user.store"), cloudKitDatabase: .none)
      } ?? ModelConfiguration(schema: schema, isStoredInMemoryOnly: true, cloudKitDatabase: .none)
    container = try ModelContainer(for: schema, configurations: configuration)
    if secrets == nil { secrets = try Secrets(at: folder?.appendingPathComponent("secrets/user.keys")) }
  }

  private func close() { (replica, container, secrets) = (nil, nil, nil) }

  private static func replace(_ target: URL, by source: URL) throws {
    if FileManager.default.fileExists(atPath: target.path) { try FileManager.default.removeItem(at: target) }
    // A store that was closed may have removed its write-ahead log meanwhile.
    do { try FileManager.default.copyItem(at: source, to: target) } catch CocoaError.fileNoSuchFile {
      try? FileManager.default.removeItem(at: target)
      try FileManager.default.copyItem(at: source, to: target)
    }
  }

  private func copy(_ part: String, from old: String, to new: String) throws {
    guard let folder else { return }
    try Self.replace(folder.appendingPathComponent(new + part), by: folder.appendingPathComponent(old + part))
  }

  /// Copies the files while the program is closed.
  func backUp() throws {
    close()
    for part in ["store", "secrets"] { try copy(part, from: "", to: "copy-") }
    try open()
    try start()
  }

  /// A new device of the account, with the copy of the store and without the files next to it.
  func makeDevice(_ index: Int, seed: UInt64) throws -> ZoneNode {
    try ZoneNode(
      index, server, account: account, skew: skew, program: program, seed: seed, losesAssets: assetFaults != nil,
      copy: folder?.appendingPathComponent("copy-store"))
  }

  /// Puts the copy of the store in the place of the store.
  /// - Parameter save: what the program saves before the sync begins again.
  /// - Returns: the marks that were only in the store and are lost. Sync cannot bring back what it did not send.
  func restore(save: () throws -> Void) throws -> Set<UUID> {
    let sent = server.history.flatMap(\.parts.values).reduce(into: Set<RecordName>()) { names, part in
      if case .change(let changes) = part { names.formUnion(changes.keys) }
    }
    let marks = try ModelContext(container).fetch(FetchDescriptor<SimMark>())
    let keys = try replica.store.keys(of: marks.map { UserStore.text($0.persistentModelID) })
    var lost = Set(zip(marks, keys).filter { $1.map { !sent.contains($0.name) } ?? true }.map(\.0.id))
    close()
    try copy("store", from: "copy-", to: "")
    try open()
    for mark in try ModelContext(container).fetch(FetchDescriptor<SimMark>()) { lost.remove(mark.id) }
    try save()
    try start()
    return lost
  }

  /// Starts, or starts again after a crash: only what was saved is left.
  func start() throws {
    flying = []
    crashesAt = nil
    uploaded = UploadedAssets()
    let generator = SeededGenerator(seed: random.next())
    let user = UserStore(container)
    guard let store = user.transactionStore else { throw ReplicaError(description: "the store has no transactions") }
    replica = try ZoneReplica(
      user: user, database: SyncDatabase(of: store), secrets: secrets, now: { [unowned self] in server.now + skew },
      random: generator, checkpoint: { [unowned self] in try crashesAt.pass($0) })
    do { try fetching { try replica.catchUp() } } catch is LostAsset {}
  }

  /// Runs a step; a crash in it starts the replica again.
  func run(_ step: () throws -> Void) throws {
    do { try step() } catch is SimulatedCrash { try start() } catch is LostAsset {}
  }

  /// The program is updated.
  func upgrade() throws {
    guard program != .current else { return }
    program = .current
    (replica, container) = (nil, nil)
    try open()
    try start()
  }

  // MARK: - The network

  func capture() throws { try fetching { try replica.capturePart() } }

  func sendPush() throws {
    guard !isCutOff, let request = try replica.pushRequest(limit: Int.random(in: 1...4, using: &random)) else { return }
    // The account may have lost the permission meanwhile, which the next pull says.
    do { try upload(request) } catch let failure as SyncFailure where failure.code == .forbidden { return }
    flying.append(.push(request))
  }

  func sendPull(limit: Int) throws {
    guard !isCutOff else { return }
    let request = replica.pullRequest()
    if let answer = try answer(to: request, limit: limit) { flying.append(.pulled(answer, request)) }
  }

  /// The server's answer to a pull; nil if it refuses the pull because its log ends before the cursor.
  private func answer(to request: SyncLog.PullRequest, limit: Int) throws -> SyncLog.PullResponse? {
    guard !isBeyondLog else {
      try fetching { try replica.takeUnknownCursor(of: request) }
      return nil
    }
    return server.pull(request, by: account, limit: limit)
  }

  private var isBeyondLog: Bool {
    replica.store.replica.epochs.last?.name == server.epoch && replica.store.replica.cursor > server.commit
  }

  /// Asks the server after a restore that the server did not notice. All messages before it are lost.
  func noticeRestore() throws {
    flying = []
    while isBeyondLog { try run { _ = try answer(to: replica.pullRequest(), limit: 1) } }
  }

  /// One message arrives, or is lost, or arrives and stays to arrive again.
  func deliver(_ random: inout SeededGenerator) throws {
    guard !flying.isEmpty, !isCutOff else { return }
    let place = Int.random(in: 0..<flying.count, using: &random)
    let message = flying[place]
    switch Int.random(in: 0..<10, using: &random) {
    case 0: flying.remove(at: place)
    case 1: try receive(message)
    default:
      flying.remove(at: place)
      try receive(message)
    }
  }

  private func receive(_ message: Message) throws {
    replica.unavailable = []
    switch message {
    case .push(let request): flying.append(.pushed(try server.push(request, from: account), request))
    case .pushed(let response, let request): try take(response, to: request)
    case .pulled(let response, let request): _ = try take(response, request)
    }
  }

  private func take(_ response: SyncLog.PushResponse, to request: SyncLog.PushRequest) throws {
    replica.didPush(request, response)
    guard let refusal = response.refusal else { return }
    switch refusal.code {
    case .clockAhead: if let time = refusal.time { try fetching { try replica.restamp(toServer: time) } }
    case .missingAsset:
      uploaded.didFail(refusal)
      sendsAll = true
      _ = try fetching { try replica.dropLostAssets() }
    case .behind, .moved, .forbidden: break
    default: throw refusal
    }
  }

  private func take(_ response: SyncLog.PullResponse, _ request: SyncLog.PullRequest) throws -> Bool {
    let unsent = replica.outbox.transactions.filter { !$0.isResent && !response.taken.contains($0.id) }
    let more = try fetching { try replica.take(response, for: request) }
    try fetching { try replica.catchUp() }
    try findLost(of: unsent)
    return more
  }

  /// Notes the unsent changes that left the outbox although their records are there, and may be written.
  private func findLost(of unsent: [LocalTransaction]) throws {
    let left = Dictionary(uniqueKeysWithValues: replica.outbox.transactions.map { ($0.id, $0) })
    let zones = replica.store.zones.filter(\.value.isWritable).keys
    for transaction in unsent {
      for (key, registers) in transaction.changes where registers.born == nil && !registers.fields.isEmpty {
        guard left[transaction.id]?.changes[key] == nil, !forgedNames.contains(key.name) else { continue }
        // A name in another share may be anybody's, and a record of the own zone that was never moved is another one.
        let home = try replica.store.registers(of: key)?.home?.zone
        for zone in zones.sorted() where zone == key.zone || zone == home || !zone.isShare {
          let record = try replica.store.registers(of: RecordKey(zone, key.name))
          guard let record, record.isHere(zone), zone == key.zone || zone == home || record.home != nil else {
            continue
          }
          lostSaves.append("replica \(index) of \(account) lost an unsent change of \(key), which is in \(zone.text)")
        }
      }
    }
  }

  /// Exchanges all that there is, without faults.
  func settle() throws {
    isCutOff = false
    flying = []
    crashesAt = nil
    let faults = assetFaults
    assetFaults = nil
    defer { assetFaults = faults }
    replica.unavailable = []
    for _ in 0..<50 {
      try pullAll()
      try capture()
      guard replica.pendingCount > 0 || replica.isScanning else { break }
      var sent: [UUID] = []
      while let request = try replica.pushRequest(after: sent) {
        do { try upload(request) } catch let failure as SyncFailure where failure.code == .forbidden { break }
        let response = try server.push(request, from: account)
        try take(response, to: request)
        sent += request.transactions.map(\.id)
        if response.refusal != nil { break }
      }
    }
    try pullAll()
  }

  /// Takes in all that the server has. As an engine does, it asks for the next answer before it takes in the one that came.
  private func pullAll() throws {
    var ahead: (request: SyncLog.PullRequest, answer: SyncLog.PullResponse)?
    for _ in 0..<1000 {
      let current = replica.pullRequest()
      let coming = ahead.flatMap { $0.request.isSame(as: current) ? $0 : nil }
      let request = coming?.request ?? current
      ahead = nil
      guard var answer = try coming?.answer ?? answer(to: request, limit: 100) else { continue }
      ahead = request.following(answer).map { ($0, server.pull($0, by: account, limit: 100)) }
      answer.keepTaken(of: current.unsent)
      guard try take(answer, request) else { return }
    }
  }

  // MARK: - Assets

  private func isLost() -> Bool { assetFaults.map { _ in Int.random(in: 0..<8, using: &assetFaults!) == 0 } ?? false }

  /// Sends the assets of a push. Each may be lost, or arrive without an answer.
  private func upload(_ request: SyncLog.PushRequest) throws {
    for (sha256, zone) in replica.assetsToUpload(request) where !uploaded.contains(sha256, zone) {
      guard let bytes = try sendsAll ? replica.bytes(of: sha256) : replica.asset(sha256) else { continue }
      if isLost() { throw LostAsset() }
      try server.put(sha256, bytes, zone: zone, account: account)
      if isLost() { throw LostAsset() }
      uploaded.insert(sha256, zone)
    }
  }

  /// Does a step that shows values, and brings the bytes that it lacks.
  private func fetching<T>(_ step: () throws -> T) throws -> T {
    while true {
      do { return try step() } catch let missing as MissingAssets { for asset in missing.assets { try fetch(asset) } }
    }
  }

  private func fetch(_ asset: MissingAssets.Asset) throws {
    for zone in replica.zones(with: asset) {
      do {
        if isLost() { throw LostAsset() }
        return try replica.keepFetched(asset.sha256, server.asset(asset.sha256, zone: zone, account: account))
      } catch let failure as SyncFailure where [.missingAsset, .notFound].contains(failure.code) {}
    }
    replica.unavailable.insert(asset.sha256)
  }
}
#endif
