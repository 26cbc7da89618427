#if Sync
import Foundation
import SwiftData
import SyncProtocol

@testable import SwiftDataSync

/// One replica with real stores, a wrong clock and a bad network.
final class SimulatedNode: EditedNode {
  let index: Int
  let server: SimulatedService
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
  /// Whether a planted bug is at work, which passes checkpoints itself.
  private var isPlanting = false
  private(set) var replica: Replica!
  private var random: SeededGenerator
  /// The positions in the logs that the copy of the store has; nil before it is made.
  private var copiedPositions: [String: Int64]?
  /// Where the files are; nil for stores in memory.
  private let folder: URL?
  /// Requests and answers that are on their way.
  private var flying: [Message] = []
  /// How often the node asked what its account may read, and the newest answer that it has.
  private var (asked, heard) = (0, 0)
  var uploaded = UploadedAssets()
  /// What decides which uploads and downloads of assets are lost; nil if none are.
  var assetFaults: SeededGenerator?

  enum Message {
    case push(PushRequest, String)
    case pushed(PushRequest, PushResponse, String)
    /// An answer is numbered, since a session hears them in order.
    case pulled(ChangesResponse, String, Int)
    case refolded(ChangesResponse, String)
  }

  init(
    _ index: Int, _ server: SimulatedService, account: String = "a", skew: Int64, program: SimulatedProgram,
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
      for part in Part.allCases {
        let part = folder.appendingPathComponent(part.rawValue)
        try FileManager.default.createDirectory(at: part, withIntermediateDirectories: true)
      }
    } else {
      folder = nil
    }
    if let copy, let folder { try Self.replace(folder.appendingPathComponent(Part.store.rawValue), by: copy) }
    try open()
    try start()
  }

  deinit { if let folder { try? FileManager.default.removeItem(at: folder) } }

  /// The folders of a node's files.
  private enum Part: String, CaseIterable { case store, secrets }

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

  // MARK: - Copies

  private func close() { (replica, container, secrets) = (nil, nil, nil) }

  private func copy(_ part: Part, from old: String, to new: String) throws {
    guard let folder else { return }
    try Self.replace(
      folder.appendingPathComponent(new + part.rawValue), by: folder.appendingPathComponent(old + part.rawValue))
  }

  private static func replace(_ target: URL, by source: URL) throws {
    if FileManager.default.fileExists(atPath: target.path) { try FileManager.default.removeItem(at: target) }
    // A store that was closed may have removed its write-ahead log meanwhile.
    do { try FileManager.default.copyItem(at: source, to: target) } catch CocoaError.fileNoSuchFile {
      try? FileManager.default.removeItem(at: target)
      try FileManager.default.copyItem(at: source, to: target)
    }
  }

  /// The least position in the log of a zone that the replica can have from now on: the copy of its store has a position too.
  func leastPosition(_ zone: String) -> Int64 {
    let position = replica.position(zone)
    return copiedPositions.map { min(position, $0[zone] ?? 0) } ?? position
  }

  /// Copies the files while the program is closed.
  func backUp() throws {
    copiedPositions = Dictionary(uniqueKeysWithValues: zones.map { ($0, replica.position($0)) })
    close()
    for part in Part.allCases { try copy(part, from: "", to: "copy-") }
    try open()
    try start()
  }

  /// A new device of the account, with the copy of the store and without the files next to it.
  func makeDevice(_ index: Int, seed: UInt64) throws -> SimulatedNode {
    try SimulatedNode(
      index, server, account: account, skew: skew, program: program, seed: seed, losesAssets: assetFaults != nil,
      copy: folder?.appendingPathComponent("copy-" + Part.store.rawValue))
  }

  /// Puts the copy of the store in the place of the store.
  /// - Parameter save: what the program saves before the sync begins again.
  /// - Returns: the marks that were only in the store and are lost. Sync cannot bring back what it did not send.
  func restore(save: () throws -> Void) throws -> Set<UUID> {
    var lost = try marks { name in
      let log = server.log(SyncWire.privateZone, account).log
      return !log.contains { $0.transaction.changes.contains { $0.record == name } }
    }
    close()
    try copy(.store, from: "copy-", to: "")
    try open()
    for mark in try ModelContext(container).fetch(FetchDescriptor<SimMark>()) { lost.remove(mark.id) }
    try save()
    try start()
    return lost
  }

  /// The marks in the store that are chosen by the names of their records; a mark that no scan saw has none.
  private func marks(where isChosen: (RecordName?) -> Bool) throws -> Set<UUID> {
    let marks = try ModelContext(container).fetch(FetchDescriptor<SimMark>())
    let names = try replica.ledger.names(of: marks.map { UserStore.text($0.persistentModelID) })
    return Set(zip(marks, names).filter { isChosen($1) }.map(\.0.id))
  }

  /// Starts, or starts again after a crash: only what was saved is left.
  func start() throws {
    flying = []
    crashesAt = nil
    uploaded = UploadedAssets()
    let generator = SeededGenerator(seed: random.next())
    replica = try Replica(
      user: UserStore(container), secrets: secrets, now: { [unowned self] in server.now + skew },
      random: generator,
      checkpoint: { [unowned self] in try reach($0) })
    do { try catchUp() } catch is LostAsset {}
  }

  /// The server became what an older copy of it says. An answer that it gave before does not arrive, and the replica hears of it
  /// before the log is as long as it was: nothing tells it apart then.
  func serverWasRestored() throws {
    flying = []
    for zone in zones {
      for _ in 0..<5 where replica.position(zone) > server.log(zone, account).log.count {
        try run { _ = try replica.didFail(SyncFailure(.unknownSequence, "the log is shorter"), zone: zone) }
      }
    }
  }

  private func reach(_ checkpoint: Replica.Checkpoint) throws {
    guard !isPlanting else { return }
    if checkpoint == .committed, let replica { try plant(replica) }
    try crashesAt.pass(checkpoint)
  }

  /// Does what a planted bug does after a transaction.
  private func plant(_ replica: Replica) throws {
    isPlanting = true
    defer { isPlanting = false }
    switch server.bug {
    case .objectForgotten where index == 0:
      try replica.transaction {
        guard let name = try replica.ledger.shownNames(zone: SyncWire.privateZone).last else { return }
        try replica.ledger.setObject(nil, of: name, "", zone: SyncWire.privateZone)
      }
    case .pendingForgotten where index == 0:
      guard let last = replica.ledger.pending.last else { return }
      try replica.transaction { try replica.ledger.removePending([last.transaction.id]) }
    case .bytesDropped:
      try replica.transaction { try replica.ledger.tables.remove(.assets, where: "outgoing = ?", [.integer(1)]) }
    default: break
    }
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

  /// The zones that the replica knows of.
  var zones: [String] { [SyncWire.privateZone] + replica.shares.map(\.name) }

  private func isReadOnly(_ zone: String) -> Bool { !replica.ledger.isWritable(zone) }

  func sendPush(_ zone: String = SyncWire.privateZone) throws {
    guard !isCutOff else { return }
    if isReadOnly(zone) { return try undo(zone) }
    guard let request = replica.nextPush(zone: zone), try prepare(request, zone) else { return }
    flying.append(.push(request, zone))
  }

  func sendPull(_ zone: String = SyncWire.privateZone, limit: Int) throws {
    guard !isCutOff else { return }
    if try replica.refoldPosition(zone) != nil {
      guard let response = try refolded(zone, limit: limit) else { return }
      return flying.append(.refolded(response, zone))
    }
    guard let response = try changes(zone, limit: limit) else { return }
    asked += 1
    flying.append(.pulled(response, zone, asked))
  }

  /// The part of a log that the replica has not seen.
  /// - Returns: nil if the account may not read the zone, and if the log was deleted so far that the replica has to start with the
  ///   snapshot.
  private func changes(_ zone: String, limit: Int) throws -> ChangesResponse? {
    try changes(
      zone, after: replica.position(zone), snapshot: replica.ledger.places.unfinishedSnapshot(zone), limit: limit)
  }

  /// The part of a log that the replica has not folded again.
  func refolded(_ zone: String, limit: Int) throws -> ChangesResponse? {
    guard let after = try replica.refoldPosition(zone) else { return nil }
    return try changes(zone, after: after, snapshot: try replica.refoldSnapshot(zone), limit: limit)
  }

  private func changes(
    _ zone: String, after position: Int64, snapshot: Int64?, limit: Int
  ) throws -> ChangesResponse? {
    do {
      return try server.changes(
        after: position, snapshot: snapshot, limit: limit, zone: zone, account: account, replica: index)
    } catch let failure as SyncFailure where failure.code == .notFound {
      return nil
    } catch let failure as SyncFailure where failure.code == .compacted {
      _ = try replica.didFail(failure, zone: zone)
      return nil
    }
  }

  private func undo(_ zone: String) throws {
    guard server.shareBug != .changesStay else { return }
    try replica.undoUnsent(zone: zone)
    try catchUp()
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
    case .push(let request, let zone):
      if let response = try push(request, zone) { flying.append(.pushed(request, response, zone)) }
    case .pushed(let request, let response, let zone):
      guard zones.contains(zone) else { return }
      try didPush(request, response, zone)
    case .pulled(var response, let zone, let number):
      // What a session does with an answer that does not fit what it has: it asks again.
      let isFirst = response.isSnapshot == true && replica.position(zone) == 0
      guard zones.contains(zone), (response.entries.first?.sequence ?? 0) <= replica.position(zone) + 1 || isFirst
      else {
        return
      }
      if number < heard { response.zones = nil }
      if response.zones != nil { heard = number }
      keepShares(&response)
      do {
        _ = try take(response, zone)
      } catch let failure as SyncFailure where [.notFound, .missingAsset].contains(failure.code) {
        // The account lost the share before the large values came, or the server deleted the log of the answer with them.
        return
      }
      try catchUp()
    case .refolded(let response, let zone):
      try replica.didRefold(response, zone: zone)
      try catchUp()
    }
  }

  /// - Returns: nil if the server refused. Then the replica did what a session does.
  private func push(_ request: PushRequest, _ zone: String) throws -> PushResponse? {
    do {
      let response = try server.push(request, zone: zone, account: account)
      uploaded.didPush()
      return response
    } catch let failure as SyncFailure where failure.code == .forbidden {
      // The server may have taken the changes before.
      if zones.contains(zone) {
        try pullAll(zone)
        try undo(zone)
      }
    } catch let failure as SyncFailure where failure.code == .notFound {
      // The next answer about the private zone says that the account cannot read it any more.
    } catch let failure as SyncFailure where failure.code == .compacted {
      try pullAll(zone)
    } catch let failure as SyncFailure {
      uploaded.didFail(failure)
      // The next try uploads once more what the server lacks.
      guard try didFail(failure, zone) || failure.code == .missingAsset else { throw failure }
    }
    return nil
  }

  /// Uploads what a push needs.
  /// - Returns: whether the push can be sent.
  private func prepare(_ request: PushRequest, _ zone: String) throws -> Bool {
    do {
      try upload(request, zone)
      return true
    } catch is LostAsset {
      return false
    } catch let failure as SyncFailure where failure.code == .forbidden {
      try pullAll(zone)
      try undo(zone)
    } catch let failure as SyncFailure where failure.code == .notFound {
      // The next answer about the private zone says that the account cannot read it any more.
    }
    return false
  }

  func keepShares(_ response: inout ChangesResponse) {
    guard server.shareBug == .objectsStay, let zones = response.zones else { return }
    response.zones = zones + replica.shares.filter { share in !zones.contains { $0.name == share.name } }
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
    try replica.scan()
    try refoldAll()
    try pullAll(SyncWire.privateZone)
    for zone in zones.dropFirst() { try pullAll(zone) }
    try finishMoves()
    try catchUp()
    for zone in zones { try pushAll(zone) }
  }

  private func pullAll(_ zone: String) throws {
    var more = true
    while more {
      if var response = try changes(zone, limit: 100) {
        keepShares(&response)
        more = try take(response, zone)
      } else {
        more = try replica.refoldPosition(zone) != nil
      }
      if try replica.refoldPosition(zone) != nil { try refoldAll() }
    }
  }

  private func pushAll(_ zone: String) throws {
    for _ in 0..<1000 {
      if isReadOnly(zone) { return try undo(zone) }
      guard let request = replica.nextPush(zone: zone), try prepare(request, zone) else { return }
      if let response = try push(request, zone) {
        try didPush(request, response, zone)
        // Others came in between: their changes come first.
        if replica.nextPush(zone: zone)?.transactions.first?.id == request.transactions.first?.id { try pullAll(zone) }
      } else if !server.mayWrite(account, zone) {
        return
      }
    }
  }
}
#endif
