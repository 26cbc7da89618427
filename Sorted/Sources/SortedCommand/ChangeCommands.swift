import ArgumentParser
import Foundation
import Sorted

struct PinCommand: ChangeCommand {
  static let configuration = CommandConfiguration(
    commandName: "pin", abstract: "Pin a conversation to the top of the list.",
    discussion: """
      EXAMPLE
        sorted pin sample/john
      """)

  @OptionGroup var target: ConversationArgument
  @Flag(help: "Unpin it.") var undo = false
  @OptionGroup var store: StoreOptions
  @OptionGroup var output: OutputOptions

  func change(_ conversation: ConversationEntity, in inbox: InboxService) throws -> String {
    Self.words(try inbox.setPinned(!undo, conversation), undo ? "unpinned" : "pinned")
  }
}

struct MuteCommand: ChangeCommand {
  static let configuration = CommandConfiguration(
    commandName: "mute", abstract: "Mute a conversation.",
    discussion: """
      EXAMPLE
        sorted mute sample/bike
      """)

  @OptionGroup var target: ConversationArgument
  @Flag(help: "Unmute it.") var undo = false
  @OptionGroup var store: StoreOptions
  @OptionGroup var output: OutputOptions

  func change(_ conversation: ConversationEntity, in inbox: InboxService) throws -> String {
    Self.words(try inbox.setMuted(!undo, conversation), undo ? "unmuted" : "muted")
  }
}

struct ArchiveCommand: ChangeCommand {
  static let configuration = CommandConfiguration(
    commandName: "archive", abstract: "Archive a conversation, which hides it from the list.",
    discussion: """
      EXAMPLE
        sorted archive sample/landlord
      """)

  @OptionGroup var target: ConversationArgument
  @Flag(help: "Unarchive it.") var undo = false
  @OptionGroup var store: StoreOptions
  @OptionGroup var output: OutputOptions

  func change(_ conversation: ConversationEntity, in inbox: InboxService) throws -> String {
    Self.words(try inbox.setArchived(!undo, conversation), undo ? "brought back" : "archived")
  }
}

struct KeepCommand: ChangeCommand {
  static let configuration = CommandConfiguration(
    commandName: "keep", abstract: "Exclude a conversation from `sorted clean`.",
    discussion: """
      EXAMPLE
        sorted keep sample/studio
      """)

  @OptionGroup var target: ConversationArgument
  @Flag(help: "Include it in `sorted clean` again.") var undo = false
  @OptionGroup var store: StoreOptions
  @OptionGroup var output: OutputOptions

  func change(_ conversation: ConversationEntity, in inbox: InboxService) throws -> String {
    Self.words(try inbox.setKept(!undo, conversation), undo ? "not kept" : "kept")
  }
}

struct DeleteCommand: ChangeCommand {
  static let configuration = CommandConfiguration(
    commandName: "delete", abstract: "Delete a conversation with all its messages.",
    discussion: """
      EXAMPLE
        sorted delete sample/landlord
      """)

  @OptionGroup var target: ConversationArgument
  @OptionGroup var store: StoreOptions
  @OptionGroup var output: OutputOptions

  func change(_ conversation: ConversationEntity, in inbox: InboxService) throws -> String {
    try inbox.delete(conversation)
    return "deleted"
  }
}

/// The argument that names a conversation.
struct ConversationArgument: ParsableArguments {
  @Argument(help: "The id of the conversation, the beginning of it, or the conversation's name.")
  var id: String
}

/// A command that changes one conversation and prints the change.
protocol ChangeCommand: ParsableCommand {
  var target: ConversationArgument { get }
  var store: StoreOptions { get }
  var output: OutputOptions { get }
  /// - Returns: the change in a word or two.
  func change(_ conversation: ConversationEntity, in inbox: InboxService) throws -> String
}

extension ChangeCommand {
  func run() throws {
    let outcome = try store.withInbox { inbox in
      let conversation = try inbox.conversation(target.id)
      let id = conversation.id
      return Outcome(id: id, change: try change(conversation, in: inbox))
    }
    try output.print(outcome) { _ in "\(outcome.id): \(outcome.change)" }
  }

  fileprivate static func words(_ changed: Bool, _ word: String) -> String { changed ? word : "already \(word)" }
}

/// The JSON output of a changing command.
private struct Outcome: Encodable {
  let id: String
  let change: String
}
