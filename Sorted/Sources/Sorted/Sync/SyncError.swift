import FirestoreClient
import Foundation

/// Why a sync does not begin, or does not come to its end. (The cases of the guide, 4.2, with what they are about.)
public enum SyncError: LocalizedError, Equatable {
  case documentNotFound(String)
  case invalidData(String)
  case networkError(String)
  /// The store is another user's.
  case otherUser(String)
  /// Another sync of the same store runs, in this process or in another one.
  case busy(String)

  /// What is wrong, and what to do about it.
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

/// What an error of the server means for what was to be sent.
enum SyncFailure: Equatable {
  /// Nobody knows whether it happened: the server is not there, or its answer was lost. Nothing is held against the
  /// messages.
  case noAnswer
  /// A document is there that should not be, or is not there, or is another one.
  case conflict
  /// It may work later.
  case retryable
  /// The server does not know the user: this is about everything, not about a message.
  case stranger
  /// It never works.
  case final

  init(_ error: FirestoreError) {
    switch error.status {
    case .unavailable, .deadlineExceeded, .cancelled: self = .noAnswer
    case .alreadyExists, .failedPrecondition, .notFound: self = .conflict
    // Firestore's own advice for the last two is to try again, though not for long.
    case .aborted, .resourceExhausted, .internal, .unknown: self = .retryable
    case .unauthenticated: self = .stranger
    case .invalidArgument, .permissionDenied, .unimplemented: self = .final
    }
  }
}
