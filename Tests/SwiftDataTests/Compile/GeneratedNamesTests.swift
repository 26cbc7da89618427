import Foundation
import Observation
import SwiftData
import Synchronization
import Testing

@Suite("Names that Apple's macros generate")
struct GeneratedNamesTests {
  @Test("A model has its registrar and its backing data by Apple's names")
  func preset() throws {
    let preset = Preset(name: "warm")
    #expect(preset._$backingData.getValue(forKey: \.name) == "warm")
    let changes = Mutex(0)
    withObservationTracking {
      #expect(preset.observedName == "warm")
    } onChange: {
      changes.withLock { $0 += 1 }
    }
    preset.registrar.willSet(preset, keyPath: \.name)
    #expect(changes.withLock { $0 } == 1)
    let store = try FormsStore(Preset.self)
    try store.save(preset)
    let (context, found) = try store.read(Preset.self)
    #expect(found.map(\.name) == ["warm"])
    _ = context
  }

  @Test("A constant may have the name of a parameter in the generated code")
  func constants() throws {
    let store = try FormsStore(Marker.self)
    try store.save(Marker(index: 7, access: "all", row: 2.5, operation: true))
    let (context, found) = try store.read(Marker.self)
    let marker = try #require(found.first)
    #expect(marker.index == 7 && marker.access == "all" && marker.row == 2.5 && marker.operation)
    #expect(try context.fetchCount(FetchDescriptor<Marker>(predicate: #Predicate { $0.index == 7 })) == 1)
  }

  @Test("A token needs nothing but its value")
  func token() {
    #expect(CountingToken(id: 1, tokenValue: ["a": 1]) < CountingToken(id: 2, tokenValue: nil))
    #expect(CountingToken(id: 1, tokenValue: nil).storeIdentifier == "")
  }
}
