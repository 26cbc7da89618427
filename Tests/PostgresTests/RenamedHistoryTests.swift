import Foundation
import SwiftData
import SwiftDataPostgres
import Testing

private enum Before {
  @Model final class Word {
    @Attribute(.preserveValueOnDeletion) var text: String
    @Attribute(.preserveValueOnDeletion) var weight: Double
    @Attribute(.preserveValueOnDeletion) var count: Int = Int.max
    init(text: String, weight: Double) { (self.text, self.weight) = (text, weight) }
  }

  @Model final class Remark {
    @Attribute(.preserveValueOnDeletion) var text: String
    init(text: String) { self.text = text }
  }
}

private enum After {
  @Model final class Word {
    @Attribute(.preserveValueOnDeletion, originalName: "text") var name: String
    @Attribute(.preserveValueOnDeletion, originalName: "weight") var mass: Double
    @Attribute(.preserveValueOnDeletion) var count: Int = Int.max
    init(name: String, mass: Double) { (self.name, self.mass) = (name, mass) }
  }

  @Model final class Remark {
    @Attribute(.preserveValueOnDeletion) var text: String
    init(text: String) { self.text = text }
  }
}

@Suite(
  "The history of renamed properties in PostgreSQL", .enabled(if: PostgresServer.isThere, PostgresServer.reason))
struct PostgresRenamedHistoryTests {
  private let store = TestStore()

  private func changes(_ container: ModelContainer) throws -> [HistoryChange] {
    try ModelContext(container).fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).flatMap(\.changes)
  }

  @Test("names the properties of updates by their new names, and only those of the class")
  func updates() throws {
    let old = ModelContext(try store.open(Before.Word.self, Before.Remark.self))
    let (word, remark) = (Before.Word(text: "a", weight: 1), Before.Remark(text: "r"))
    old.insert(word)
    old.insert(remark)
    try old.save()
    (word.text, word.weight, word.count) = ("b", 2, 3)
    remark.text = "s"
    try old.save()

    let changes = try changes(store.open(After.Word.self, After.Remark.self))
    let words = changes.compactMap { change in
      if case .update(let update as DefaultHistoryUpdate<After.Word>) = change { update.updatedAttributes } else { nil }
    }
    #expect(words.map(Set.init) == [[\.name, \.mass, \.count]])
    let remarks = changes.compactMap { change in
      if case .update(let update as DefaultHistoryUpdate<After.Remark>) = change {
        update.updatedAttributes
      } else {
        nil
      }
    }
    #expect(remarks.map(Set.init) == [[\.text]])
  }

  @Test("keeps the preserved values of deleted objects exactly")
  func tombstones() throws {
    let old = ModelContext(try store.open(Before.Word.self, Before.Remark.self))
    // More than are renamed at a time.
    let weights = [0.1 + 0.2, .pi, Double.leastNonzeroMagnitude, -1e300, .infinity] + (0..<600).map(Double.init)
    let words = weights.map { Before.Word(text: "the \"text\":\0\($0)", weight: $0) }
    let remark = Before.Remark(text: "r")
    words.forEach { old.insert($0) }
    old.insert(remark)
    try old.save()
    words.forEach { old.delete($0) }
    old.delete(remark)
    try old.save()

    let changes = try changes(store.open(After.Word.self, After.Remark.self))
    let tombstones = changes.compactMap { change in
      if case .delete(let delete as DefaultHistoryDelete<After.Word>) = change { delete.tombstone } else { nil }
    }
    #expect(tombstones.count == weights.count)
    #expect(Set(tombstones.compactMap { $0[\.mass] as? Double }) == Set(weights))
    #expect(Set(tombstones.compactMap { $0[\.name] as? String }) == Set(weights.map { "the \"text\":\0\($0)" }))
    #expect(tombstones.allSatisfy { $0[\.count] as? Int == .max })
    let remarks = changes.compactMap { change in
      if case .delete(let delete as DefaultHistoryDelete<After.Remark>) = change { delete.tombstone } else { nil }
    }
    #expect(remarks.map { $0[\.text] as? String } == ["r"])
  }
}
