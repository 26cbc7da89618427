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
    let spam = try AssistInbox(context: access.work.inbox).spamConversations(for: viewer.userID)
    let places = place.map { [conversation.id: $0] } ?? [:]
    try access.work.people.read(conversation.isGroup ? [] : conversation.participantIDs)
    let row = ConversationRow(
      conversation, place, access, PageClock(),
      unread: try UnreadCounts([conversation], places, access)[conversation], isSpam: spam.contains(conversation.id))
    return ServerEvent("row", pages.render("row", row))
  }

  func followThread(_ viewer: Viewer, _ id: String) async throws {
    let context = desk.now().inbox
    for try await update in context.values(for: ThreadReader.watched(id)) {
      isWatching(.thread(viewer, id), 0)
      // The participants may have changed meanwhile.
      let scene = try scene(id, viewer, update.changes)
      // More may have come at once than is watched: what went by is read by the pages.
      guard update.changes.count(where: { if case .insert = $0 { true } else { false } }) < ThreadReader.watchedCount
      else {
        publish([ServerEvent("thread-changed", Slug.encode(id))], to: .thread(viewer, id))
        try await Task.sleep(for: Self.pace)
        continue
      }
      let oldest = update.results.count == ThreadReader.watchedCount ? update.results.last?.createdAt : nil
      let events: [ServerEvent] = update.changes.compactMap { change in
        switch change {
        case .delete(let message, _):
          // Those that newer ones pushed out of the watched stretch are still there.
          if let oldest, message.createdAt <= oldest { return nil }
          return Self.gone(message.id, in: id)
        case .insert(let message, _), .move(let message, _, _), .update(let message, _):
          return event(of: message, scene)
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
      let scene = try scene(id, viewer, update.changes)
      let events = update.changes.map { change in
        switch change {
        case .delete(let message, _): Self.gone(message.id, in: id)
        case .insert(let message, _), .move(let message, _, _), .update(let message, _):
          event(of: message, scene)
        }
      }
      publish(events, to: .stretch(viewer, id, dates))
      try await Task.sleep(for: Self.pace)
    }
  }

  /// What changed messages are shown in, with the messages that they answer.
  /// - Throws: ``PageError/notFound`` where the viewer does not see the conversation any more.
  private func scene(
    _ id: String, _ viewer: Viewer, _ changes: [ModelContext.ResultsUpdate<MessageEntity>.Change]
  ) throws -> ThreadScene {
    let access = Access(work: desk.now(), viewer: viewer)
    var scene = try ThreadScene(access, try access.conversation(id))
    let shown = changes.compactMap { change in
      switch change {
      case .delete: nil as MessageEntity?
      case .insert(let message, _), .move(let message, _, _), .update(let message, _): message
      }
    }
    try scene.quote(shown, access.work.inbox)
    return scene
  }

  private func event(of message: MessageEntity, _ scene: ThreadScene) -> ServerEvent {
    guard !scene.hidden.contains(message.id) else { return Self.gone(message.id, in: message.conversationID) }
    return ServerEvent("message", pages.render("message", MessageRow(message, scene)))
  }

  static func gone(_ id: String, in conversationID: String) -> ServerEvent {
    ServerEvent("message-gone", "\(Slug.encode(conversationID)) \(Slug.encode(id))")
  }
}
