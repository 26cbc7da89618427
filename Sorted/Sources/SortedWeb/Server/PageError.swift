import Foundation
import HTTPTypes
import Sorted

/// What a person reads where something cannot be done.
struct PageError: Error, Equatable {
  var status: HTTPResponse.Status
  var title: String
  var detail: String

  init(_ status: HTTPResponse.Status, _ title: String, _ detail: String) {
    self.status = status
    self.title = title
    self.detail = detail
  }

  /// The same for what is not there and for what is somebody else's: who guesses learns nothing.
  static let notFound = PageError(
    .notFound, "Not here", "There is nothing at this address, or it is not yours to see.")

  static func invalid(_ detail: String) -> PageError { PageError(.badRequest, "That did not work", detail) }

  static func tooLarge(_ maximum: Int) -> PageError {
    let size = maximum >= 1 << 20 ? "\(maximum >> 20) MiB" : "\(maximum >> 10) KiB"
    return PageError(.contentTooLarge, "Too large", "This takes \(size) at most.")
  }

  static let tooMany = PageError(
    .tooManyRequests, "Slow down", "That was too much in a short time. Wait a moment, then try again.")

  static let stale = PageError(
    .forbidden, "This page is out of date",
    "Its form does not belong to your session. Open it again, then try once more.")

  /// - Returns: nil for what is nobody's business but the log's.
  init?(_ error: any Error) {
    switch error {
    case let error as PageError: self = error
    case DataLayerError.invalidData(let detail): self = .invalid(Self.sentence(detail))
    case let error as AttachmentUploadError: self = .invalid(Self.sentence(error.errorDescription ?? "\(error)"))
    default: return nil
    }
  }

  /// The messages of the data layer begin with a small letter and have no full stop.
  private static func sentence(_ text: String) -> String { text.prefix(1).uppercased() + text.dropFirst() + "." }
}
