import Foundation
import SwiftData
import Testing

private enum Direct {
  @Model final class Coin {
    @Attribute(.unique) var name: String
    var value: Int?
    init(_ name: String, value: Int? = nil) {
      self.name = name
      self.value = value
    }
  }
}

/// A default store that is used without a container.
@Suite struct DefaultStoreTests {
  private let store: DefaultStore
  private let context: ModelContext

  init() throws {
    let schema = Schema([Direct.Coin.self])
    store = try DefaultStore(ModelConfiguration(schema: schema, isStoredInMemoryOnly: true))
    context = try memoryContext(Direct.Coin.self)
  }

  private func save(_ coins: Direct.Coin...) throws -> DataStoreSaveChangesResult<DefaultSnapshot> {
    let snapshots = coins.map { coin in
      var related = [PersistentIdentifier: any BackingData]()
      return DefaultSnapshot(from: coin.persistentBackingData, relatedBackingDatas: &related)
    }
    return try store.save(DataStoreSaveChangesRequest(editingState: context.editingState, inserted: snapshots))
  }

  @Test("A save returns snapshots of those models only that are stored with other values than in the request")
  func results() throws {
    let (one, two) = (Direct.Coin("one", value: 1), Direct.Coin("two", value: 2))
    let first = try save(one, two)
    #expect(first.snapshotsToReregister.isEmpty)
    #expect(first.remappedIdentifiers.count == 2)
    let (again, three) = (Direct.Coin("two", value: 22), Direct.Coin("three"))
    let second = try save(again, three)
    let stored = first.remappedIdentifiers[two.persistentModelID]
    #expect(second.remappedIdentifiers[again.persistentModelID] == stored)
    #expect(Array(second.snapshotsToReregister.keys) == [stored])
  }
}
