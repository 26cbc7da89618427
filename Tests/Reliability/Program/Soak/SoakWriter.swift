import Foundation
import SwiftData

/// One of those who write and read at the same time, with a context of its own.
final class SoakWriter {
  let owner: Int
  private let container: ModelContainer
  private let context: ModelContext
  private var random: Random
  private var saves = 0
  private(set) var saveTimes: [Double] = []
  private(set) var fetchTimes: [Double] = []

  init(owner: Int, _ container: ModelContainer, seed: Int) {
    self.owner = owner
    self.container = container
    self.context = ModelContext(container)
    self.random = Random(seed, owner)
  }

  /// - Throws: ``Difference`` where something was lost or half there.
  func run(until end: Date) throws {
    while Date() < end {
      try save()
      if random.chance(1, in: 2) { try readAll() }
      if random.chance(1, in: 20) { try checkOwn() }
    }
    try checkOwn()
  }

  private func save() throws {
    let owner = owner
    let accounts = try timed(&fetchTimes) {
      try context.fetch(
        FetchDescriptor<Account>(predicate: #Predicate { $0.owner == owner }, sortBy: [SortDescriptor(\.number)]))
    }
    try Difference.require(accounts.count == Account.perOwner, "owner \(owner) has \(accounts.count) accounts")
    guard let board = try context.fetch(FetchDescriptor<Board>()).first else { throw Difference("the board is gone") }
    saves += 1
    for _ in 0...random.below(4) {
      let (from, to, amount) = (random.below(accounts.count), random.below(accounts.count), random.below(100))
      accounts[from].balance -= amount
      accounts[to].balance += amount
      accounts[to].note = String(repeating: "x", count: random.below(300))
    }
    board[keyPath: Board.columns[owner]] = saves
    let receipt = random.chance(1, in: 10) ? Blob(&random).data : nil
    context.insert(Entry(owner: owner, number: saves, receipt: receipt))
    let oldest = saves - Entry.kept
    if saves % 10 == 0 {
      for entry in try context.fetch(
        FetchDescriptor<Entry>(predicate: #Predicate { $0.owner == owner && $0.number <= oldest }))
      {
        context.delete(entry)
      }
    }
    try timed(&saveTimes) { try context.save() }
  }

  /// Each statement sees one state, in which every save is whole.
  private func readAll() throws {
    let reader = ModelContext(container)
    let accounts = try timed(&fetchTimes) { try reader.fetch(FetchDescriptor<Account>()) }
    let sums = Dictionary(grouping: accounts, by: \.owner).mapValues { $0.reduce(0) { $0 + $1.balance } }
    for (owner, sum) in sums {
      try Difference.require(
        sum == Account.start * Account.perOwner, "owner \(owner) has \(sum): half of a save was seen")
    }
    try Difference.require(sums.count == SoakStore.owners, "\(sums.count) owners")
  }

  /// What this one saved and nobody else changes is there.
  private func checkOwn() throws {
    let owner = owner
    let reader = ModelContext(container)
    let entries = try reader.fetch(
      FetchDescriptor<Entry>(predicate: #Predicate { $0.owner == owner }, sortBy: [SortDescriptor(\.number)]))
    let oldest = max(1, saves / 10 * 10 - Entry.kept + 1)
    try Difference.require(
      entries.map(\.number) == (saves == 0 ? [] : Array(oldest...saves)),
      "owner \(owner) saved \(saves) and has the entries \(entries.first?.number ?? 0) to \(entries.last?.number ?? 0)")
    for entry in entries {
      if let receipt = entry.receipt {
        try Difference.require(Blob(receipt) != nil, "a receipt of owner \(owner) is not what was saved")
      }
    }
    let board = try reader.fetch(FetchDescriptor<Board>())[0]
    try Difference.require(
      board[keyPath: Board.columns[owner]] == saves,
      "an update is lost: owner \(owner) saved \(saves), the board says \(board[keyPath: Board.columns[owner]])")
  }

  private func timed<T>(_ times: inout [Double], _ body: () throws -> T) rethrows -> T {
    let start = ContinuousClock.now
    defer { times.append(Double((ContinuousClock.now - start) / .microseconds(1))) }
    return try body()
  }
}
