import Foundation
import Observation
import SwiftData
import Synchronization
import Testing

/// Values that live outside of a model.
private final class Settings: Sendable {
  let level = Mutex(0)
}

@Model private final class Lamp {
  var name: String
  @Transient private var settings = Settings()
  init(_ name: String) { self.name = name }

  var level: Int {
    get {
      access(keyPath: \.level)
      return settings.level.withLock { $0 }
    }
    set { withMutation(keyPath: \.level) { settings.level.withLock { $0 = newValue } } }
  }

  struct Broken: Error {}
  func fail() throws { try withMutation(keyPath: \.level) { throw Broken() } }
}

@Suite("A computed property of a model whose value lives elsewhere") struct ComputedObservationTests {
  private func changes(of lamp: Lamp, read: (Lamp) -> Void, _ change: (Lamp) throws -> Void) rethrows -> Int {
    let count = Mutex(0)
    withObservationTracking {
      read(lamp)
    } onChange: {
      count.withLock { $0 += 1 }
    }
    try change(lamp)
    return count.withLock { $0 }
  }

  @Test("tells who observes it, and no others", arguments: [false, true])
  func observed(isSaved: Bool) throws {
    let context = try memoryContext(Lamp.self)
    let lamp = Lamp("desk")
    if isSaved {
      context.insert(lamp)
      try context.save()
    }
    #expect(
      changes(of: lamp) {
        _ = $0.level
      } _: {
        $0.level = 3
      } == 1)
    #expect(lamp.level == 3)
    #expect(
      changes(of: lamp) {
        _ = $0.name
      } _: {
        $0.level = 4
      } == 0)
    #expect(
      changes(of: lamp) {
        _ = $0.level
      } _: {
        $0.name = "door"
      } == 0)
    #expect(
      changes(of: lamp) { _ in
      } _: {
        $0.level = 5
      } == 0)
    #expect(lamp.level == 5)
    #expect(throws: Lamp.Broken.self) { try lamp.fail() }
  }
}
