import Foundation
import SwiftData
import SyncProtocol

@testable import SwiftDataSync

@Model final class SharedPlaylist {
  @Attribute(.unique) var id: String = UUID().uuidString
  var name: String = ""
  /// Personal where a test's scopes say so.
  var isPinned: Bool = false
  /// Of one device where a test's scopes say so.
  var playCount: Int = 0
  @Relationship(deleteRule: .cascade, inverse: \SharedTrack.playlist) var tracks: [SharedTrack] = []
  @Relationship(deleteRule: .cascade) var cover: SharedCover?
  init(_ name: String) { self.name = name }
}
@Model final class SharedTrack {
  var title: String = ""
  var playlist: SharedPlaylist?
  @Relationship(deleteRule: .cascade) var comments: [SharedComment] = []
  init(_ title: String) { self.title = title }
}
@Model final class SharedComment {
  var text: String = ""
  init(_ text: String) { self.text = text }
}
@Model final class SharedCover {
  var image: Data = Data()
  init(_ image: Data) { self.image = image }
}
@Model final class SharedFavorite {
  var track: SharedTrack?
  init(_ track: SharedTrack?) { self.track = track }
}

@Model final class SharedDraft {
  var text: String = ""
  init(_ text: String) { self.text = text }
}

/// Devices of several accounts, with a server without a network.
final class SharedGroup {
  final class Device {
    let account: String
    let container: ModelContainer
    let ledger: ModelContainer
    var replica: Replica!
    /// Where the next crash comes.
    var crashesAt: Replica.Checkpoint?

    init(_ account: String, _ container: ModelContainer) throws {
      (self.account, self.container, ledger) = (account, container, try Ledger.container(at: nil))
    }
  }

  /// The logs of private zones by account, and of shares by name.
  private var logs: [String: SimulatedServer] = [:]
  private var grants: [String: [String: Bool]] = [:]
  private var roots: [String: (owner: String, root: RecordName)] = [:]
  let devices: [Device]
  private let scopes: SyncScopes
  private var now: Int64 = 1_800_000_000_000

  init(_ accounts: [String], scopes: [SyncScope] = []) throws {
    self.scopes = SyncScopes(scopes)
    let schema = Schema([SharedPlaylist.self, SharedFavorite.self, SharedDraft.self])
    devices = try accounts.map { account in
      try Device(
        account,
        ModelContainer(
          for: schema, configurations: ModelConfiguration(isStoredInMemoryOnly: true, cloudKitDatabase: .none)))
    }
    for index in devices.indices { try start(index) }
  }

  /// Starts a device, or starts it again after a crash: only what was saved is left.
  func start(_ index: Int) throws {
    let device = devices[index]
    device.crashesAt = nil
    device.replica = try Replica(
      user: UserStore(device.container, scopes: scopes), ledger: device.ledger, spare: .memory(),
      now: { [unowned self] in
        now += 1
        return now
      }, random: SeededGenerator(seed: UInt64(index) &+ UInt64(bitPattern: now)),
      checkpoint: { [unowned device] checkpoint in
        guard device.crashesAt == checkpoint else { return }
        device.crashesAt = nil
        throw SimulatedCrash()
      })
  }

  // MARK: - Shares

  /// The log of a zone, as the server has it.
  func log(_ zone: String, _ account: String) -> SimulatedServer {
    let key = zone == SyncWire.privateZone ? account : zone
    let log = logs[key] ?? SimulatedServer(bug: nil)
    logs[key] = log
    log.now = now
    return log
  }

  private func zones(_ account: String) -> [ZoneInfo] {
    let shares = roots.compactMap { name, share -> ZoneInfo? in
      guard share.owner == account || grants[name]?[account] != nil else { return nil }
      return ZoneInfo(
        name: name, owner: share.owner, isWritable: share.owner == account || grants[name]?[account] == true, latest: 0,
        root: share.root)
    }
    return [ZoneInfo(name: SyncWire.privateZone, owner: account, isWritable: true, latest: 0)] + shares
  }

  /// Shares the first playlist of a device.
  func share(_ index: Int, named zone: String = "share-1") throws {
    let device = devices[index]
    let context = ModelContext(device.container)
    let playlist = try context.fetch(FetchDescriptor<SharedPlaylist>())[0]
    let name = try device.replica.recordName(of: playlist.persistentModelID)
    roots[zone] = (device.account, name)
    try device.replica.didSee(zones(device.account))
    try device.replica.startShare(name, zone: zone)
  }

  func grant(_ account: String, isWritable: Bool = true, zone: String = "share-1") {
    grants[zone, default: [:]][account] = isWritable
  }
  func revoke(_ account: String, zone: String = "share-1") { grants[zone]?[account] = nil }

  // MARK: - Sync

  /// Exchanges all changes of a device.
  func sync(_ index: Int) throws {
    let device = devices[index]
    try device.replica.scan()
    try device.replica.didSee(zones(device.account))
    for zone in zones(device.account) where !zone.isWritable { try device.replica.undoUnsent(zone: zone.name) }
    for zone in zones(device.account).map(\.name) {
      for _ in 0..<1000 {
        let log = log(zone, device.account)
        let response = log.changes(after: device.replica.position(zone), limit: 100, replica: index)
        if !response.entries.isEmpty {
          _ = try device.replica.didPull(response, zone: zone)
        } else if let request = device.replica.nextPush(zone: zone) {
          try device.replica.didPush(request, try log.push(request), zone: zone, account: device.account)
        } else {
          break
        }
      }
    }
  }

  func syncAll() throws { for _ in 0..<3 { for index in devices.indices { try sync(index) } } }

  // MARK: - Contents

  func save(_ index: Int, _ body: (ModelContext) throws -> Void) throws {
    let context = ModelContext(devices[index].container)
    try body(context)
    try context.save()
  }

  func first<M: PersistentModel>(_ type: M.Type, _ context: ModelContext) throws -> M {
    guard let object = try context.fetch(FetchDescriptor<M>()).first else {
      throw ReplicaError(description: "there is no \(type)")
    }
    return object
  }

  func track(_ title: String, _ context: ModelContext) throws -> SharedTrack {
    guard let track = try context.fetch(FetchDescriptor<SharedTrack>()).first(where: { $0.title == title }) else {
      throw ReplicaError(description: "there is no track \(title)")
    }
    return track
  }

  /// All objects of a device as lines.
  func contents(_ index: Int) throws -> [String] {
    let context = ModelContext(devices[index].container)
    var lines: [String] = []
    for playlist in try context.fetch(FetchDescriptor<SharedPlaylist>()) {
      let tracks = playlist.tracks.map(\.title).joined(separator: " ")
      lines.append("\(playlist.name): \(tracks)\(playlist.cover.map { " cover \($0.image.count)" } ?? "")")
    }
    for track in try context.fetch(FetchDescriptor<SharedTrack>()) {
      let comments = track.comments.map(\.text).joined(separator: " ")
      lines.append("\(track.title) in \(track.playlist?.name ?? "none")\(comments.isEmpty ? "" : ", \(comments)")")
    }
    let covers = try context.fetchCount(FetchDescriptor<SharedCover>())
    let comments = try context.fetchCount(FetchDescriptor<SharedComment>())
    return lines.sorted() + ["\(covers) covers, \(comments) comments"]
  }
}
