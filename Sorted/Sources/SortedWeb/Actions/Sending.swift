import Foundation
import Sorted
import SwiftData

/// The identifier that a page gives what its form makes, so that a form that is sent again makes it once.
struct FormKey: Sendable {
  let id: String

  /// - Throws: ``PageError`` for what is no UUID.
  init(_ form: Form) throws {
    guard let text = form["key"], let uuid = UUID(uuidString: text) else {
      throw PageError.invalid("The form has no key. Open the page again.")
    }
    id = uuid.uuidString
  }

  private init() { id = UUID().uuidString }

  /// The key of a form, or a new one for a form without a key.
  /// - Throws: ``PageError`` for what is no UUID.
  static func any(_ form: Form) throws -> FormKey { try form["key"] == nil ? FormKey() : FormKey(form) }

  /// The identifier of what a person makes with the form. Another person makes nothing with the same identifier, whatever key they send.
  func identifier(of kind: String, by user: String) -> String { Secret.digest("\(kind)\u{1F}\(user)\u{1F}\(id)") }

  /// The identifier of what a person makes with the form and its fields. The same form with the same fields has the same identifier again.
  ///
  /// A page that a browser shows again sends other fields with the key of its first form, and makes something else with them.
  /// - Parameter isOther: whether something else has an identifier, for example what the form made before and the person changed since.
  func identifier(
    of kind: String, _ fields: [String], by user: String, isOther: (String) throws -> Bool
  ) rethrows -> String {
    var number = 0
    while true {
      let id = identifier(of: ([kind, String(number)] + fields).joined(separator: "\u{1E}"), by: user)
      if try !isOther(id) { return id }
      number += 1
    }
  }
}

/// Writes messages for the viewer. The rules of messages are ``InboxService``'s.
struct Sending {
  let access: Access

  /// - Returns: whether it is new. A message that a browser sends again without an answer to the first time is not.
  func send(
    _ text: String, id: String, replyTo: String?, _ files: [FileCabinet.Stored], to conversation: ConversationEntity
  ) throws -> Bool {
    let context = access.work.inbox
    let found = try context.fetch(FetchDescriptor<MessageEntity>(predicate: #Predicate { $0.id == id }))
    if let message = found.first {
      guard message.conversationID == conversation.id, isMine(message) else { throw PageError.notFound }
      // The first time may have failed after the message was stored.
      if let place = try access.place(in: conversation.id), place.draft == message.text { place.draft = "" }
      return false
    }
    try access.checkBlocks(in: conversation)
    if let replyTo { _ = try access.message(replyTo, in: conversation) }
    let sender = access.viewer.isOwner ? nil : access.viewer.userID
    try InboxService(context: context).send(
      text, to: conversation, from: sender, id: id, replyTo: replyTo, attachments: files.map(\.attachment))
    if let place = try access.place(in: conversation.id) { place.draft = "" }
    // A message of one's own brings an archived conversation back, as one of others does.
    if access.viewer.isOwner { _ = try InboxService(context: context).setArchived(false, conversation) }
    return true
  }

  func edit(_ message: MessageEntity, text: String) throws {
    try check(message)
    let sender = access.viewer.isOwner ? nil : access.viewer.userID
    try InboxService(context: access.work.inbox).edit(message, text: text, by: sender)
  }

  /// - Throws: ``PageError`` for another person's message, and for what the server noted about a group.
  func check(_ message: MessageEntity) throws {
    guard isMine(message), !message.isGroupEvent else {
      throw PageError(.forbidden, "Not yours", "Only the author of a message can change it.")
    }
  }

  private func isMine(_ message: MessageEntity) -> Bool {
    message.senderID == access.viewer.userID || access.viewer.isOwner && message.senderID == LocalUser.placeholder
  }
}
