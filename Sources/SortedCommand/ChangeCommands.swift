import ArgumentParser
import Foundation
import Sorted

/// What a changing command prints as JSON.
private struct Outcome: Encodable {
  let id: String
  let change: String
}

struct SendCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "send",
    abstract: "Write a message: it is stored as being sent, and waits for a sync.",
    discussion: """
      EXAMPLE
        sorted send sample/john "See you at six"
      """)

  @Argument(help: "The id of the conversation, or its beginning.")
  var id: String

  @Argument(help: "The text.")
  var text: String

  @OptionGroup var options: InboxOptions

  func run() throws {
    let message = try options.withInbox { MessageSummary(try $0.send(text, to: try $0.conversation(id))) }
    try options.output(message) { _ in "Stored as \(message.status.rawValue), \(message.syncStatus.rawValue)." }
  }
}

struct PinCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "pin", abstract: "Pin a conversation, or unpin it.",
    discussion: """
      EXAMPLE
        sorted pin sample/john
      """)

  @Argument(help: "The id of the conversation, or its beginning.")
  var id: String

  @OptionGroup var options: InboxOptions

  func run() throws {
    try options.change(id) { try $0.togglePin($1) ? "pinned" : "unpinned" }
  }
}

struct MuteCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "mute", abstract: "Mute a conversation, or unmute it.",
    discussion: """
      EXAMPLE
        sorted mute sample/bike
      """)

  @Argument(help: "The id of the conversation, or its beginning.")
  var id: String

  @OptionGroup var options: InboxOptions

  func run() throws {
    try options.change(id) { try $0.toggleMute($1) ? "muted" : "unmuted" }
  }
}

struct ArchiveCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "archive", abstract: "Archive a conversation, or bring it back.",
    discussion: """
      EXAMPLE
        sorted archive sample/landlord
      """)

  @Argument(help: "The id of the conversation, or its beginning.")
  var id: String

  @OptionGroup var options: InboxOptions

  func run() throws {
    try options.change(id) { try $0.toggleArchive($1) ? "archived" : "brought back" }
  }
}

struct DeleteCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "delete", abstract: "Delete a conversation with all its messages.",
    discussion: """
      EXAMPLE
        sorted delete sample/landlord
      """)

  @Argument(help: "The id of the conversation, or its beginning.")
  var id: String

  @OptionGroup var options: InboxOptions

  func run() throws {
    try options.change(id) {
      try $0.delete($1)
      return "deleted"
    }
  }
}

extension InboxOptions {
  /// Changes one conversation and says what was done.
  fileprivate func change(
    _ id: String, _ body: (InboxService, ConversationEntity) throws -> String
  ) throws {
    let outcome = try withInbox { inbox in
      let conversation = try inbox.conversation(id)
      let id = conversation.id
      return Outcome(id: id, change: try body(inbox, conversation))
    }
    try output(outcome) { _ in "\(outcome.id): \(outcome.change)" }
  }
}
