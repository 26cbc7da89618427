import Foundation
import Hummingbird
import Sorted
import SwiftData

/// Actions on messages.
struct MessageController: Sendable {
  let site: Site

  /// Stores a message once, however often it is sent. A script gets it as the thread shows it.
  func send(_ request: Request, _ context: WebContext) async throws -> Response {
    let (form, visit) = try await site.form(request, context)
    let id = try context.id("conversation")
    let slug = Slug.encode(id)
    if form["save"] != nil { return try await saveDraft(form, id, visit.viewer) }
    let key = try FormKey(form)
    let reply = try form["reply"].flatMap { $0.isEmpty ? nil : try Slug.decode($0) }
    var text = try form.text("text")
    let stored = try site.files.store(form.files)
    if text.trimmingCharacters(in: .whitespacesAndNewlines).isEmpty, let first = stored.first { text = first.name }
    let (message, files) = (text, site.files)
    let isNew = try await site.write(visit.viewer) { access in
      access.work.ifRefused { files.discard(stored) }
      return try Sending(access: access).send(
        message, id: key.id, replyTo: reply, stored, to: try access.conversation(id))
    }
    if !isNew { files.discard(stored) }
    site.syncSoon()
    guard Pages.isFromScript(request) else { return Pages.redirect("/c/\(slug)") }
    return Pages.html(try await rendered(key.id, in: id, visit.viewer))
  }

  private func rendered(_ id: String, in conversationID: String, _ viewer: Viewer) async throws -> String {
    let pages = site.pages
    return try await site.read(viewer) { access in
      let conversation = try access.conversation(conversationID)
      var scene = try ThreadScene(access, conversation)
      guard let message = scene.sight.seen(try access.anyMessage(id, in: conversation)) else {
        throw PageError.notFound
      }
      try scene.quote([message], access.work.inbox)
      return pages.render("message", MessageRow(message, scene))
    }
  }

  func edit(_ request: Request, _ context: WebContext) async throws -> Response {
    let (form, visit) = try await site.form(request, context)
    let text = try form.text("text")
    let slug = try await change(context, visit.viewer, .forAll) { message, _, access in
      try Sending(access: access).edit(message, text: text)
    }
    site.syncSoon()
    return Pages.redirect("/c/\(slug.conversation)")
  }

  /// Deletes a message for oneself: others keep it.
  func deleteForMe(_ request: Request, _ context: WebContext) async throws -> Response {
    let (form, visit) = try await site.form(request, context)
    let slug = try await change(context, visit.viewer, .forOneself) { message, _, access in
      try DeletedMessages(access: access).hide(message)
    }
    await site.hub.announce(
      [ServerEvent("message-gone", "\(slug.conversation) \(slug.message)")],
      to: .thread(visit.viewer, try context.id("conversation")))
    return Pages.redirect(
      Notice.path(site.back(form), done: "message-hidden", of: "\(slug.conversation).\(slug.message)"))
  }

  /// Deletes a message of one's own for everybody.
  func deleteForEverybody(_ request: Request, _ context: WebContext) async throws -> Response {
    let (form, visit) = try await site.form(request, context)
    let slug = try await change(context, visit.viewer, .takingBack) { message, _, access in
      try DeletedMessages(access: access).delete(message)
    }
    site.syncSoon()
    return Pages.redirect(
      Notice.path(site.back(form), done: "message-deleted", of: "\(slug.conversation).\(slug.message)"))
  }

  func restore(_ request: Request, _ context: WebContext) async throws -> Response {
    let (form, visit) = try await site.form(request, context)
    let id = try context.id("conversation")
    let message = try context.id("message")
    try await site.write(visit.viewer) { access in
      try DeletedMessages(access: access).restore(message, in: try access.conversation(id))
    }
    site.syncSoon()
    return Pages.redirect(Notice.path(site.back(form), done: "message-restored"))
  }

  func retry(_ request: Request, _ context: WebContext) async throws -> Response {
    let (form, visit) = try await site.form(request, context)
    _ = try await change(context, visit.viewer, .takingBack) { message, _, access in
      try Sending(access: access).check(message)
      message.retry()
    }
    site.syncSoon()
    return Pages.redirect(Notice.path(site.back(form), done: "retry"))
  }

  func react(_ request: Request, _ context: WebContext) async throws -> Response {
    let (form, visit) = try await site.form(request, context)
    let emoji = try form.text("emoji", maximum: 20)
    let slug = try await change(context, visit.viewer, .forAll) { message, _, access in
      try InboxService(context: access.work.inbox).react(
        emoji.isEmpty ? nil : emoji, to: message, by: access.viewer.userID)
    }
    site.syncSoon()
    return Pages.done(request, "/c/\(slug.conversation)")
  }

  func pin(_ request: Request, _ context: WebContext) async throws -> Response {
    let (form, visit) = try await site.form(request, context)
    let isPinned = try form.flag("pinned")
    let slug = try await change(context, visit.viewer, .forAll) { message, conversation, access in
      try InboxService(context: access.work.inbox).setPinned(
        isPinned, message, in: conversation, by: access.viewer.userID)
    }
    return Pages.redirect(Notice.path("/c/\(slug.conversation)", done: isPinned ? "pinned" : "unpinned"))
  }

  /// Sends the text of a message to other conversations.
  func forward(_ request: Request, _ context: WebContext) async throws -> Response {
    let (form, visit) = try await site.form(request, context)
    let target = try Slug.decode(try form.text("to", maximum: 400))
    let key = try FormKey(form)
    let id = try context.id("conversation")
    let messageID = try context.id("message")
    let files = site.files
    try await site.write(visit.viewer) { access in
      let message = try access.message(messageID, in: try access.conversation(id)).entity
      guard message.deletedAt == nil else { throw PageError.notFound }
      let copies = try files.copy(message.attachments)
      access.work.ifRefused { files.discard(copies) }
      let isNew = try Sending(access: access).send(
        message.text, id: key.id, replyTo: nil, copies, to: try access.conversation(target))
      // The same form again, whose answer was lost.
      if !isNew { files.discard(copies) }
    }
    site.syncSoon()
    return Pages.redirect("/c/\(Slug.encode(target))")
  }

  // MARK: - One message

  /// Whom a change of a message reaches.
  private enum Reach {
    /// The others see it, so neither of two people who blocked each other may.
    case forAll
    /// The others see it, and it only takes away what the viewer wrote or sends it again.
    case takingBack
    /// It may be made twice: its answer may have been lost.
    case forOneself
  }

  /// Changes the message that an address names.
  /// - Returns: what addresses call both.
  private func change(
    _ context: WebContext, _ viewer: Viewer, _ reach: Reach,
    _ body: @escaping @Sendable (MessageEntity, ConversationEntity, Access) throws -> Void
  ) async throws -> (conversation: String, message: String) {
    let id = try context.id("conversation")
    let messageID = try context.id("message")
    try await site.write(viewer) { access in
      let conversation = try access.conversation(id)
      if reach == .forAll { try access.checkBlocks(in: conversation) }
      let message =
        try reach == .forOneself
        ? access.anyMessage(messageID, in: conversation) : access.message(messageID, in: conversation).entity
      try body(message, conversation, access)
    }
    return (Slug.encode(id), Slug.encode(messageID))
  }

  private func saveDraft(_ form: Form, _ id: String, _ viewer: Viewer) async throws -> Response {
    let text = try form.text("text")
    try await site.write(viewer) { access in
      _ = try access.conversation(id)
      try access.makePlace(in: id).draft = text
    }
    return Pages.redirect(Notice.path("/c/\(Slug.encode(id))", done: "draft"))
  }
}

extension Site {
  /// Starts a sync in the background, if there is a sync server.
  func syncSoon() {
    guard let sync else { return }
    Task { await sync.sync() }
  }
}
