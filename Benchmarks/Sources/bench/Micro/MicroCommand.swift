import ArgumentParser
import BenchKit
import CBenchRows
import Foundation
import SwiftData

/// Measures single steps, compared with the same step of a plain class.
///
/// It uses a loop and a clock. `package-benchmark` requires jemalloc and a dozen packages, and these figures only need
/// comparison.
struct MicroCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "micro", abstract: "Measures property access, object creation and predicate lowering, in nanoseconds.")

  func run() throws {
    let container = try ModelContainer(
      for: Message.self, Conversation.self, LinkedMessage.self,
      configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    let context = ModelContext(container)
    let row = makeRow(7)
    context.insert(Message(row))
    try context.save()
    let message = try context.fetch(FetchDescriptor<Message>())[0]
    let plain = PlainMessage(row)
    Self.use(plain)
    print("| step | model, ns | plain class, ns |\n| --- | ---: | ---: |")
    report("read an Int", Self.time { Self.use(message.retryCount) }, Self.time { Self.use(plain.retryCount) })
    report("read a String", Self.time { Self.use(message.id) }, Self.time { Self.use(plain.id) })
    report("write an Int", Self.time { message.retryCount &+= 1 }, Self.time { plain.retryCount &+= 1 })
    report("make an object", Self.time { Self.use(Message(row)) }, Self.time { Self.use(PlainMessage(row)) })
    // The cost of the predicate, its SQL and a statement that finds nothing.
    var failure: (any Error)?
    let count = Self.time {
      do { Self.use(try context.fetchCount(FetchDescriptor<Message>(predicate: Self.one("none")))) } catch {
        failure = error
      }
    }
    if let failure { throw failure }
    report("count by one condition", count, nil)
  }

  private static func one(_ id: String) -> Predicate<Message> { #Predicate { $0.id == id } }

  private func report(_ step: String, _ model: Double, _ plain: Double?) {
    print(String(format: "| \(step) | %.1f | %@ |", model, plain.map { String(format: "%.1f", $0) } ?? ""))
  }

  /// Nanoseconds of one call minus an empty one's.
  private static func time(_ body: () -> Void) -> Double { max(0, loop(body) - loop {}) }

  /// The best of seven loops of 100,000. Without optimization, because a loop over a plain class would become one
  /// addition.
  @_optimize(none)
  private static func loop(_ body: () -> Void) -> Double {
    (0..<7).map { _ in
      let start = bench_now_ns()
      for _ in 0..<100_000 { body() }
      return Double(bench_now_ns() - start) / 100_000
    }.min()!
  }

  /// Prevents the compiler from removing a step.
  @_optimize(none)
  private static func use<T>(_ value: T) {}
}

/// A plain class with the properties of ``Message``.
private final class PlainMessage {
  var id, conversationID, senderID, text: String
  var createdAt, updatedAt: Date
  var status: Status
  var syncStatus: SyncStatus
  var retryCount: Int
  var category: String?
  var categoryConfidence: Double?
  var unreadFlag: Bool

  init(_ row: BenchKit.Row) {
    (id, conversationID, senderID, text) = (row.id, row.conversationID, row.senderID, row.text)
    createdAt = Date(timeIntervalSince1970: row.createdAt)
    updatedAt = Date(timeIntervalSince1970: row.updatedAt)
    (status, syncStatus, retryCount) = (row.status, row.syncStatus, row.retryCount)
    (category, categoryConfidence, unreadFlag) = (row.category, row.categoryConfidence, row.unreadFlag)
  }
}
