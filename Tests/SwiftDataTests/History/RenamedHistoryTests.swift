import Foundation
import SwiftData
import Testing

private enum Before {
  @Model final class Word {
    @Attribute(.preserveValueOnDeletion) var text: String
    @Attribute(.preserveValueOnDeletion) var weight: Double
    @Attribute(.preserveValueOnDeletion) var place: Place
    @Attribute(.preserveValueOnDeletion) var count: Int
    init(text: String, weight: Double) {
      (self.text, self.weight, place, count) = (text, weight, Place(x: 0.1), .max)
    }
  }
}

private enum After {
  @Model final class Word {
    @Attribute(.preserveValueOnDeletion, originalName: "text") var name: String
    @Attribute(.preserveValueOnDeletion, originalName: "weight") var mass: Double
    @Attribute(.preserveValueOnDeletion, originalName: "place") var position: Place
    @Attribute(.preserveValueOnDeletion, originalName: "count") var number: Int
    init(name: String, mass: Double) { (self.name, self.mass, position, number) = (name, mass, Place(x: 0.1), .max) }
  }
}

private struct Place: Codable, Equatable, Sendable { var x: Double }

@Suite("The history of renamed properties") struct RenamedHistoryTests {
  @Test("keeps the preserved values of deleted objects exactly")
  func tombstones() throws {
    let store = try TemporaryStore()
    let old = ModelContext(try store.container(Before.Word.self))
    let weights: [Double] = [0.1 + 0.2, .pi, .leastNonzeroMagnitude, -1e300]
    let words = weights.map { Before.Word(text: "the weight \"\($0)\"", weight: $0) }
    words.forEach { old.insert($0) }
    try old.save()
    words.forEach { old.delete($0) }
    try old.save()

    let new = ModelContext(try store.container(After.Word.self))
    let changes = try new.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).flatMap(\.changes)
    let tombstones = changes.compactMap { change in
      if case .delete(let delete as DefaultHistoryDelete<After.Word>) = change { delete.tombstone } else { nil }
    }
    #expect(tombstones.map { $0[\.mass] as? Double } == weights)
    #expect(tombstones.map { $0[\.name] as? String } == weights.map { "the weight \"\($0)\"" })
    #expect(tombstones.allSatisfy { $0[\.position] as? Place == Place(x: 0.1) && $0[\.number] as? Int == .max })
  }
}
