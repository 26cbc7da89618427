import Foundation
import SwiftData
import Testing

/// Two contexts with unsaved changes of the same objects: different properties both win, of one the later save.
@Suite struct LawMergeTests {
  @Test("Two contexts that change the same objects merge by property, and the later save wins")
  func merging() {
    for seed in LawSettings.seeds(default: 60) {
      do {
        try MergeRun(seed: seed).run()
      } catch {
        Issue.record("\(error)")
        return
      }
    }
  }
}

private final class MergeRun {
  /// What an item has: two attributes and a to-one.
  struct Values: Equatable {
    var number: Int?
    var text = ""
    var hub: Int?
  }

  private let seed: UInt64
  private var random: LawRandom
  private let store: TemporaryStore
  private let container: ModelContainer
  private var contexts: [ModelContext]
  private var items: [[Law.Item]] = [[], []]
  private var hubs: [[Law.Hub]] = [[], []]
  private var stored: [Values]
  /// For each context, by item: the changes that it has not saved.
  private var pending: [[Int: [(inout Values) -> Void]]] = [[:], [:]]
  private var log: [String] = []

  init(seed: UInt64) throws {
    self.seed = seed
    self.random = LawRandom(seed: seed)
    store = try TemporaryStore()
    container = try store.container(Law.Hub.self) { $0.uniquenessPolicy = .reject }
    contexts = [ModelContext(container), ModelContext(container)]
    stored = Array(repeating: Values(), count: 4)
    let setup = ModelContext(container)
    for tag in 0..<3 { setup.insert(Law.Hub(tag: tag)) }
    for tag in 0..<4 { setup.insert(Law.Item(tag: tag)) }
    try setup.save()
    for (index, context) in contexts.enumerated() {
      items[index] = try context.fetch(FetchDescriptor<Law.Item>(sortBy: [SortDescriptor(\.tag)]))
      hubs[index] = try context.fetch(FetchDescriptor<Law.Hub>(sortBy: [SortDescriptor(\.tag)]))
    }
  }

  func run() throws {
    do {
      for _ in 0..<60 { try step(random.below(2)) }
      for index in 0..<2 { try save(index) }
      for index in 0..<2 { try compare(index) }
      let fresh = ModelContext(container)
      let all = try fresh.fetch(FetchDescriptor<Law.Item>(sortBy: [SortDescriptor(\.tag)]))
      guard all.map(values) == stored else { throw LawFailure(description: "stored \(all.map(values)), not \(stored)") }
      let checks = try store.shell("PRAGMA integrity_check; PRAGMA foreign_key_check")
      if checks != "ok" { throw LawFailure(description: checks) }
    } catch {
      throw LawFailure(description: "seed \(seed): \(error)\n" + log.suffix(40).joined(separator: "\n"))
    }
  }

  private func step(_ index: Int) throws {
    let tag = random.below(4)
    switch random.below(10) {
    case 0...1:
      // Unique: a context has numbers of its own.
      let number = random.chance(20) ? nil : tag * 1000 + random.below(900)
      log.append("[\(index)] \(tag).number = \(number.map(String.init) ?? "nil")")
      items[index][tag].number = number
      pending[index][tag, default: []].append { $0.number = number }
    case 2...3:
      let text = ["", "a", "b", "c"].randomElement(using: &random)!
      log.append("[\(index)] \(tag).text = \(text)")
      items[index][tag].text = text
      pending[index][tag, default: []].append { $0.text = text }
    case 4...6:
      let hub = random.chance(25) ? nil : random.below(3)
      log.append("[\(index)] \(tag).hub = \(hub.map(String.init) ?? "nil")")
      items[index][tag].hub = hub.map { hubs[index][$0] }
      // Setting what is there already changes nothing.
      pending[index][tag, default: []].append { $0.hub = hub }
    case 7: try save(index)
    case 8:
      log.append("[\(index)] rollback")
      contexts[index].rollback()
      pending[index] = [:]
      try compare(index)
    default: try compare(index)
    }
  }

  private func save(_ index: Int) throws {
    log.append("[\(index)] save")
    try contexts[index].save()
    for (tag, changes) in pending[index] { for change in changes { change(&stored[tag]) } }
    pending[index] = [:]
  }

  private func values(_ item: Law.Item) -> Values {
    Values(number: item.number, text: item.text, hub: item.hub?.tag)
  }

  /// What a context shows is the store with its own changes laid over it.
  private func compare(_ index: Int) throws {
    contexts[index].state.takeInSaves()
    var expected = stored
    for (tag, changes) in pending[index] { for change in changes { change(&expected[tag]) } }
    let found = items[index].map(values)
    guard found == expected else { throw LawFailure(description: "[\(index)] shows \(found), not \(expected)") }
    for hub in hubs[index] {
      let members = hub.items.map(\.tag)
      let right = expected.indices.filter { expected[$0].hub == hub.tag }
      guard members.sorted() == right else {
        throw LawFailure(description: "[\(index)] hub \(hub.tag) has \(members), not \(right)")
      }
    }
  }
}
