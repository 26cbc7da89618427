import Foundation
import Testing

@testable import SwiftData

@Suite struct StoreWatchTests {
  @Test("What others save is found also where an own save came while the watch began")
  func ownSaveWhileWatching() throws {
    let files = try TemporaryStore()
    let (own, foreign) = (try files.container(Live.Shelf.self), try files.container(Live.Shelf.self))
    let store = own.core.sqliteStores[0]
    _ = store.beginWatch()
    defer { store.endWatch() }
    try save("own", in: own)
    // As if the number had been read after that save.
    var seen = try #require(try store.look { try StoreFile.lastTransaction($0) })
    try save("theirs", in: foreign)
    let changes = try #require(try store.externalChanges(after: &seen))
    #expect(changes.savedChanges(in: own.core.tables).inserted.map(\.entity) == ["Shelf"])
    #expect(changes.isComplete)
    let more = try store.externalChanges(after: &seen)
    #expect(more == nil)
  }

  @Test("History that was deleted before anybody read it may have been anything")
  func deletedHistory() throws {
    let files = try TemporaryStore()
    let (own, foreign) = (try files.container(Live.Shelf.self), try files.container(Live.Shelf.self))
    let store = own.core.sqliteStores[0]
    var seen = store.beginWatch()
    defer { store.endWatch() }
    try save("theirs", in: foreign)
    try ModelContext(foreign).deleteHistory(HistoryDescriptor<DefaultHistoryTransaction>())
    let changes = try store.externalChanges(after: &seen)
    #expect(changes?.isComplete == false)
  }

  private func save(_ name: String, in container: ModelContainer) throws {
    let context = ModelContext(container)
    context.insert(Live.Shelf(name: name))
    try context.save()
  }
}
