import ArgumentParser
import Foundation
import Sorted

struct PeopleCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "people",
    abstract: "Show who takes part in a conversation; add and remove people.",
    discussion: """
      The next sync tells the others. Who is removed loses the conversation
      where the inbox syncs with a sync server (sorted sync --server).

      EXAMPLE
        sorted people sample/john --add eve --remove john
      """)

  @OptionGroup var target: ConversationArgument

  @Option(help: ArgumentHelp("A person to add; repeatable.", valueName: "user"))
  var add: [String] = []

  @Option(help: ArgumentHelp("A person to remove; repeatable.", valueName: "user"))
  var remove: [String] = []

  @OptionGroup var store: StoreOptions
  @OptionGroup var output: OutputOptions

  func run() throws {
    let conversation = try store.withInbox { inbox in
      let conversation = try inbox.conversation(target.id)
      try inbox.changePeople(of: conversation, adding: add, removing: remove)
      return ConversationSummary(conversation)
    }
    try output.print(conversation) { rendering in
      conversation.participants.map(rendering.safe).joined(separator: "\n")
    }
  }
}
