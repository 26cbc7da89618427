/// An answer of the server that is none, or no answer at all.
public struct FirestoreError: Error, Hashable, Sendable, CustomStringConvertible {
  /// Google's names of what can go wrong, as far as Firestore uses them.
  public enum Status: String, Sendable, Codable {
    case cancelled = "CANCELLED"
    case unknown = "UNKNOWN"
    case invalidArgument = "INVALID_ARGUMENT"
    case deadlineExceeded = "DEADLINE_EXCEEDED"
    case notFound = "NOT_FOUND"
    case alreadyExists = "ALREADY_EXISTS"
    case permissionDenied = "PERMISSION_DENIED"
    case unauthenticated = "UNAUTHENTICATED"
    case resourceExhausted = "RESOURCE_EXHAUSTED"
    case failedPrecondition = "FAILED_PRECONDITION"
    case aborted = "ABORTED"
    case unimplemented = "UNIMPLEMENTED"
    case `internal` = "INTERNAL"
    case unavailable = "UNAVAILABLE"

    /// The code of HTTP that goes with it.
    public var httpCode: Int {
      switch self {
      case .cancelled: 499
      case .invalidArgument, .failedPrecondition: 400
      case .unauthenticated: 401
      case .permissionDenied: 403
      case .notFound: 404
      case .alreadyExists, .aborted: 409
      case .resourceExhausted: 429
      case .unimplemented: 501
      case .unavailable: 503
      case .deadlineExceeded: 504
      case .unknown, .internal: 500
      }
    }
  }

  /// What went wrong.
  public var status: Status
  /// For a person.
  public var message: String

  /// Makes an error.
  public init(_ status: Status, _ message: String) {
    self.status = status
    self.message = message
  }

  /// Whether the same request may succeed later. After a connection that broke nobody knows whether a write happened, so
  /// what is retried has to be idempotent.
  public var isRetryable: Bool {
    switch status {
    case .aborted, .unavailable, .resourceExhausted, .deadlineExceeded: true
    default: false
    }
  }

  /// The status and the message.
  public var description: String { "\(status.rawValue): \(message)" }

  /// The body of an answer that says so.
  public var body: Body { Body(error: .init(code: status.httpCode, message: message, status: status.rawValue)) }

  /// The JSON of Google's errors.
  public struct Body: Hashable, Sendable, Codable {
    /// What is in it.
    public struct Content: Hashable, Sendable, Codable {
      /// Of HTTP.
      public var code: Int
      /// For a person.
      public var message: String
      /// A ``FirestoreError/Status``.
      public var status: String?
    }
    /// The one member.
    public var error: Content
  }
}
