import Foundation
import Logging
import SwiftData

/// Judges messages in the background as they come: written here, imported, received by a sync, or stored by another process.
/// Where the sentence model is installed, it keeps their vectors as well.
public struct AssistWorker: Sendable {
  private let container: ModelContainer
  private let meaning: MeaningModel?
  private let logger = Logger(label: "sorted.assist")

  /// Makes the worker of a store.
  public init(container: ModelContainer) { self.init(container: container, meaning: nil) }

  /// Makes the worker of a store that also keeps the vectors of its messages.
  package init(container: ModelContainer, meaning: MeaningModel?) {
    self.container = container
    self.meaning = meaning
  }

  /// Judges what waits and what comes until the task is cancelled. An error is logged, and the work tried again with the
  /// next message.
  public func run() async {
    while !Task.isCancelled {
      do {
        try await follow()
        return
      } catch is CancellationError {
        return
      } catch {
        logger.error("messages were not judged: \(error)")
        try? await Task.sleep(for: .seconds(5))
      }
    }
  }

  private func follow() async throws {
    let context = ModelContext(container)
    // Vectors may be missing or left over from before this process.
    try await work(onAllVectors: true)
    // One waiting message is enough to know; the service asks for the rest itself.
    for try await update in context.values(for: AssistService.waiting(limit: 1)) {
      if !update.results.isEmpty { try await work(onAllVectors: false) }
    }
  }

  /// On a thread that may be busy for long.
  private func work(onAllVectors isAll: Bool) async throws {
    let stop = ImportSession.StopSign()
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        DispatchQueue.global(qos: .utility).async {
          continuation.resume(with: Result { try judge(stop, isAll) })
        }
      }
    } onCancel: {
      stop.raise()
    }
  }

  /// Judging takes a hundredth of the time of the vectors, so what comes meanwhile does not wait for them.
  private func judge(_ stop: ImportSession.StopSign, _ isAll: Bool) throws {
    let service = AssistService(container: container, meaning: meaning)
    func judged() throws -> [String] {
      var judged: [String] = []
      try service.judgeBatches(stop: stop) { judged += $0 }
      return judged
    }
    let new = try judged()
    guard let meaning, !stop.isRaised else { return }
    let vectors = MeaningService(container: container, model: meaning)
    // There are none after the owner allowed them again.
    if try isAll || new.count > Self.maximumSingle || vectors.count() == 0 {
      try vectors.updateAll(stop: stop, between: judged)
    } else {
      try vectors.update(new)
    }
  }

  /// Above so many new messages a comparison of all is shorter than asking for each.
  private static let maximumSingle = 5_000
}
