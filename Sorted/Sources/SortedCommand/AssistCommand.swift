import ArgumentParser
import AssistModel
import Foundation
import Sorted
import SwiftData

struct AssistCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "assist",
    abstract: "Sort the messages: category, mood, opportunity, matched question, draft of an answer.",
    discussion: """
      New messages are sorted as they come, so this is for stores that older versions
      filled. No text leaves the machine. Categories are fan, business, spam, urgent
      and none. Ctrl-C stops; what was sorted stays, and another run goes on from
      there.

      EXAMPLE
        sorted assist --all
        sorted assist --explain sample/john/0
        sorted assist --correct sample/john/0 business
      """)

  @Flag(help: "Sort all messages anew, also those that are sorted.")
  var all = false

  @Option(help: ArgumentHelp("Say why a message is what it is.", valueName: "id"))
  var explain: String?

  @Option(
    parsing: .upToNextOption,
    help: ArgumentHelp("Say what a message really is: its id and a category.", valueName: "id category"))
  var correct: [String] = []

  @OptionGroup var store: StoreOptions
  @OptionGroup var output: OutputOptions

  func validate() throws {
    guard correct.isEmpty || correct.count == 2 else { throw ValidationError("--correct takes an id and a category") }
    if correct.count == 2, Kind(rawValue: correct[1]) == nil {
      throw ValidationError("there is no category \(correct[1]); give one of \(Self.categories)")
    }
    guard [all, explain != nil, !correct.isEmpty].count(where: { $0 }) <= 1 else {
      throw ValidationError("give one of --all, --explain and --correct")
    }
  }

  private static let categories = Kind.allCases.map(\.rawValue).joined(separator: ", ")

  func run() throws {
    if let explain { return try say(explain) }
    if correct.count == 2 { return try teach(correct[0], Kind(rawValue: correct[1])!) }
    try sort()
  }

  private func say(_ id: String) throws {
    let reasons = try store.withContext { context in
      try AssistInbox(context: context).reasons(for: try InboxService(context: context).message(id))
    }
    try output.print(reasons) { Self.text(reasons, $0) }
  }

  private func teach(_ id: String, _ kind: Kind) throws {
    let reasons = try store.withContext { context in
      let message = try InboxService(context: context).message(id)
      let assist = AssistInbox(context: context)
      try assist.correct(message, as: kind)
      try context.save()
      return try assist.reasons(for: message)
    }
    try judge(try store.container())
    try output.print(reasons) { _ in "\(reasons.messageID): \(reasons.category)" }
  }

  private func sort() throws {
    // Fails where there is no store.
    try store.withContext { _ in }
    let container = try store.container()
    if all { try Failure.explained { try AssistService(container: container).forgetAll() } }
    let count = try judge(container)
    let sorted = try Failure.explained { try Sorting(count, ModelContext(container)) }
    try output.print(sorted) { rendering in
      rendering.table([("sorted now", "\(count)")] + sorted.categories.sorted { $0.key < $1.key }.map { ($0, "\($1)") })
    }
    if sorted.isInterrupted { throw ExitCode(130) }
  }

  @discardableResult
  private func judge(_ container: ModelContainer) throws -> Int { try JudgingProgress.judge(container) }

  private static func text(_ reasons: AssistInbox.Reasons, _ rendering: TextRendering) -> String {
    let percent = Int((reasons.confidence * 100).rounded())
    let head = "\(reasons.category), \(percent) % sure, \(reasons.sentence)."
    let rows = reasons.reasons.map { (rendering.safe($0.what), String(format: "%+.2f", $0.weight)) }
    return rows.isEmpty ? head : rendering.safe(head) + "\n" + rendering.table(rows)
  }
}

/// What a run did, and how many messages of each category there are.
private struct Sorting: Encodable {
  let sorted: Int
  let waiting: Int
  let categories: [String: Int]
  var isInterrupted: Bool { waiting > 0 }

  init(_ sorted: Int, _ context: ModelContext) throws {
    self.sorted = sorted
    waiting = try AssistService(container: context.container).waitingCount()
    let found = try context.fetch(FetchDescriptor<MessageEntity>(), groupedBy: \.category, .count)
    categories = Dictionary(found.map { ($0.0?.rawValue ?? "none", $0.1) }, uniquingKeysWith: +)
  }
}

/// Judges what waits, with a bar on a terminal where it takes a while. Ctrl-C stops after the batch at hand.
enum JudgingProgress {
  @discardableResult
  static func judge(_ container: ModelContainer, limit: Int? = nil) throws -> Int {
    let stop = ImportSession.StopSign()
    let interrupt = Interrupt { stop.raise() }
    defer { interrupt.cancel() }
    return try Failure.explained {
      defer { if Terminal.isTerminal { Terminal.note("\r\u{1B}[K") } }
      return try AssistService(container: container).judgeWaiting(limit: limit, stop: stop) { done, total in
        guard Terminal.isTerminal, total > 1_000 else { return }
        let full = 30 * done / total
        let bar = String(repeating: "#", count: full) + String(repeating: "-", count: 30 - full)
        Terminal.note("\r[\(bar)] \(done) of \(total) messages sorted")
      }
    }
  }
}

struct DigestCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "digest",
    abstract: "Sum up what came and what needs an answer.",
    discussion: """
      Urgent messages come first, then business by its opportunity, then the newest.

      EXAMPLE
        sorted digest --days 7
      """)

  @Option(help: "How old a message may be.")
  var days = 30

  @OptionGroup var store: StoreOptions
  @OptionGroup var output: OutputOptions

  func validate() throws {
    guard (1...36_500).contains(days) else { throw ValidationError("--days is 1 to 36500") }
  }

  func run() throws {
    let digest = try store.withContext { try AssistInbox(context: $0).digest(days: days) }
    try output.print(digest) { $0.digest(digest) }
  }
}
