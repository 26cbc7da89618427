import ArgumentParser
import Foundation
import Sorted
import SwiftData

struct DemoCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "demo",
    abstract: "Create a sample inbox in a temporary store and demonstrate its features.",
    discussion: """
      EXAMPLE
        sorted demo
      """)

  @OptionGroup var output: OutputOptions

  /// The output of the demo.
  private struct Demo: Encodable {
    let list: [ConversationSummary]
    let thread: PageSummary
    let sent: MessageSummary
    let found: SearchSummary
    let listAfterwards: [ConversationSummary]
  }

  func run() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("sorted-demo-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let store = folder.appendingPathComponent("inbox.store")
    let demo = try Failure.explained {
      try SampleInbox.fill(ModelContext(SortedContainer.open(store)))
      // A second container reads everything back from the file.
      let context = ModelContext(try SortedContainer.open(store))
      let demo = try play(InboxService(context: context))
      try context.save()
      return demo
    }
    try output.print(demo) { text(demo, $0) }
  }

  private func play(_ inbox: InboxService) throws -> Demo {
    let list = try inbox.conversations().map(ConversationSummary.init)
    let conversation = try inbox.conversation("sample/studio")
    try inbox.markAsRead(conversation)
    return Demo(
      list: list,
      thread: PageSummary(try inbox.page(1, of: conversation), of: conversation),
      sent: MessageSummary(try inbox.send("I have the grey card.", to: conversation)),
      found: SearchSummary(try inbox.search("grey card")),
      listAfterwards: try inbox.conversations().map(ConversationSummary.init))
  }

  private func text(_ demo: Demo, _ rendering: TextRendering) -> String {
    """
    $ sorted list
    \(rendering.list(demo.list))

    $ sorted show sample/studio
    \(rendering.page(demo.thread))

    $ sorted send sample/studio "\(demo.sent.text)"
    Stored as \(demo.sent.status.rawValue), \(demo.sent.syncStatus.rawValue).

    $ sorted search "grey card"
    \(rendering.found(demo.found))

    $ sorted list
    \(rendering.list(demo.listAfterwards))
    """
  }
}
