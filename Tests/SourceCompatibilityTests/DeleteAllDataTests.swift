import Foundation
import SwiftData
import Testing

@Model private final class Note {
  var text: String
  init(text: String) { self.text = text }
}

@Suite("deleteAllData()")
struct DeleteAllDataTests {
  @Test("does not throw, and leaves the container usable")
  func works() throws {
    let container = try ModelContainer(for: Note.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    let context = ModelContext(container)
    context.insert(Note(text: "a"))
    try context.save()
    container.deleteAllData()
    #expect(try context.fetchCount(FetchDescriptor<Note>()) == 0)
    context.insert(Note(text: "b"))
    try context.save()
    #expect(try ModelContext(container).fetch(FetchDescriptor<Note>()).map(\.text) == ["b"])
  }

  @Test("leaves a store that cannot be written as it is")
  func readOnly() throws {
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).store")
    defer { for end in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: file.path + end) } }
    do {
      let context = ModelContext(try ModelContainer(for: Note.self, configurations: ModelConfiguration(url: file)))
      context.insert(Note(text: "a"))
      try context.save()
    }
    let container = try ModelContainer(
      for: Note.self, configurations: ModelConfiguration(url: file, allowsSave: false))
    container.deleteAllData()
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Note>()) == 1)
  }
}
