import Foundation
import Hummingbird
import Sorted
import SwiftData

/// Actions on a conversation as a whole.
struct ConversationController: Sendable {
  let site: Site

  func begin(_ request: Request, _ context: WebContext) async throws -> Response {
    let (form, visit) = try await site.form(request, context)
    let (people, mayInvite) = (try form.text("people", maximum: 1_000), try form.flag("invite"))
    let name = try form.text("name", maximum: 200).trimmingCharacters(in: .whitespacesAndNewlines)
    let key = try FormKey.any(form)
    do {
      let id = try await site.write(visit.viewer) {
        try Beginning(access: $0, key: key).begin(people, name: name, mayInvite: mayInvite)
      }
      return Pages.redirect("/c/\(Slug.encode(id))")
    } catch let unknown as UnknownPeople {
      return try await ask(unknown, "/new", groupName: name, key, request, visit)
    }
  }

  /// Asks before a place is kept for a name that no person has: it may be mistyped.
  private func ask(
    _ unknown: UnknownPeople, _ action: String, groupName: String, _ key: FormKey, _ request: Request, _ visit: Visit
  ) async throws -> Response {
    var view = try await site.view(request, visit, section: "inbox")
    view.path = "/"
    return site.pages.page(
      "unknown", "This name is unknown", UnknownPage(unknown, action, groupName: groupName, key), view)
  }

  /// The question whether to invite.
  private struct UnknownPage {
    struct Name {
      let unknownName: String
    }

    let unknown: [Name]
    let typed: String
    let groupName: String
    let key: String
    let action: String
    let suggestions: [UnknownPeople.Suggestion]
    let hasSuggestions: Bool
    let inviteLabel: String

    init(_ people: UnknownPeople, _ action: String, groupName: String, _ key: FormKey) {
      unknown = people.names.map(Name.init)
      typed = people.typed
      self.groupName = groupName
      self.key = key.id
      self.action = action
      suggestions = people.suggestions
      hasSuggestions = !suggestions.isEmpty
      inviteLabel = String(translated: "Invite \(people.names.joined(separator: ", "))")
    }
  }

  func set(_ request: Request, _ context: WebContext) async throws -> Response {
    let (form, visit) = try await site.form(request, context)
    let id = try context.id("conversation")
    let change = try ConversationChange(form)
    try await site.write(visit.viewer) { try change.apply(to: try $0.conversation(id), $0) }
    guard let done = change.done else { return Pages.redirect(site.back(form)) }
    return Pages.redirect(Notice.path(site.back(form), done: done, of: Slug.encode(id)))
  }

  /// Deletes it for oneself: others keep it.
  func delete(_ request: Request, _ context: WebContext) async throws -> Response {
    let (form, visit) = try await site.form(request, context)
    let id = try context.id("conversation")
    try await site.write(visit.viewer) { access in
      let conversation = try access.conversation(id)
      // As late as its last message, however wrong a clock is.
      let place = try access.makePlace(in: id)
      let date = max(Date(), conversation.lastMessageAt ?? .distantPast)
      (place.deletedAt, place.clearedUpTo) = (date, date)
      // What was not read until then is gone with it.
      if access.viewer.isOwner, conversation.serverTime == 0 { conversation.markAsRead() }
    }
    let (path, slug) = (site.back(form), Slug.encode(id))
    return Pages.redirect(Notice.path(path.hasPrefix("/c/\(slug)") ? "/" : path, done: "deleted", of: slug))
  }

  func restore(_ request: Request, _ context: WebContext) async throws -> Response {
    let (form, visit) = try await site.form(request, context)
    let id = try context.id("conversation")
    try await site.write(visit.viewer) { access in
      _ = try access.conversation(id)
      let place = try access.place(in: id)
      place?.deletedAt = nil
      place?.clearedUpTo = nil
    }
    return Pages.redirect(Notice.path(site.back(form), done: "restored"))
  }

  func read(_ request: Request, _ context: WebContext) async throws -> Response {
    let (form, visit) = try await site.form(request, context)
    let id = try context.id("conversation")
    let seen = try form["upTo"].map { try PageClock.date($0, isLast: true, field: "upTo") }
    try await site.write(visit.viewer) { try ReadReceipts(access: $0).markAsRead(try $0.conversation(id), upTo: seen) }
    return Pages.done(request, site.back(form))
  }

  func saveDraft(_ request: Request, _ context: WebContext) async throws -> Response {
    let (form, visit) = try await site.form(request, context)
    let id = try context.id("conversation")
    let text = try form.text("text")
    let key = try form["key"] == nil ? nil : FormKey(form)
    try await site.write(visit.viewer) { access in
      let conversation = try access.conversation(id)
      // The draft comes after the message that it became.
      if let key, try ifThere({ try access.anyMessage(key.id, in: conversation) }) != nil { return }
      let draft = text.trimmingCharacters(in: .whitespacesAndNewlines).isEmpty ? "" : text
      if try !draft.isEmpty || access.place(in: id) != nil { try access.makePlace(in: id).draft = draft }
    }
    return Pages.done(request, Notice.path("/c/\(Slug.encode(id))", done: "draft"))
  }

  /// Leaves a group. The others keep it, and the person who left sees nothing of it any more.
  func leave(_ request: Request, _ context: WebContext) async throws -> Response {
    let (_, visit) = try await site.form(request, context)
    let id = try context.id("conversation")
    let viewer = visit.viewer
    try await site.write(viewer) { access in
      let conversation = try access.conversation(id)
      guard conversation.isGroup else { throw PageError.invalid("Only a group can be left. Delete the conversation.") }
      let inbox = InboxService(context: access.work.inbox)
      // A sync server takes no message of a person who left.
      if try !access.work.isSynced() { try GroupEvent.left.note(in: conversation, access) }
      try inbox.changePeople(of: conversation, removing: [viewer.userID])
      try access.place(in: id)?.isAdmin = false
      guard viewer.isOwner else { return }
      if try SharedInboxEntity.of(access.work.inbox) != nil {
        // Who shared it goes on getting what the others write, so hiding what is there would not do.
        try inbox.setArchived(true, conversation)
      } else {
        let (place, date) = (try access.makePlace(in: id), max(Date(), conversation.lastMessageAt ?? Date()))
        (place.deletedAt, place.clearedUpTo) = (date, date)
      }
    }
    if !viewer.isOwner { await site.hub.close(thread: id, of: viewer) }
    return Pages.redirect(Notice.path("/", done: "left"))
  }

  func addPeople(_ request: Request, _ context: WebContext) async throws -> Response {
    let (form, visit) = try await site.form(request, context)
    let id = try context.id("conversation")
    let (people, mayInvite) = (try form.text("people", maximum: 1_000), try form.flag("invite"))
    let key = try FormKey.any(form)
    do {
      try await site.write(visit.viewer) {
        try Beginning(access: $0, key: key).add(people, to: try $0.conversation(id), mayInvite: mayInvite)
      }
      return Pages.redirect("/c/\(Slug.encode(id))")
    } catch let unknown as UnknownPeople {
      return try await ask(unknown, "/c/\(Slug.encode(id))/people", groupName: "", key, request, visit)
    }
  }

  /// Removes a person from a group. The person sees nothing of it any more.
  func removePerson(_ request: Request, _ context: WebContext) async throws -> Response {
    let (_, visit) = try await site.form(request, context)
    let (id, person) = (try context.id("conversation"), try context.id("person"))
    try await site.write(visit.viewer) { try GroupAdmins(of: try $0.conversation(id), $0).remove(person) }
    for viewer in [Viewer.member(person), .owner(person)] { await site.hub.close(thread: id, of: viewer) }
    site.syncSoon()
    return Pages.redirect("/c/\(Slug.encode(id))")
  }

  /// Makes a person an admin of a group, or takes it back.
  func appoint(_ request: Request, _ context: WebContext) async throws -> Response {
    let (form, visit) = try await site.form(request, context)
    let (id, person) = (try context.id("conversation"), try context.id("person"))
    let isAdmin = try form.flag("admin")
    try await site.write(visit.viewer) { try GroupAdmins(of: try $0.conversation(id), $0).appoint(person, isAdmin) }
    return Pages.redirect("/c/\(Slug.encode(id))")
  }

  /// Changes the name of a group, for all who take part.
  func rename(_ request: Request, _ context: WebContext) async throws -> Response {
    let (form, visit) = try await site.form(request, context)
    let id = try context.id("conversation")
    let name = try form.text("name", maximum: 200).trimmingCharacters(in: .whitespacesAndNewlines)
    try await site.write(visit.viewer) { access in
      let conversation = try access.conversation(id)
      guard conversation.isGroup, !name.isEmpty else {
        throw PageError.invalid("Only a group has a name, and not an empty one.")
      }
      guard conversation.displayName != name else { return }
      try GroupEvent.named(name).note(in: conversation, access)
      conversation.displayName = name
      conversation.noteChange(of: .displayName)
    }
    site.syncSoon()
    return Pages.redirect("/c/\(Slug.encode(id))")
  }
}

/// A change of how a conversation is kept.
private struct ConversationChange: Sendable {
  private enum Kind { case pinned, muted, archived, accepted }

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
    } else if form["accept"] != nil {
      (kind, value, done) = (.accepted, try form.flag("accept"), "accepted")
    } else if form["archive"] != nil {
      (kind, value) = (.archived, try form.flag("archive"))
      done = value ? "archived" : "unarchived"
    } else {
      throw PageError.invalid("The form does not say what to change.")
    }
  }

  func apply(to conversation: ConversationEntity, _ access: Access) throws {
    let place = try access.makePlace(in: conversation.id)
    // One that a message brought back stays in the list when it is muted.
    if kind == .muted, try !access.standings(of: conversation.id)[conversation].isArchived {
      place.isArchived = false
      if access.viewer.isOwner { try InboxService(context: access.work.inbox).setArchived(false, conversation) }
    }
    if kind == .archived { place.archivedUpTo = value ? conversation.lastMessageAt ?? .distantPast : nil }
    guard access.viewer.isOwner else {
      switch kind {
      case .pinned: place.isPinned = value
      case .muted: place.isMuted = value
      case .archived: place.isArchived = value
      case .accepted: place.isAccepted = value
      }
      return
    }
    let inbox = InboxService(context: access.work.inbox)
    switch kind {
    case .accepted: place.isAccepted = value
    case .pinned: try inbox.setPinned(value, conversation)
    case .muted: try inbox.setMuted(value, conversation)
    case .archived: try inbox.setArchived(value, conversation)
    }
  }
}
