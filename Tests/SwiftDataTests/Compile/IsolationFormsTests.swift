import Foundation
import Observation
import SwiftData
import Synchronization
import Testing

/// Set once, from wherever an observer is called.
private final class Flag: Sendable {
  private let state = Mutex(false)
  var isRaised: Bool { state.withLock { $0 } }
  func raise() { state.withLock { $0 = true } }
}

@Suite("Models of a global actor")
struct IsolationFormsTests {
  @Test("A model of the main actor is saved, fetched and observed there")
  @MainActor func mainActor() throws {
    let store = try FormsStore(MainModel.self, MainBase.self, MainDerived.self)
    let model = MainModel(name: "m")
    model.count = 3
    model.state = .busy
    model.items = [MainItem(key: 1), MainItem(key: 2)]
    model.next = MainModel(name: "n")
    #expect(model.total == 3)
    try store.save(model, MainDerived())
    let context = store.container.mainContext
    let found = try context.fetch(FetchDescriptor<MainModel>())
    let copy = try #require(found.first { $0.name == "m" })
    #expect((copy.id, copy.count, copy.state, copy.unit) == (model.id, 3, .busy, .meters))
    #expect(copy.items.map(\.key) == [1, 2])
    #expect(copy.next?.name == "n")
    #expect(try context.fetch(FetchDescriptor<MainBase>()).map(\.name) == ["derived"])
    let flag = Flag()
    withObservationTracking {
      _ = copy.name
    } onChange: {
      flag.raise()
    }
    copy.rename("renamed")
    #expect(flag.isRaised)
  }

  @Test("A rollback tells the observers of a main actor's model")
  @MainActor func rollback() throws {
    let store = try FormsStore(MainModel.self)
    let context = store.container.mainContext
    let model = MainModel(name: "before")
    context.insert(model)
    try context.save()
    model.name = "after"
    let flag = Flag()
    withObservationTracking {
      _ = model.name
    } onChange: {
      flag.raise()
    }
    context.rollback()
    #expect(model.name == "before")
    #expect(flag.isRaised)
  }

  @Test("A model of another global actor works on that actor")
  @DatabaseActor func otherActor() throws {
    let store = try FormsStore(DatabaseModel.self)
    let model = DatabaseModel()
    model.name = "d"
    model.other = DatabaseModel()
    try store.save(model)
    let (context, found) = try store.read(DatabaseModel.self)
    #expect(Set(found.map(\.name)) == ["d", ""])
    _ = context
  }
}
