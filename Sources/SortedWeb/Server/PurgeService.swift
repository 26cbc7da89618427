import Foundation
import ServiceLifecycle
import Sorted
import SwiftData

/// Really deletes what the owner deleted, once it cannot be had back any more: also what was deleted before a crash.
struct PurgeService: Service {
  let desk: Desk
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
    try await desk.write { work in
      let owner = try LocalUser.id(in: work.inbox)
      let places = try work.own.fetch(
        FetchDescriptor<PlaceEntity>(predicate: #Predicate { $0.userID == owner && $0.deletedAt != nil }))
      for place in places where place.deletedAt.map({ $0 <= due }) == true {
        let id = place.conversationID
        let found = try work.inbox.fetch(
          FetchDescriptor<ConversationEntity>(predicate: #Predicate { $0.id == id }))
        // A message that came meanwhile brought it back.
        if let conversation = found.first, Access.isHidden(conversation, place) {
          try InboxService(context: work.inbox).delete(conversation)
        }
        work.own.delete(place)
      }
    }
  }
}
