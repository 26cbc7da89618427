import Foundation
import HTTPTypes
import Sorted

/// What a person reads where something cannot be done.
struct PageError: Error, Equatable {
  var status: HTTPResponse.Status
  var title: Phrase
  var detail: Phrase

  init(_ status: HTTPResponse.Status, _ title: Phrase, _ detail: Phrase) {
    self.status = status
    self.title = title
    self.detail = detail
  }

  /// The same error for a missing thing and for another person's, so that guessing reveals nothing.
  static let notFound = PageError(
    .notFound, "Not here", "There is nothing at this address, or it is not yours to see.")

  static func invalid(_ detail: Phrase) -> PageError { PageError(.badRequest, "That did not work", detail) }

  static func tooLarge(_ maximum: Int) -> PageError {
    let size = maximum >= 1 << 20 ? "\(maximum >> 20) MiB" : "\(maximum >> 10) KiB"
    return PageError(.contentTooLarge, "Too large", "This takes \(size) at most.")
  }

  static let tooMany = PageError(
    .tooManyRequests, "Slow down", "You sent too many requests. Wait a moment, then try again.")

  static let incomplete = invalid("The form did not arrive completely. Try again.")

  static let tooSlow = PageError(
    .requestTimeout, "Too slow", "The form arrived too slowly. Try again over a faster connection.")

  static let busy = PageError(
    .serviceUnavailable, "Busy", "The server has too many requests of this kind. Try again in a few seconds.")

  static let stale = PageError(
    .forbidden, "This page is out of date",
    "Its form does not belong to your session. Open it again, then try once more.")

  /// - Returns: nil for an error that only the log may show.
  init?(_ error: any Error) {
    switch error {
    case let error as PageError: self = error
    case DataLayerError.invalidData(let detail): self = .invalid(DataLayerText.phrase(Self.sentence(detail)))
    default: return nil
    }
  }

  /// The messages of the data layer begin with a small letter and have no full stop.
  private static func sentence(_ text: String) -> String { text.prefix(1).uppercased() + text.dropFirst() + "." }
}

/// Finds something that may not be there.
/// - Returns: nil if there is no such thing, or none that the viewer may see.
/// - Throws: what `body` throws, except ``PageError/notFound``. A database that cannot be read says nothing of what is there.
func ifThere<Value>(_ body: () throws -> Value) throws -> Value? {
  do { return try body() } catch let error as PageError where error == .notFound { return nil }
}
