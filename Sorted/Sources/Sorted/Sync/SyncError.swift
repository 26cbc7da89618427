import FirestoreProtocol
import Foundation

/// The reason why a sync does not start or complete. (The guide's cases, 4.2, with details.)
public enum SyncError: LocalizedError, Equatable {
  case documentNotFound(String)
  case invalidData(String)
  case networkError(String)
  /// The store belongs to another user.
  case otherUser(String)
  /// Another sync of the same store runs, in this or another process.
  case busy(String)

  /// The problem and a remedy.
  public var errorDescription: String? {
    switch self {
    case .documentNotFound(let name): "the server has no \(name)"
    case .invalidData(let details): "the server's data cannot be used: \(details)"
    case .networkError(let details): details
    case .otherUser(let name): "this store belongs to \"\(name)\"; every user needs a store of their own"
    case .busy(let path): "another sync of \(path) is running; wait for its end"
    }
  }
}

/// The meaning of a server's error for the sent messages.
enum SyncFailure: Equatable {
  /// The outcome is unknown: the server is unreachable, or its answer was lost. It does not count as a failure of the
  /// messages.
  case noAnswer
  /// A document exists, is missing, or differs, against the precondition.
  case conflict
  /// A retry may succeed.
  case retryable
  /// The server rejects the user, which concerns everything and not a single message.
  case stranger
  /// A retry cannot succeed.
  case final

  init(_ error: FirestoreError) {
    switch error.status {
    case .unavailable, .deadlineExceeded, .cancelled: self = .noAnswer
    case .alreadyExists, .failedPrecondition, .notFound: self = .conflict
    // Firestore recommends a few retries for the last two.
    case .aborted, .resourceExhausted, .internal, .unknown: self = .retryable
    case .unauthenticated: self = .stranger
    case .invalidArgument, .permissionDenied, .unimplemented: self = .final
    }
  }
}
