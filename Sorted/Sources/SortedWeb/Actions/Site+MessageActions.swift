import Foundation
import Hummingbird
import Sorted
import SwiftData

extension Site {
  func addMessageActions(to router: Router<WebContext>) {
    router.post("c/:conversation/send") { request, context in
      let (form, visit) = try await form(request, context)
      let slug = try context.parameters.require("conversation")
      let id = try Slug.decode(slug)
      if form["save"] != nil { return try await saveDraft(form, id, slug, visit.viewer) }
      let key = try MessageKey(form)
      var text = try form.text("text")
      let stored = try files.store(form.files)
      if text.trimmingCharacters(in: .whitespacesAndNewlines).isEmpty, let first = stored.first { text = first.name }
      let message = text
      do {
        try await write(visit.viewer) { access in
          try Sending(access: access).send(message, id: key.id, stored, to: try access.conversation(id))
        }
      } catch {
        files.discard(stored)
        throw error
      }
      return Pages.done(request, "/c/\(slug)")
    }
    router.post("c/:conversation/m/:message/edit") { request, context in
      let (form, visit) = try await form(request, context)
      let slug = try context.parameters.require("conversation")
      let text = try form.text("text")
      try await change(context, visit.viewer) { message, conversation, access in
        try Sending(access: access).edit(message, in: conversation, text: text)
      }
      return Pages.redirect("/c/\(slug)")
    }
    router.post("c/:conversation/m/:message/delete") { request, context in
      let (form, visit) = try await form(request, context)
      try await change(context, visit.viewer) { message, conversation, access in
        try Sending(access: access).delete(message, in: conversation)
      }
      let names = [try context.parameters.require("conversation"), try context.parameters.require("message")]
      return Pages.redirect(Notice.path(back(form), done: "message-deleted", of: names.joined(separator: ".")))
    }
    router.post("c/:conversation/m/:message/restore") { request, context in
      let (form, visit) = try await form(request, context)
      let id = try Slug.decode(try context.parameters.require("conversation"))
      let message = try Slug.decode(try context.parameters.require("message"))
      try await write(visit.viewer) { access in
        try DeletedMessages(access: access).restore(message, in: try access.conversation(id))
      }
      return Pages.redirect(Notice.path(back(form), done: "message-restored"))
    }
    router.post("c/:conversation/m/:message/retry") { request, context in
      let (form, visit) = try await form(request, context)
      try await change(context, visit.viewer) { message, _, access in
        try Sending(access: access).check(message)
        message.retry()
      }
      syncSoon()
      return Pages.redirect(Notice.path(back(form), done: "retry"))
    }
  }

  /// Changes the message that an address names.
  private func change(
    _ context: WebContext, _ viewer: Viewer,
    _ body: @escaping @Sendable (MessageEntity, ConversationEntity, Access) throws -> Void
  ) async throws {
    let id = try Slug.decode(try context.parameters.require("conversation"))
    let messageID = try Slug.decode(try context.parameters.require("message"))
    try await write(viewer) { access in
      let conversation = try access.conversation(id)
      try body(try access.message(messageID, in: conversation), conversation, access)
    }
  }

  private func saveDraft(_ form: Form, _ id: String, _ slug: String, _ viewer: Viewer) async throws -> Response {
    let text = try form.text("text")
    try await write(viewer) { access in
      _ = try access.conversation(id)
      try access.makePlace(in: id).draft = text
    }
    return Pages.redirect(Notice.path("/c/\(slug)", done: "draft"))
  }

  /// Asks the sync to begin, if there is one; nobody waits for it.
  func syncSoon() {
    guard let sync else { return }
    Task { await sync.sync() }
  }
}

/// The identifier that a page gives a message, so that one that is sent again is stored once.
private struct MessageKey: Sendable {
  let id: String

  /// - Throws: ``PageError`` for what is no UUID.
  init(_ form: Form) throws {
    guard let text = form["key"], let uuid = UUID(uuidString: text) else {
      throw PageError.invalid("The form has no key. Open the page again.")
    }
    id = uuid.uuidString
  }
}

/// What somebody does with messages.
struct Sending {
  let access: Access

  func send(_ text: String, id: String, _ files: [FileCabinet.Stored], to conversation: ConversationEntity) throws {
    let context = access.work.inbox
    let found = try context.fetch(FetchDescriptor<MessageEntity>(predicate: #Predicate { $0.id == id }))
    if let message = found.first {
      // Sent again because nobody heard that it had arrived.
      guard message.conversationID == conversation.id, isMine(message) else { throw PageError.notFound }
      return
    }
    let sender = access.viewer.isOwner ? nil : access.viewer.userID
    try InboxService(context: context).send(
      text, to: conversation, from: sender, id: id, attachments: files.map(\.attachment))
    if let place = try access.place(in: conversation.id) { place.draft = "" }
  }

  func edit(_ message: MessageEntity, in conversation: ConversationEntity, text: String) throws {
    try check(message)
    guard !text.trimmingCharacters(in: .whitespacesAndNewlines).isEmpty else {
      throw PageError.invalid("A message cannot be empty. Delete it instead.")
    }
    message.edit(text: text)
    if conversation.lastMessageAt == message.createdAt { conversation.lastMessageText = text }
  }

  /// On this side: what the server has, others keep.
  func delete(_ message: MessageEntity, in conversation: ConversationEntity) throws {
    // The owner may clean up their own store; others share it.
    if !access.viewer.isOwner { try check(message) }
    try DeletedMessages(access: access).delete(message, in: conversation)
  }

  /// - Throws: ``PageError`` for a message of somebody else.
  func check(_ message: MessageEntity) throws {
    guard isMine(message) else {
      throw PageError(.forbidden, "Not yours", "Only who wrote a message can change it.")
    }
  }

  private func isMine(_ message: MessageEntity) -> Bool {
    message.senderID == access.viewer.userID || access.viewer.isOwner && message.senderID == LocalUser.placeholder
  }
}
