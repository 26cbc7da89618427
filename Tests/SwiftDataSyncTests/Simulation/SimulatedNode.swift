import Foundation
import SwiftData
import SyncProtocol

@testable import SwiftDataSync

struct SimulatedCrash: Error {}

/// One replica with real stores, a wrong clock and a bad network.
final class SimulatedNode {
  let index: Int
  let server: SimulatedServer
  /// How wrong its clock is, in milliseconds.
  var skew: Int64
  var isCutOff = false
  /// Where the next crash comes.
  var crashesAt: Replica.Checkpoint?
  private(set) var isOld: Bool
  private(set) var container: ModelContainer
  private let ledger: ModelContainer
  private let spare = SpareLedger.memory()
  private(set) var replica: Replica!
  private var random: SeededGenerator
  private let folder: URL?
  /// Requests and answers that are on their way.
  private var flying: [Message] = []

  enum Message {
    case push(PushRequest)
    case pushed(PushRequest, PushResponse)
    case pulled(ChangesResponse)
    case refolded(ChangesResponse)
  }

  init(_ index: Int, _ server: SimulatedServer, skew: Int64, isOld: Bool, seed: UInt64) throws {
    (self.index, self.server, self.skew, self.isOld) = (index, server, skew, isOld)
    random = SeededGenerator(seed: seed)
    if isOld {
      let folder = FileManager.default.temporaryDirectory.appendingPathComponent("sim-\(UUID().uuidString)")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      self.folder = folder
    } else {
      folder = nil
    }
    container = try Self.open(folder, isOld: isOld)
    ledger = try Ledger.container(at: nil)
    try start()
  }

  deinit { if let folder { try? FileManager.default.removeItem(at: folder) } }

  private static func open(_ folder: URL?, isOld: Bool) throws -> ModelContainer {
    let schema = Schema(isOld ? SimulationOld.models : simulationModels)
    let configuration =
      folder.map {
        ModelConfiguration(schema: schema, url: $0.appendingPathComponent("user.store"), cloudKitDatabase: .none)
      } ?? ModelConfiguration(schema: schema, isStoredInMemoryOnly: true, cloudKitDatabase: .none)
    return try ModelContainer(for: schema, configurations: configuration)
  }

  /// Starts, or starts again after a crash: only what was saved is left.
  func start() throws {
    flying = []
    crashesAt = nil
    let generator = SeededGenerator(seed: random.next())
    replica = try Replica(
      user: UserStore(container), ledger: ledger, spare: spare, now: { [unowned self] in server.now + skew },
      random: generator,
      checkpoint: { [unowned self] in try reach($0) })
    try replica.catchUp()
  }

  private func reach(_ checkpoint: Replica.Checkpoint) throws {
    if server.bug == .intentForgotten, checkpoint == .intentSaved {
      replica.ledger.replica.intent = nil
      try replica.ledger.save()
    }
    if server.bug == .pendingForgotten, checkpoint == .scanned, let last = replica.ledger.pending.last, index == 0 {
      try replica.ledger.removePending([last.transaction.id])
      try replica.ledger.save()
    }
    if crashesAt == checkpoint {
      crashesAt = nil
      throw SimulatedCrash()
    }
  }

  /// Runs a step; a crash in it starts the replica again.
  func run(_ step: () throws -> Void) throws {
    do { try step() } catch is SimulatedCrash { try start() }
  }

  /// The program is updated.
  func upgrade() throws {
    guard isOld else { return }
    isOld = false
    replica = nil
    container = try Self.open(folder, isOld: false)
    try start()
  }

  // MARK: - The network

  func sendPush() {
    guard !isCutOff, let request = replica.nextPush(zone: SyncWire.privateZone) else { return }
    flying.append(.push(request))
  }

  func sendPull(limit: Int) throws {
    guard !isCutOff else { return }
    if let after = try replica.refoldPosition(SyncWire.privateZone) {
      return flying.append(.refolded(server.changes(after: after, limit: limit, replica: index)))
    }
    let after = replica.position(SyncWire.privateZone)
    flying.append(.pulled(server.changes(after: after, limit: limit, replica: index)))
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
    let zone = SyncWire.privateZone
    switch message {
    case .push(let request):
      do {
        flying.append(.pushed(request, try server.push(request)))
      } catch let failure as SyncFailure {
        _ = try replica.didFail(failure, zone: zone)
      }
    case .pushed(let request, let response):
      try replica.didPush(request, response, zone: zone, account: "a")
    case .pulled(let response):
      // What a session does with an answer that does not fit what it has: it asks again.
      guard (response.entries.first?.sequence ?? 0) <= replica.position(zone) + 1 else { return }
      _ = try replica.didPull(response, zone: zone)
    case .refolded(let response):
      try replica.didRefold(response, zone: zone)
      try replica.catchUp()
    }
  }

  /// Exchanges all that there is, without faults.
  func settle() throws {
    isCutOff = false
    flying = []
    crashesAt = nil
    let zone = SyncWire.privateZone
    try replica.scan()
    while let after = try replica.refoldPosition(zone) {
      try replica.didRefold(server.changes(after: after, limit: 100, replica: index), zone: zone)
    }
    try replica.catchUp()
    for _ in 0..<1000 {
      let response = server.changes(after: replica.position(zone), limit: 100, replica: index)
      if !response.entries.isEmpty {
        _ = try replica.didPull(response, zone: zone)
        continue
      }
      guard let request = replica.nextPush(zone: zone) else { return }
      do {
        try replica.didPush(request, try server.push(request), zone: zone, account: "a")
      } catch let failure as SyncFailure {
        guard try replica.didFail(failure, zone: zone) else { throw failure }
      }
    }
  }
}
