public import Foundation
import Synchronization

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Sends requests with URLSession.
///
/// It uses completion handlers and a timer of its own. The asynchronous functions of Foundation on Linux can wait for ever
/// where a task is cancelled while its request fails.
public struct HTTPTransport: SyncTransport {
  private let url: URL
  // Immutable and thread-safe, as Foundation documents it.
  private let session: URLSession

  /// - Parameter url: where the server is: `https://sync.example.com`.
  public init(url: URL) {
    self.url = url
    let configuration = URLSessionConfiguration.ephemeral
    configuration.httpShouldSetCookies = false
    configuration.urlCache = nil
    configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
    session = URLSession(configuration: configuration)
  }

  /// Sends a request and waits for the answer, at most for the request's timeout.
  /// - Throws: `URLError` if no answer came, `CancellationError` if the task was cancelled.
  public func send(_ request: SyncRequest) async throws -> SyncReply {
    guard let target = URL(string: url.absoluteString.trimmingSuffix("/") + request.path) else {
      throw URLError(.badURL)
    }
    var message = URLRequest(url: target)
    message.httpMethod = request.method
    message.timeoutInterval = request.timeout + 5
    for (name, value) in request.headers { message.setValue(value, forHTTPHeaderField: name) }
    #if canImport(FoundationNetworking)
      if let body = request.body { message.httpBodyStream = InputStream(data: body) }
    #else
      message.httpBody = request.body
    #endif
    let pending = PendingReply()
    let task = session.dataTask(with: message) { data, response, error in
      if let response = response as? HTTPURLResponse {
        pending.finish(.success(SyncReply(status: response.statusCode, body: data ?? Data())))
      } else {
        pending.finish(.failure(error ?? URLError(.badServerResponse)))
      }
    }
    #if canImport(FoundationNetworking)
      if let body = request.body { task.delegate = BodyFromStart(body) }
    #endif
    let timer = DispatchWorkItem { pending.finish(.failure(URLError(.timedOut))) }
    DispatchQueue.global().asyncAfter(deadline: .now() + request.timeout, execute: timer)
    defer {
      timer.cancel()
      // The caller has its answer, so the request can end.
      task.cancel()
    }
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        pending.start(continuation)
        task.resume()
      }
    } onCancel: {
      pending.finish(.failure(CancellationError()))
    }
  }
}

/// An answer that comes once: from the server, the timer or the cancellation, whichever is first.
private final class PendingReply: Sendable {
  private enum State {
    case idle
    case waiting(CheckedContinuation<SyncReply, any Error>)
    case finished(Result<SyncReply, any Error>)
    case done
  }

  private let state = Mutex(State.idle)

  func start(_ continuation: CheckedContinuation<SyncReply, any Error>) {
    let early: Result<SyncReply, any Error>? = state.withLock { state in
      if case .finished(let result) = state {
        state = .done
        return result
      }
      state = .waiting(continuation)
      return nil
    }
    if let early { continuation.resume(with: early) }
  }

  func finish(_ result: Result<SyncReply, any Error>) {
    let waiting: CheckedContinuation<SyncReply, any Error>? = state.withLock { state in
      switch state {
      case .idle:
        state = .finished(result)
        return nil
      case .waiting(let continuation):
        state = .done
        return continuation
      case .finished, .done: return nil
      }
    }
    waiting?.resume(with: result)
  }
}

#if canImport(FoundationNetworking)
  /// Gives a request its body a second time.
  ///
  /// A kept connection can be closed in the moment when a request is sent on it. libcurl then sends the request again on a new
  /// connection. URLSession on Linux cannot rewind a body of `Data`: the request would have no body, and use a processor until it
  /// times out. It asks the task's delegate for a body that is a stream.
  private final class BodyFromStart: NSObject, URLSessionTaskDelegate {
    private let body: Data

    init(_ body: Data) { self.body = body }

    func urlSession(
      _ session: URLSession, task: URLSessionTask, needNewBodyStream completionHandler: @escaping (InputStream?) -> Void
    ) {
      completionHandler(InputStream(data: body))
    }
  }
#endif

extension String {
  fileprivate func trimmingSuffix(_ suffix: String) -> String {
    hasSuffix(suffix) ? String(dropLast(suffix.count)) : self
  }
}
