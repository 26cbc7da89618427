public import Foundation

/// An error answer of the server, or a missing answer.
public struct FirestoreError: Error, Hashable, Sendable, CustomStringConvertible {
  /// Google's status names that Firestore uses.
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

    /// The HTTP status code.
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

    /// The gRPC status code, as in the answer of `batchWrite`.
    public var number: Int {
      switch self {
      case .cancelled: 1
      case .unknown: 2
      case .invalidArgument: 3
      case .deadlineExceeded: 4
      case .notFound: 5
      case .alreadyExists: 6
      case .permissionDenied: 7
      case .resourceExhausted: 8
      case .failedPrecondition: 9
      case .aborted: 10
      case .unimplemented: 12
      case .internal: 13
      case .unavailable: 14
      case .unauthenticated: 16
      }
    }
  }

  /// The status.
  public var status: Status
  /// The message for a person.
  public var message: String

  /// Makes an error.
  public init(_ status: Status, _ message: String) {
    self.status = status
    self.message = message
  }

  /// Decodes Google's error body, in a list or not. Without one, derives the status from the HTTP code.
  public init(httpCode: Int, body: Data) {
    let content =
      (try? JSONDecoder().decode(Body.self, from: body))
      ?? (try? JSONDecoder().decode([Body].self, from: body))?.first
    let status: Status =
      switch httpCode {
      case 400, 416: .invalidArgument
      case 401: .unauthenticated
      case 403: .permissionDenied
      case 404, 410: .notFound
      case 409: .aborted
      case 408, 504: .deadlineExceeded
      case 429: .resourceExhausted
      case 502, 503: .unavailable
      default: .unknown
      }
    self.status = content?.error.status.flatMap(Status.init) ?? status
    self.message = content?.error.message ?? "the server answered with code \(httpCode)"
  }

  /// Whether the same request may succeed later. After a broken connection it is unknown whether a write happened, so
  /// retried requests must be idempotent.
  public var isRetryable: Bool {
    switch status {
    case .aborted, .unavailable, .resourceExhausted, .deadlineExceeded: true
    default: false
    }
  }

  /// The status and the message.
  public var description: String { "\(status.rawValue): \(message)" }

  /// The JSON body of the error.
  public var body: Body { Body(error: .init(code: status.httpCode, message: message, status: status.rawValue)) }

  /// The JSON form of Google's errors.
  public struct Body: Hashable, Sendable, Codable {
    /// The contents.
    public struct Content: Hashable, Sendable, Codable {
      /// The HTTP status code.
      public var code: Int
      /// The message for a person.
      public var message: String
      /// The name of a ``FirestoreError/Status``.
      public var status: String?
    }
    /// The only member.
    public var error: Content
  }
}
