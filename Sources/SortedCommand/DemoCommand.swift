import ArgumentParser
import Foundation
import Sorted
import SwiftData

struct DemoCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "demo",
    abstract: "Make a sample inbox in a temporary store and show what can be done with it.",
    discussion: """
      EXAMPLE
        sorted demo
      """)

  @Flag(help: "Print JSON.")
  var json = false

  func run() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("sorted-demo-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let store = folder.appendingPathComponent("inbox.store")
    try Failure.explained {
      try SampleInbox.fill(ModelContext(SortedContainer.open(store)))
      // Everything is read back by a container of its own, from the file.
      try show(InboxService(context: ModelContext(SortedContainer.open(store))))
    }
  }

  private func show(_ inbox: InboxService) throws {
    let options = try InboxOptions.parse(json ? ["--json"] : [])
    func step(_ title: String) { if !json { print("\n$ sorted \(title)") } }
    func list() throws {
      let list = try inbox.conversations().map(ConversationSummary.init)
      try options.output(list) { $0.list(list) }
    }

    step("list")
    try list()

    step("show sample/studio")
    let conversation = try inbox.conversation("sample/studio")
    try inbox.markAsRead(conversation)
    let page = PageSummary(try inbox.page(1, of: conversation), of: conversation)
    try options.output(page) { $0.page(page) }

    step("send sample/studio \"I have the grey card.\"")
    let sent = MessageSummary(try inbox.send("I have the grey card.", to: conversation))
    try options.output(sent) { _ in "Stored as \(sent.status.rawValue), \(sent.syncStatus.rawValue)." }

    step("search \"grey card\"")
    let found = try inbox.search("grey card").map(MessageSummary.init)
    try options.output(found) { $0.found(found) }

    step("list")
    try list()
  }
}
