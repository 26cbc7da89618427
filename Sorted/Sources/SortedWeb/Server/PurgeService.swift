import Foundation
import ServiceLifecycle
import Sorted
import SwiftData

/// Really deletes what the owner deleted, once it cannot be had back any more: also what was deleted before a crash.
struct PurgeService: Service {
  let desk: Desk
  let files: FileCabinet
  let undoTime: TimeInterval

  func run() async throws {
    await cancelWhenGracefulShutdown {
      while !Task.isCancelled {
        try? await purge()
        try? await Task.sleep(for: .seconds(min(5, max(0.05, undoTime / 2))))
      }
    }
  }

  /// - Throws: `SwiftDataError`; what could not be deleted stays out of sight, and is tried again.
  func purge(now: Date = Date()) async throws {
    let due = now.addingTimeInterval(-undoTime)
    let gone = try await desk.write { work in
      try purgeConversations(work, due: due) + purgeMessages(work, due: due)
    }
    // Only what is really gone: a file without its message is harmless, a message without its file is not.
    files.discard(gone)
  }

  /// - Returns: the attachments that are gone with them.
  private func purgeConversations(_ work: Work, due: Date) throws -> [String] {
    var files: [String] = []
    let owner = try LocalUser.id(in: work.inbox)
    let places = try work.own.fetch(
      FetchDescriptor<PlaceEntity>(predicate: #Predicate { $0.userID == owner && $0.deletedAt != nil }))
    for place in places where place.deletedAt.map({ $0 <= due }) == true {
      let id = place.conversationID
      let found = try work.inbox.fetch(
        FetchDescriptor<ConversationEntity>(predicate: #Predicate { $0.id == id }))
      // A message that came meanwhile brought it back.
      if let conversation = found.first, Access.isHidden(conversation, place) {
        files += try work.inbox.fetch(
          FetchDescriptor<AttachmentEntity>(predicate: #Predicate { $0.message?.conversationID == id })
        ).map(\.id)
        try InboxService(context: work.inbox).delete(conversation)
      }
      work.own.delete(place)
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
