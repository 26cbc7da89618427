import Foundation
import Sorted
import SwiftData
import SwiftDataSync
import Synchronization

/// An inbox that syncs with a server of SwiftDataSync (`swiftdata sync-server`), and shares its conversations with the
/// inboxes of the other participants.
///
/// The sync itself is the library's. This code decides who takes part in a conversation (`ConversationShares`), counts
/// what came (`Arrivals`) and notes what was sent (`Departures`).
public struct SharedInbox: Sendable {
  /// The store, which syncs in the background.
  public let container: ModelContainer
  /// The account that it syncs as.
  public let userID: String
  let engine: SyncEngine

  /// The name of the database, as a `ModelConfiguration` has it.
  static let database = "iCloud.org.openswiftdata.sorted"

  /// The author of the saves that this makes, as the history names them.
  static let author = "sorted-shared-inbox"

  /// A registration is for one container, so that two of a process do not take each other's account.
  private static let opening = Mutex(())

  /// The properties that do not sync with every participant of a conversation. (Sorted/Documentation/sync.md says why.)
  static var scopes: [SyncScope] {
    [
      .account(
        \ConversationEntity.isPinned, \ConversationEntity.isMuted, \ConversationEntity.isArchived,
        \ConversationEntity.isKept),
      .device(
        \ConversationEntity.updatedAt, \ConversationEntity.unreadCount, \ConversationEntity.lastMessageText,
        \ConversationEntity.lastMessageAt, \ConversationEntity.lastMessageSenderID,
        \ConversationEntity.pendingFields, \ConversationEntity.hasPendingFields, \ConversationEntity.changeID,
        \ConversationEntity.fieldTimes, \ConversationEntity.serverTime, \ConversationEntity.noticeTime,
        \ConversationEntity.messageCursor, \ConversationEntity.supermemoryConversationID),
      .device(
        \MessageEntity.updatedAt, \MessageEntity.status, \MessageEntity.syncStatus, \MessageEntity.retryCount,
        \MessageEntity.lastSyncAttempt, \MessageEntity.nextSyncAttempt, \MessageEntity.syncError,
        \MessageEntity.pendingFields, \MessageEntity.changeID, \MessageEntity.serverTime),
      .device(
        \MessageEntity.category, \MessageEntity.categoryConfidence, \MessageEntity.sentiment,
        \MessageEntity.sentimentIntensity, \MessageEntity.opportunityScore, \MessageEntity.faqMatchID,
        \MessageEntity.faqConfidence, \MessageEntity.smartReplyDraft, \MessageEntity.supermemoryID,
        \MessageEntity.assistVersion),
      .device(
        \AttachmentEntity.remoteURL, \AttachmentEntity.localURL, \AttachmentEntity.thumbnailURL,
        \AttachmentEntity.uploadStatus, \AttachmentEntity.uploadProgress, \AttachmentEntity.uploadError),
      .device(SyncStateEntity.self), .device(SyncConflictEntity.self), .device(AttachmentUploadEntity.self),
      .device(SharedInboxEntity.self),
    ]
  }

  /// Opens a store file that syncs in the background from now on. The file is made if it does not exist.
  /// - Parameters:
  ///   - url: the file.
  ///   - server: where the server is.
  ///   - token: brings the account's token, as `swiftdata sync-token` prints it. It is asked before each request.
  /// - Throws: ``SyncError/otherUser(_:)`` for a store of another account; ``DataLayerError/invalidData(_:)`` for a malformed
  ///   address or token, and for a store that synced with Firestore; `SwiftDataError`. Then nothing was sent.
  public static func open(
    _ url: URL, server: URL, token: @escaping @Sendable () throws -> String
  ) throws -> SharedInbox {
    guard ["http", "https"].contains(server.scheme), server.host != nil else {
      throw DataLayerError.invalidData("\(server) is not an address; write it as in http://127.0.0.1:8787")
    }
    let userID = try AccountToken.account(of: try token())
    // Before anything syncs.
    try claim(ModelContext(try SortedContainer.open(url)), for: userID, server)
    let container = try opening.withLock { _ in
      SyncRemote.register(
        database, transport: HTTPTransport(url: server), credentials: SyncCredentials { try token() },
        resolvers: [MessageResolver(userID: userID), ConversationResolver()], scopes: scopes, servesAutomatic: false)
      defer { SyncRemote.unregister(database) }
      let schema = SortedContainer.schema
      let configuration = ModelConfiguration(
        schema: schema, url: url, allowsSave: true, cloudKitDatabase: .private(database))
      return try ModelContainer(
        for: schema, migrationPlan: SortedMigrationPlan.self, configurations: [configuration])
    }
    guard let engine = container.syncEngines.first else {
      throw DataLayerError.invalidData("the store \(url.path) cannot sync; only stores in files do")
    }
    return SharedInbox(container: container, userID: userID, engine: engine)
  }

  /// Binds a store to an account, and gives it what was written before that.
  private static func claim(_ context: ModelContext, for userID: String, _ server: URL) throws {
    let shared = try SharedInboxEntity.of(context)
    // The other participants have its conversations from Firestore too, and would have each of them twice.
    let fromFirestore = FetchDescriptor<ConversationEntity>(predicate: #Predicate { $0.serverTime > 0 })
    guard try shared != nil || context.fetchCount(fromFirestore) == 0 else {
      throw DataLayerError.invalidData(
        "the store has conversations of a Firestore server; a sync server needs a store of its own")
    }
    try LocalUser.claim(context, for: userID)
    if let shared {
      if shared.server != server.absoluteString { shared.server = server.absoluteString }
    } else {
      // Messages that are there already were counted when they were written.
      let token = try JSONEncoder().encode(try context.currentHistoryToken())
      context.insert(SharedInboxEntity(server: server.absoluteString, arrivalToken: token))
    }
    let placeholder = LocalUser.placeholder
    let mine = try context.fetch(
      FetchDescriptor<ConversationEntity>(predicate: #Predicate { $0.participantIDs.contains(placeholder) }))
    for conversation in mine {
      var people = conversation.participantIDs.filter { $0 != placeholder }
      if !people.contains(userID) { people.insert(userID, at: 0) }
      conversation.participantIDs = people
    }
    if context.hasChanges { try context.save() }
  }

  /// Whether a sync server answers.
  public static func answers(_ server: URL) async -> Bool {
    let request = SyncRequest(method: "GET", path: "/health", headers: [:], body: nil, timeout: .seconds(10))
    return (try? await HTTPTransport(url: server).send(request))?.status == 200
  }

  /// Ends the sync in the background. Unsent changes are sent when the store is opened again.
  public func close() async { await engine.stop() }

  /// A context whose saves the history knows as this program's own.
  func makeContext() -> ModelContext {
    let context = ModelContext(container)
    context.author = Self.author
    return context
  }

  /// Changes the store, unless something else was saved since the change read it; then it is made again.
  /// - Throws: what the body throws; ``DataLayerError/saveFailed(_:)`` where other saves never pause.
  func change(_ body: (ModelContext) throws -> Void) throws {
    for _ in 0..<100 {
      let context = makeContext()
      let token = try context.currentHistoryToken()
      try body(context)
      if try !context.hasChanges || context.save(ifUnchangedSince: token) { return }
    }
    throw DataLayerError.saveFailed("other programs save to the store without a pause; try again")
  }
}

/// The token of an account, a JSON Web Token. Only the server can tell whether it is genuine.
public enum AccountToken {
  private struct Payload: Decodable { let sub: String }

  /// The account that a token names.
  /// - Throws: ``DataLayerError/invalidData(_:)`` for a text that is not a token.
  public static func account(of token: String) throws -> String {
    let parts = token.split(separator: ".")
    var text = parts.count == 3 ? String(parts[1]) : ""
    text = text.replacingOccurrences(of: "-", with: "+").replacingOccurrences(of: "_", with: "/")
    text += String(repeating: "=", count: (4 - text.count % 4) % 4)
    guard !text.isEmpty, let data = Data(base64Encoded: text),
      let payload = try? JSONDecoder().decode(Payload.self, from: data), !payload.sub.isEmpty
    else {
      throw DataLayerError.invalidData(
        "the text is not a token of a sync server; `swiftdata sync-token NAME --keys FILE` prints one")
    }
    return payload.sub
  }
}

/// Unites what several people say of a conversation at the same time: who takes part and what is pinned.
struct ConversationResolver: ConflictResolver {
  func resolve(local: ConversationEntity, remote: ConversationEntity) {
    local.unite(with: remote)
    local.isGroup = local.isGroup || remote.isGroup
    // Only imports change these.
    (local.displayName, local.avatarURL) = (remote.displayName, remote.avatarURL)
  }
}

/// Unites what several people say of one message at the same time.
struct MessageResolver: ConflictResolver {
  let userID: String

  func resolve(local: MessageEntity, remote: MessageEntity) {
    local.readBy += remote.readBy.filter { !local.readBy.contains($0) }
    local.deliveredTo += remote.deliveredTo.filter { !local.deliveredTo.contains($0) }
    // Each store knows its own person's reaction best, and the log knows the others'.
    let own = local.reactions[userID]
    local.reactions.merge(remote.reactions) { $1 }
    if let own { local.reactions[userID] = own }
    if (remote.editedAt ?? .distantPast) > (local.editedAt ?? .distantPast) {
      (local.text, local.editedAt, local.deletedAt) = (remote.text, remote.editedAt, remote.deletedAt)
    }
  }
}
