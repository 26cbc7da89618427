import ArgumentParser
import Foundation
import Sorted
import SwiftData

/// Makes the missing embeddings of messages with a progress bar. Ctrl-C stops after the current batch.
enum ReadingProgress {
  /// The result of a run.
  struct Result: Encodable {
    /// The number of embeddings that the run made.
    let new: Int
    /// The number of all embeddings.
    let all: Int
    let isInterrupted: Bool
  }

  static let missing = "Meanings are not read: `sorted assist --install` installs the model for that."
  static let unread = "No message was read for its meaning yet; `sorted assist` does that."

  /// - Returns: nil without a sentence model.
  static func read(_ container: ModelContainer) throws -> Result? {
    try Failure.explained { () -> Result? in
      guard let model = try MeaningModel.installed() else { return nil }
      let stop = ImportSession.StopSign()
      let interrupt = Interrupt { stop.raise() }
      defer { interrupt.cancel() }
      defer { if Terminal.isTerminal { Terminal.note("\r\u{1B}[K") } }
      let service = EmbeddingService(container: container, model: model)
      let new = try service.updateAll(stop: stop, progress: { ClassificationProgress.bar($0, $1, "messages read") })
      return Result(new: new, all: try service.count(), isInterrupted: stop.isRaised)
    }
  }
}

/// The JSON form of what a search by meaning found.
private struct MeaningSummary: Encodable {
  struct Hit: Encodable {
    let message: MessageSummary
    let similarity: Double
  }

  let hits: [Hit]
  let hasMore: Bool
}

extension SearchCommand {
  /// Searches by meaning, and prints what it finds.
  func searchByMeaning() throws {
    let page = try store.withContext { context in
      guard let model = try MeaningModel.installed() else { throw Failure(ReadingProgress.missing) }
      guard try MeaningModel.hasVectors(in: context) else {
        throw Failure(ReadingProgress.unread)
      }
      let query = try MessageQuery(text, maximumTerms: .max)
      guard !query.text.isEmpty else { throw DataLayerError.invalidData("the text to search for is empty") }
      let inbox = InboxService(context: context)
      let last = try after.map { try inbox.message($0).id }
      let search = MessageSearch(context: context, readers: [try LocalUser.id(in: context), LocalUser.placeholder])
      let page = try search.nearest(to: query, by: model, limit: 50, after: last)
      let hits = page.hits.map { (message: MessageSummary($0.message), similarity: Double($0.similarity)) }
      return (hits: hits, last: page.last)
    }
    let summary = MeaningSummary(
      hits: page.hits.map { MeaningSummary.Hit(message: $0.message, similarity: $0.similarity) },
      hasMore: page.last != nil)
    try output.print(summary) { $0.nearest(page.hits, last: page.last) }
  }
}

struct AboutCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "about",
    abstract: "Say what the inbox knows about a person or a matter.",
    discussion: """
      With the sentence model (`sorted assist --install`) the messages are found by
      their meaning, in English, and a person has themes: messages that stand for many
      others. Without it they are the newest ones with the words.

      EXAMPLE
        sorted about dana
        sorted about "problems with the delivery"
      """)

  @Argument(help: "A name, or what it is about.")
  var subject: String

  @Option(help: "The number of messages to show.")
  var limit = 10

  @OptionGroup var store: StoreOptions
  @OptionGroup var output: OutputOptions

  func validate() throws {
    guard (1...1_000).contains(limit) else { throw ValidationError("--limit is 1 to 1000") }
  }

  func run() throws {
    let model = try Failure.explained { try MeaningModel.installed() }
    let about = try store.withContext { try AssistInbox(context: $0).about(subject, meaning: model, limit: limit) }
    try output.print(about) { $0.about(about) }
    if !about.isByMeaning, !output.json {
      Terminal.note((model == nil ? ReadingProgress.missing : ReadingProgress.unread) + "\n")
    }
  }
}
