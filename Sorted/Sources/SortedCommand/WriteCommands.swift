import ArgumentParser
import Foundation
import Sorted

struct SendCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "send",
    abstract: "Write a message. It is stored at once and sent by the next sync.",
    discussion: """
      With --lines each line of the standard input is a message; the id of each
      is printed as soon as it is stored.

      EXAMPLE
        sorted send sample/john "See you at six"
      """)

  @OptionGroup var target: ConversationArgument

  @Argument(help: "The text of the message.")
  var text: String?

  @Flag(help: "Read messages from the standard input, one a line.")
  var lines = false

  @OptionGroup var clock: ClockOptions
  @OptionGroup var store: StoreOptions
  @OptionGroup var output: OutputOptions

  func validate() throws {
    if (text == nil) != lines { throw ValidationError("give the text of a message, or --lines") }
  }

  func run() throws {
    let now = clock.environment.now
    guard let text else {
      return try store.withContext { context in
        let inbox = InboxService(context: context)
        let conversation = try inbox.conversation(target.id)
        while let line = readLine() {
          let message = try inbox.send(line, to: conversation, now: now())
          // Each line is a message of its own, and printed once it is stored.
          try context.save()
          try output.printLine(MessageSummary(message)) { message.id }
        }
      }
    }
    let message = try store.withInbox {
      MessageSummary(try $0.send(text, to: try $0.conversation(target.id), now: now()))
    }
    try ClassificationProgress.classifyPending(try store.container(), limit: 1)
    try output.print(message) { _ in "Stored as \(message.status.rawValue), \(message.syncStatus.rawValue)." }
  }
}

struct NewCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "new",
    abstract: "Create a conversation. Others see it when its first message is sent.",
    discussion: """
      EXAMPLE
        sorted new --to bob --to eve --name "Bike ride"
      """)

  @Option(help: ArgumentHelp("The user id of another participant. Repeatable.", valueName: "user"))
  var to: [String]

  @Option(help: "The name of the conversation.")
  var name: String?

  @Option(help: "The id of the conversation. (default: a generated one)")
  var id: String?

  @OptionGroup var store: StoreOptions
  @OptionGroup var output: OutputOptions

  func run() throws {
    _ = try store.container()
    let conversation = try store.withInbox {
      ConversationSummary(try $0.begin(id ?? UUID().uuidString, with: to, name: name))
    }
    try output.print(conversation) { _ in conversation.id }
  }
}

struct EditCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "edit",
    abstract: "Edit a message of your own. The next sync sends the change.",
    discussion: """
      EXAMPLE
        sorted edit 7C9E6679-7425-40DE-944B-E07FC1F90AE7 "See you at seven"
      """)

  @Argument(help: "The id of the message, as --json shows it.")
  var id: String

  @Argument(help: "The new text.")
  var text: String

  @OptionGroup var store: StoreOptions
  @OptionGroup var output: OutputOptions

  func run() throws {
    let message = try store.withInbox { inbox in
      let message = try inbox.message(id)
      try inbox.edit(message, text: text)
      return MessageSummary(message)
    }
    try output.print(message) { _ in "Stored as \(message.status.rawValue), \(message.syncStatus.rawValue)." }
  }
}
