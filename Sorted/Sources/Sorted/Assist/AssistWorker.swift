import Foundation
import Logging
import SwiftData

/// Classifies messages in the background as they arrive: written here, imported, received by a sync, or stored by another process.
/// If the sentence model is installed, the worker also maintains their embeddings.
public struct AssistWorker: Sendable {
  private let container: ModelContainer
  private let meaning: MeaningModel?
  private let logger = Logger(label: "sorted.assist")

  /// Makes the worker of a store.
  public init(container: ModelContainer) { self.init(container: container, meaning: nil) }

  /// Makes the worker of a store that also maintains the embeddings of its messages.
  package init(container: ModelContainer, meaning: MeaningModel?) {
    self.container = container
    self.meaning = meaning
  }

  /// Classifies pending and new messages until the task is cancelled. It logs an error, and tries again after five seconds.
  public func run() async {
    while !Task.isCancelled {
      do {
        try await follow()
        return
      } catch is CancellationError {
        return
      } catch {
        logger.error("the assistant could not classify messages and tries again: \(error)")
        try? await Task.sleep(for: .seconds(5))
      }
    }
  }

  private func follow() async throws {
    let context = ModelContext(container)
    // The embeddings of messages that changed before this process may be missing or stale.
    try await work(onAllEmbeddings: true)
    // One pending message starts the service, which fetches all pending messages.
    for try await update in context.values(for: AssistService.pending(limit: 1)) {
      if !update.results.isEmpty { try await work(onAllEmbeddings: false) }
    }
  }

  /// Works on a thread of Dispatch, because the work would block a thread of Swift concurrency for a long time.
  private func work(onAllEmbeddings isAll: Bool) async throws {
    let stop = ImportSession.StopSign()
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        DispatchQueue.global(qos: .utility).async {
          continuation.resume(with: Result { try update(stop, isAll) })
        }
      }
    } onCancel: {
      stop.raise()
    }
  }

  /// Classifies the pending messages and updates their embeddings. Classification takes a hundredth of the time of embeddings, so the
  /// worker classifies new messages between two batches of embeddings.
  private func update(_ stop: ImportSession.StopSign, _ isAll: Bool) throws {
    let service = AssistService(container: container, meaning: meaning)
    func classify() throws -> [String] {
      var ids: [String] = []
      try service.classifyBatches(stop: stop) { ids += $0 }
      return ids
    }
    let new = try classify()
    guard let meaning, !stop.isRaised else { return }
    let embeddings = EmbeddingService(container: container, model: meaning)
    // The store has no embeddings if the owner has just allowed them again.
    if try isAll || new.count > Self.maximumSingle || embeddings.count() == 0 {
      try embeddings.updateAll(stop: stop, between: classify)
    } else {
      try embeddings.update(new)
    }
  }

  /// The largest number of new messages that are updated one by one. For more messages a scan of all messages is faster.
  private static let maximumSingle = 5_000
}
