#if Sync
import Foundation
import SwiftData
import SyncCore
import SyncProtocol
import Testing

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
    var replica: ZoneReplica!
    /// Where the next crash comes.
    var crashesAt: CrashPoint?

    init(_ account: String, _ container: ModelContainer) throws {
      (self.account, self.container, secrets) = (account, container, try Secrets())
    }
  }

  static let zone = ZoneName.share("1")

  let server = ZoneServer()
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
    device.replica = try ZoneReplica(
      user: UserStore(device.container, scopes: scopes), secrets: device.secrets,
      now: { [server] in
        server.now += 1
        return server.now
      }, random: SeededGenerator(seed: UInt64(index) &+ UInt64(bitPattern: server.now)),
      checkpoint: { [unowned device] in try device.crashesAt.pass($0) })
  }

  // MARK: - Shares

  /// What the log has of a zone.
  func log(_ zone: ZoneName) -> [ZoneStates.Entry.Part] { server.log.compactMap { $0.parts[zone] } }

  /// Shares a playlist of a device.
  /// - Parameter name: the playlist's name; nil for the first playlist.
  func share(_ index: Int, as zone: ZoneName = SharedGroup.zone, playlist name: String? = nil) throws {
    let device = devices[index]
    let context = ModelContext(device.container)
    let playlist = try name.map { try self.playlist($0, context) } ?? first(SharedPlaylist.self, context)
    let row = try device.replica.row(of: playlist)
    server.shares[zone] = ZoneServer.Share(owner: device.account, root: row.name)
    try device.replica.pull(from: server, as: device.account)
    try device.replica.startShare(row, zone: zone.text)
  }

  func grant(_ account: String, isWritable: Bool = true, zone: ZoneName = SharedGroup.zone) {
    server.shares[zone]?.members[account] = isWritable
  }
  func revoke(_ account: String, zone: ZoneName = SharedGroup.zone) { server.shares[zone]?.members[account] = nil }

  // MARK: - Sync

  /// Exchanges all changes of a device.
  func sync(_ index: Int) throws { try devices[index].replica.sync(with: server, as: devices[index].account) }

  /// Sends what a device has, and lets it hear nothing of it.
  func push(_ index: Int) throws {
    let device = devices[index]
    try device.replica.capture()
    let request = try #require(try device.replica.pushRequest())
    #expect(try server.push(request, from: device.account).refusal == nil)
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
