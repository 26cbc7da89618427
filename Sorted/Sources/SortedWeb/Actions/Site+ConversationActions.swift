import Foundation
import Hummingbird
import Sorted
import SwiftData

extension Site {
  func addConversationActions(to router: Router<WebContext>) {
    router.post("c/:conversation/set") { request, context in
      let (form, visit) = try await form(request, context)
      let slug = try context.parameters.require("conversation")
      let id = try Slug.decode(slug)
      let change = try ConversationChange(form)
      try await write(visit.viewer) { try change.apply(to: try $0.conversation(id), $0) }
      guard let done = change.done else { return Pages.redirect(back(form)) }
      return Pages.redirect(Notice.path(back(form), done: done, of: slug))
    }
    router.post("c/:conversation/delete") { request, context in
      let (form, visit) = try await form(request, context)
      let slug = try context.parameters.require("conversation")
      let id = try Slug.decode(slug)
      try await write(visit.viewer) { access in
        let conversation = try access.conversation(id)
        // As late as its last message, however wrong a clock is.
        try access.makePlace(in: id).deletedAt = max(Date(), conversation.lastMessageAt ?? .distantPast)
      }
      let path = back(form)
      return Pages.redirect(Notice.path(path.hasPrefix("/c/\(slug)") ? "/" : path, done: "deleted", of: slug))
    }
    router.post("c/:conversation/restore") { request, context in
      let (form, visit) = try await form(request, context)
      let id = try Slug.decode(try context.parameters.require("conversation"))
      try await write(visit.viewer) { access in
        _ = try access.conversation(id)
        try access.place(in: id)?.deletedAt = nil
      }
      return Pages.redirect(Notice.path(back(form), done: "restored"))
    }
    router.post("c/:conversation/read") { request, context in
      let (form, visit) = try await form(request, context)
      let id = try Slug.decode(try context.parameters.require("conversation"))
      try await write(visit.viewer) { try ReadReceipts(access: $0).markAsRead(try $0.conversation(id)) }
      return Pages.done(request, back(form))
    }
    router.post("c/:conversation/draft") { request, context in
      let (form, visit) = try await form(request, context)
      let slug = try context.parameters.require("conversation")
      let id = try Slug.decode(slug)
      let text = try form.text("text")
      try await write(visit.viewer) { access in
        _ = try access.conversation(id)
        let draft = text.trimmingCharacters(in: .whitespacesAndNewlines).isEmpty ? "" : text
        if try !draft.isEmpty || access.place(in: id) != nil { try access.makePlace(in: id).draft = draft }
      }
      return Pages.done(request, Notice.path("/c/\(slug)", done: "draft"))
    }
  }

  /// Begins a conversation, or finds the one with the same people.
  func begin(_ people: [String], name: String, _ viewer: Viewer) async throws -> String {
    let others = people.filter { $0 != viewer.userID }
    guard !others.isEmpty, others.count <= 100, others.allSatisfy({ AccountName.isAllowed($0) }) else {
      throw PageError.invalid("Give the names of one to a hundred people, with blanks between.")
    }
    return try await write(viewer) { access in
      let conversation = ConversationEntity(
        participantIDs: [viewer.userID] + Set(others).sorted(), displayName: name.isEmpty ? nil : name,
        isGroup: others.count > 1)
      access.work.inbox.insert(conversation)
      return conversation.id
    }
  }
}

/// A change of how a conversation is kept.
private struct ConversationChange: Sendable {
  private enum Kind { case pinned, muted, archived }

  private let kind: Kind
  private let value: Bool
  /// What to say of it.
  let done: String?

  /// - Throws: ``PageError`` for a form without one.
  init(_ form: Form) throws {
    if form["pin"] != nil {
      (kind, value, done) = (.pinned, try form.flag("pin"), nil)
    } else if form["mute"] != nil {
      (kind, value, done) = (.muted, try form.flag("mute"), nil)
    } else if form["archive"] != nil {
      (kind, value) = (.archived, try form.flag("archive"))
      done = value ? "archived" : "unarchived"
    } else {
      throw PageError.invalid("The form does not say what to change.")
    }
  }

  func apply(to conversation: ConversationEntity, _ access: Access) throws {
    guard access.viewer.isOwner else {
      let place = try access.makePlace(in: conversation.id)
      switch kind {
      case .pinned: place.isPinned = value
      case .muted: place.isMuted = value
      case .archived: place.isArchived = value
      }
      return
    }
    let inbox = InboxService(context: access.work.inbox)
    switch kind {
    case .pinned: try inbox.setPinned(value, conversation)
    case .muted: try inbox.setMuted(value, conversation)
    case .archived: try inbox.setArchived(value, conversation)
    }
  }
}

/// Notes that somebody has seen a conversation.
struct ReadReceipts {
  let access: Access
  /// As many as are told to those who wrote them; nobody waits for older ones.
  private static let maximum = 200

  func markAsRead(_ conversation: ConversationEntity) throws {
    guard !access.viewer.isOwner else {
      return try InboxService(context: access.work.inbox).markAsRead(conversation)
    }
    let place = try access.makePlace(in: conversation.id)
    let since = place.readUpTo ?? .distantPast
    guard let last = conversation.lastMessageAt, last > since else { return }
    let (id, user) = (conversation.id, access.viewer.userID)
    var unread = FetchDescriptor<MessageEntity>(
      predicate: #Predicate { $0.conversationID == id && $0.createdAt > since && $0.senderID != user },
      sortBy: [SortDescriptor(\.createdAt, order: .reverse)])
    unread.fetchLimit = Self.maximum
    for message in try access.work.inbox.fetch(unread) {
      message.markAsRead(by: user, participants: conversation.participantIDs)
    }
    place.readUpTo = last
  }
}
