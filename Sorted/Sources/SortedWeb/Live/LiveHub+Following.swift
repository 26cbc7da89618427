import Foundation
import Sorted
import SwiftData

/// From changes of a result to events.
extension LiveHub {
  func followList(_ viewer: Viewer) async throws {
    let work = desk.now()
    let access = Access(work: work, viewer: viewer)
    for try await update in work.inbox.values(for: access.everything) {
      isWatching(.list(viewer), 0)
      let events = try update.changes.map { change in
        switch change {
        case .delete(let conversation, _): ServerEvent("gone", Slug.encode(conversation.id))
        case .insert(let conversation, _), .move(let conversation, _, _), .update(let conversation, _):
          try row(of: conversation, viewer)
        }
      }
      publish(events, to: .list(viewer))
      try await Task.sleep(for: Self.pace)
    }
  }

  /// What people keep about conversations changes their rows as well.
  func followPlaces(_ viewer: Viewer) async throws {
    let work = desk.now()
    let user = viewer.userID
    let places = FetchDescriptor<PlaceEntity>(predicate: #Predicate { $0.userID == user })
    for try await update in work.own.values(for: places) {
      isWatching(.list(viewer), 1)
      let ids = update.changes.map { change in
        switch change {
        case .delete(let place, _), .insert(let place, _), .move(let place, _, _), .update(let place, _):
          place.conversationID
        }
      }
      let conversations = try Access(work: desk.now(), viewer: viewer).conversations(ids)
      publish(try conversations.map { try row(of: $0, viewer) }, to: .list(viewer))
      try await Task.sleep(for: Self.pace)
    }
  }

  /// With contexts of its own: what is watched is only read where it belongs.
  private func row(of conversation: ConversationEntity, _ viewer: Viewer) throws -> ServerEvent {
    let access = Access(work: desk.now(), viewer: viewer)
    let place = try access.place(in: conversation.id)
    guard !Access.isHidden(conversation, place) else { return ServerEvent("gone", Slug.encode(conversation.id)) }
    let row = try ConversationRow(conversation, place, access, PageClock())
    return ServerEvent("row", pages.render("row", row))
  }

  func followThread(_ viewer: Viewer, _ id: String) async throws {
    let context = desk.now().inbox
    for try await update in context.values(for: ThreadReader.watched(id)) {
      isWatching(.thread(viewer, id), 0)
      // Who takes part may have changed meanwhile.
      let conversation = try Access(work: desk.now(), viewer: viewer).conversation(id)
      let clock = PageClock()
      let oldest = update.results.count == ThreadReader.watchedCount ? update.results.last?.createdAt : nil
      let events: [ServerEvent] = update.changes.compactMap { change in
        switch change {
        case .delete(let message, _):
          // Those that newer ones pushed out of the watched stretch are still there.
          if let oldest, message.createdAt <= oldest { return nil }
          return ServerEvent("message-gone", Slug.encode(message.id))
        case .insert(let message, _), .move(let message, _, _), .update(let message, _):
          return event(of: message, in: conversation, viewer, clock)
        }
      }
      publish(events, to: .thread(viewer, id))
      try await Task.sleep(for: Self.pace)
    }
  }

  func followStretch(_ viewer: Viewer, _ id: String, _ dates: ClosedRange<Date>) async throws {
    let context = desk.now().inbox
    for try await update in context.values(for: ThreadReader.range(id, dates)) {
      isWatching(.stretch(viewer, id, dates), 0)
      let conversation = try Access(work: desk.now(), viewer: viewer).conversation(id)
      let clock = PageClock()
      let events = update.changes.map { change in
        switch change {
        case .delete(let message, _): ServerEvent("message-gone", Slug.encode(message.id))
        case .insert(let message, _), .move(let message, _, _), .update(let message, _):
          event(of: message, in: conversation, viewer, clock)
        }
      }
      publish(events, to: .stretch(viewer, id, dates))
      try await Task.sleep(for: Self.pace)
    }
  }

  private func event(
    of message: MessageEntity, in conversation: ConversationEntity, _ viewer: Viewer, _ clock: PageClock
  ) -> ServerEvent {
    let row = MessageRow(message, in: conversation, viewer: viewer, clock)
    return ServerEvent("message", pages.render("message", row))
  }
}
