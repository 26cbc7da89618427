import Foundation
import Logging
import ServiceLifecycle
import Sorted
import SwiftData

/// Really deletes what is in the bin for long enough, also what was deleted before a crash. What others still see stays:
/// it is only hidden from the person who deleted it.
struct PurgeService: Service {
  let desk: Desk
  let files: FileCabinet
  let undoTime: TimeInterval

  func run() async throws {
    await cancelWhenGracefulShutdown {
      while !Task.isCancelled {
        do { try await purge() } catch {
          Logger(label: "sorted.web").warning("what is in the bin for long enough is not deleted yet: \(error)")
        }
        try? await Task.sleep(for: .seconds(min(60, max(0.05, undoTime / 2))))
      }
    }
  }

  /// - Throws: `SwiftDataError`; what could not be deleted stays out of sight, and is tried again.
  func purge(now: Date = Date()) async throws {
    let due = now.addingTimeInterval(-undoTime)
    let gone = try await desk.write { work in
      let gone = try purgeConversations(work, due: due) + purgeHidden(work, due: due)
      // Only what is really gone: a file without its message is harmless, a message without its file is not.
      work.ifStored {
        if !gone.isEmpty { desk.fullThreads.forget() }
        files.discard(gone)
      }
      return try purgeMessages(work, due: due)
    }
    files.discard(gone)
  }

  /// - Returns: the attachments that are gone with them.
  private func purgeConversations(_ work: Work, due: Date) throws -> [String] {
    var files: [String] = []
    let owner = try LocalUser.id(in: work.inbox)
    let places = try work.own.fetch(
      FetchDescriptor<PlaceEntity>(
        predicate: #Predicate { $0.userID == owner && ($0.deletedAt != nil || $0.clearedUpTo != nil) }))
    for place in places where place.cleared.map({ $0 <= due }) == true {
      let id = place.conversationID
      let found = try work.inbox.fetch(
        FetchDescriptor<ConversationEntity>(predicate: #Predicate { $0.id == id }))
      // A message that came meanwhile brought it back, without what was deleted of it.
      if let conversation = found.first, !Standing.isDeleted(conversation, place) {
        files += try purgeCleared(conversation, place, work)
        continue
      }
      if let conversation = found.first {
        if try isShared(conversation, work) { continue }
        files += try work.inbox.fetch(
          FetchDescriptor<AttachmentEntity>(predicate: #Predicate { $0.message?.conversationID == id })
        ).map(\.id)
        try InboxService(context: work.inbox).delete(conversation)
      }
      work.own.delete(place)
    }
    return files
  }

  /// Deletes what the owner deleted of a conversation that a later message or the owner brought back, if no other person sees it.
  /// - Returns: the attachments that are gone with it.
  private func purgeCleared(_ conversation: ConversationEntity, _ place: PlaceEntity, _ work: Work) throws -> [String] {
    let (id, end) = (conversation.id, place.cleared ?? .distantPast)
    (place.deletedAt, place.clearedUpTo) = (nil, end)
    guard try !isShared(conversation, work), conversation.serverTime == 0 else { return [] }
    let messages = try work.inbox.fetch(
      FetchDescriptor<MessageEntity>(predicate: #Predicate { $0.conversationID == id && $0.createdAt <= end }))
    let files = messages.flatMap { $0.attachments.map(\.id) }
    try MessageVectorEntity.delete(of: messages.map(\.id), in: work.inbox)
    for message in messages { work.inbox.delete(message) }
    place.clearedUpTo = nil
    return files
  }

  /// Whether another person with an account on this server takes part, or a deletion would reach the inboxes of others.
  private func isShared(_ conversation: ConversationEntity, _ work: Work) throws -> Bool {
    if conversation.serverTime > 0, try SharedInboxEntity.of(work.inbox) != nil { return true }
    let people = conversation.participantIDs
    return try work.own.fetchCount(
      FetchDescriptor<AccountEntity>(predicate: #Predicate { people.contains($0.userID) })) > 0
  }

  /// Deletes what the owner deleted for themselves, if no other person sees it.
  /// - Returns: the attachments that are gone with them.
  private func purgeHidden(_ work: Work, due: Date) throws -> [String] {
    var files: [String] = []
    let owner = try LocalUser.id(in: work.inbox)
    let hidden = try work.own.fetch(
      FetchDescriptor<HiddenMessageEntity>(predicate: #Predicate { $0.userID == owner && $0.hiddenAt <= due }))
    for item in hidden {
      let id = item.messageID
      let message = try work.inbox.fetch(FetchDescriptor<MessageEntity>(predicate: #Predicate { $0.id == id })).first
      if let message {
        // The sync would bring back what others have.
        if let conversation = message.conversation, try isShared(conversation, work) || message.serverTime > 0 {
          continue
        }
        files += message.attachments.map(\.id)
        try MessageVectorEntity.delete(of: [id], in: work.inbox)
        work.inbox.delete(message)
      }
      work.own.delete(item)
    }
    return files
  }

  /// - Returns: the files that nothing shows any more.
  private func purgeMessages(_ work: Work, due: Date) throws -> [String] {
    let messages = try work.own.fetch(
      FetchDescriptor<DeletedMessageEntity>(predicate: #Predicate { $0.deletedAt <= due }))
    let files = messages.flatMap { message in
      (try? JSONDecoder().decode(MessageCopy.self, from: message.contents))?.attachments.map(\.id) ?? []
    }
    for message in messages { work.own.delete(message) }
    // Those that came back are in use.
    let used = try work.inbox.fetch(
      FetchDescriptor<AttachmentEntity>(predicate: #Predicate { files.contains($0.id) }))
    return Array(Set(files).subtracting(used.map(\.id)))
  }
}
