import Foundation
import Logging
import SwiftData

/// Judges messages in the background as they come: written here, imported, received by a sync, or stored by another process.
public struct AssistWorker: Sendable {
  private let container: ModelContainer
  private let logger = Logger(label: "sorted.assist")

  /// Makes the worker of a store.
  public init(container: ModelContainer) { self.container = container }

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
    let service = AssistService(container: container)
    let context = ModelContext(container)
    try await judge(service)
    // One waiting message is enough to know; the service asks for the rest itself.
    for try await update in context.values(for: AssistService.waiting(limit: 1)) {
      if !update.results.isEmpty { try await judge(service) }
    }
  }

  /// On a thread that may be busy for long.
  private func judge(_ service: AssistService) async throws {
    let stop = ImportSession.StopSign()
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        DispatchQueue.global(qos: .utility).async {
          continuation.resume(with: Result { _ = try service.judgeWaiting(stop: stop) })
        }
      }
    } onCancel: {
      stop.raise()
    }
  }
}
