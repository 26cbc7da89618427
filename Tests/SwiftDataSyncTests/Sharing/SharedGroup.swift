#if Sync
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
  var rating: Int?
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
    let secrets: Secrets
    var replica: Replica!
    /// Where the next crash comes.
    var crashesAt: CrashPoint?
    /// How many records its transactions looked up.
    fileprivate(set) var lookUps = 0
    /// How many records the transaction that is under way has in memory at most.
    fileprivate var inMemory = 0

    init(_ account: String, _ container: ModelContainer) throws {
      (self.account, self.container, secrets) = (account, container, try Secrets())
    }
  }

  private let service = SimulatedService()
  let devices: [Device]
  private let scopes: SyncScopes

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
      user: UserStore(device.container, scopes: scopes), secrets: device.secrets,
      now: { [service] in
        service.now += 1
        return service.now
      }, random: SeededGenerator(seed: UInt64(index) &+ UInt64(bitPattern: service.now)),
      checkpoint: { [unowned device] checkpoint in
        switch checkpoint {
        case .writing: device.inMemory = max(device.inMemory, device.replica?.ledger.records.count ?? 0)
        case .committed:
          device.lookUps += device.inMemory
          device.inMemory = 0
        }
        try device.crashesAt.pass(checkpoint)
      })
  }

  // MARK: - Shares

  /// The log of a zone, as the server has it.
  func log(_ zone: String, _ account: String) -> SimulatedServer { service.log(zone, account) }

  /// Shares a playlist of a device.
  /// - Parameter name: the playlist's name; nil for the first playlist.
  func share(_ index: Int, named zone: String = "share-1", playlist name: String? = nil) throws {
    let device = devices[index]
    let context = ModelContext(device.container)
    let playlist = try name.map { try self.playlist($0, context) } ?? first(SharedPlaylist.self, context)
    let name = try device.replica.recordName(of: playlist.persistentModelID)
    _ = service.share(name, of: device.account, named: zone)
    try device.replica.didSee(service.zones(device.account))
    try device.replica.startShare(name, zone: zone)
  }

  func grant(_ account: String, isWritable: Bool = true, zone: String = "share-1") {
    service.invite(account, to: zone, isWritable: isWritable)
    service.accept(zone, account)
  }
  func revoke(_ account: String, zone: String = "share-1") { service.remove(account, from: zone, by: "ann") }

  // MARK: - Sync

  /// Exchanges all changes of a device.
  /// - Parameter sharesFirst: whether it reads the logs of shares before its own one.
  func sync(_ index: Int, sharesFirst: Bool = false) throws {
    let device = devices[index]
    try device.replica.scan()
    let response = try service.changes(
      after: 0, limit: 0, zone: SyncWire.privateZone, account: device.account, replica: index)
    let zones = response.zones ?? []
    try device.replica.didSee(zones, taken: service.taken(device.replica, response, account: device.account))
    for zone in zones where !zone.isWritable { try device.replica.undoUnsent(zone: zone.name) }
    try device.replica.catchUp()
    let names = zones.map(\.name)
    for zone in sharesFirst ? names.reversed() : names {
      for _ in 0..<1000 {
        let response = try service.changes(
          after: device.replica.position(zone), limit: 100, zone: zone, account: device.account, replica: index)
        if !response.entries.isEmpty {
          _ = try device.replica.didPull(response, zone: zone)
        } else if let request = device.replica.nextPush(zone: zone) {
          let response = try service.push(request, zone: zone, account: device.account)
          try device.replica.didPush(request, response, zone: zone, account: device.account)
        } else {
          break
        }
      }
    }
  }

  /// Takes in what the private zone has, and sends nothing.
  func pull(_ index: Int) throws {
    let device = devices[index]
    let response = try service.changes(
      after: device.replica.position(SyncWire.privateZone), limit: 100, zone: SyncWire.privateZone,
      account: device.account, replica: index)
    _ = try device.replica.didPull(response, zone: SyncWire.privateZone)
    try device.replica.catchUp()
  }

  /// Sends what a device has for one zone.
  /// - Parameter isAnswered: whether the device hears of it.
  func push(_ index: Int, zone: String, isAnswered: Bool = true) throws {
    let device = devices[index]
    try device.replica.scan()
    while let request = device.replica.nextPush(zone: zone) {
      guard isAnswered else {
        _ = try service.push(request, zone: zone, account: device.account)
        return
      }
      let response = try service.push(request, zone: zone, account: device.account)
      try device.replica.didPush(request, response, zone: zone, account: device.account)
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

  func playlist(_ name: String, _ context: ModelContext) throws -> SharedPlaylist {
    guard let playlist = try context.fetch(FetchDescriptor<SharedPlaylist>()).first(where: { $0.name == name }) else {
      throw ReplicaError(description: "there is no playlist \(name)")
    }
    return playlist
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
#endif
