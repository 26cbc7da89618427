import Foundation
import SwiftData

/// The law of history fetches: a fetch returns what Swift would compute over all transactions.
package enum HistoryLaw {
  package typealias Transaction = DefaultHistoryTransaction

  /// A captured value, whose properties predicates read.
  private struct Bookmark: Codable {
    let token: DefaultHistoryToken
    let time: Date
  }

  /// Compares fetches in many orders, with many conditions and limits, with what Swift computes.
  /// - Parameter context: of one store with some transactions.
  package static func verify(_ context: ModelContext) throws {
    let all = try context.fetchHistory(HistoryDescriptor<Transaction>())
    for (number, predicate) in predicates(all).enumerated() {
      for (place, order) in orders.enumerated() {
        for limit: UInt64 in [0, 1, 3, 1000] {
          var expected = try predicate.map { predicate in try all.filter { try predicate.evaluate($0) } } ?? all
          if !order.isEmpty { expected.sort(using: order) }
          if limit > 0 { expected = Array(expected.prefix(Int(limit))) }
          var descriptor = HistoryDescriptor(predicate: predicate, sortBy: order)
          descriptor.fetchLimit = limit
          let found = try context.fetchHistory(descriptor)
          let what = "the fetch with predicate \(number), order \(place) and limit \(limit)"
          try expectEqual(found.map(\.transactionIdentifier), expected.map(\.transactionIdentifier), what)
          try expectEqual(found.map(\.changes.count), expected.map(\.changes.count), "the changes of \(what)")
        }
      }
    }
  }

  private static var orders: [[SortDescriptor<Transaction>]] {
    [
      [], [SortDescriptor(\.transactionIdentifier, order: .reverse)], [SortDescriptor(\.token)],
      [SortDescriptor(\.id, order: .reverse), SortDescriptor(\.author)],
      [SortDescriptor(\.timestamp)], [SortDescriptor(\.timestamp, order: .reverse)],
      [SortDescriptor(\.timestamp), SortDescriptor(\.token, order: .reverse)],
      [SortDescriptor(\.timestamp, order: .reverse), SortDescriptor(\.author)],
      [SortDescriptor(\.author, order: .reverse), SortDescriptor(\.transactionIdentifier, order: .reverse)],
      [SortDescriptor(\.changes.count), SortDescriptor(\.author)],
    ]
  }

  private static func predicates(_ all: [Transaction]) -> [Predicate<Transaction>?] {
    let (first, late) = (all[all.count / 4], all[all.count / 2])
    let (early, end) = (
      Bookmark(token: first.token, time: first.timestamp), Bookmark(token: late.token, time: late.timestamp)
    )
    let (token, number, time, store) = (first.token, late.transactionIdentifier, late.timestamp, first.storeIdentifier)
    let (author, changed) = (late.author, late.changes[0].changedPersistentIdentifier)
    return [
      nil, #Predicate { $0.token > token }, #Predicate { $0.token > early.token && end.token >= $0.token },
      #Predicate { _ in early.token < end.token }, #Predicate { $0.id == number },
      #Predicate { $0.transactionIdentifier == number }, #Predicate { $0.transactionIdentifier < number },
      #Predicate { $0.transactionIdentifier >= number && $0.transactionIdentifier > 2 },
      #Predicate { $0.timestamp > time }, #Predicate { time >= $0.timestamp && $0.timestamp >= early.time },
      #Predicate { $0.timestamp == time }, #Predicate { $0.author == author }, #Predicate { $0.author == "é" },
      #Predicate { $0.author == "K" && $0.token > token }, #Predicate { $0.author == nil },
      #Predicate { $0.author != author || $0.token < token }, #Predicate { !($0.token > token) },
      #Predicate { $0.storeIdentifier == store && $0.timestamp < time }, #Predicate { $0.storeIdentifier == "other" },
      #Predicate { $0.changes.count > 1 && $0.token > token },
      #Predicate { transaction in transaction.changes.contains { $0.changedPersistentIdentifier == changed } },
    ]
  }
}
