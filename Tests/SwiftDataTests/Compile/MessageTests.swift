import Foundation
import Logging
import SwiftData
import Testing

@Model final class MessageItem {
  var name: String
  @Transient var isOpen = false
  var shout: String { name.uppercased() }
  init(name: String) { self.name = name }
}

@Suite("Messages")
struct MessageTests {
  private func container() throws -> ModelContainer {
    try ModelContainer(for: MessageItem.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
  }

  @Test("name the property that is transient or computed")
  func property() throws {
    let context = ModelContext(try container())
    func message(_ predicate: Predicate<MessageItem>) -> String {
      let error = #expect(throws: SwiftDataError.transientProperty) {
        try context.fetch(FetchDescriptor<MessageItem>(predicate: predicate))
      }
      return error.map { "\($0)" } ?? ""
    }
    #expect(message(#Predicate { $0.isOpen }).contains("isOpen is transient or computed"))
    #if os(Linux)
      #expect(message(#Predicate { $0.shout == "A" }).contains("shout is transient or computed"))
      let error = #expect(throws: SwiftDataError.self) {
        try context.fetch(FetchDescriptor<MessageItem>(sortBy: [SortDescriptor(\.shout)]))
      }
      #expect(error.map { "\($0)" }?.contains("shout is transient or computed") == true)
    #endif
  }

  @Test("say once that a change was made that no context can save")
  func contextGone() throws {
    func fetched() throws -> [MessageItem] {
      let context = ModelContext(try container())
      for name in ["a", "b"] { context.insert(MessageItem(name: name)) }
      try context.save()
      return try context.fetch(FetchDescriptor<MessageItem>())
    }
    let items = try fetched()
    let lines = TaskLogHandler.logged(.warning) {
      items[0].name = "c"
      items[1].name = "d"
    }
    #expect(lines.count == 1)
    #expect(lines.first?.message.contains("was changed after its ModelContext was gone") == true)
    #expect(items[0].modelContext == nil)
  }
}
