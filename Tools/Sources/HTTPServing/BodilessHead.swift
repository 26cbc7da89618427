public import Hummingbird

/// A responder that answers HEAD as another one does, and leaves the body out (RFC 9110, section 9.3.2).
///
/// Hummingbird writes whatever body it is given. A client does not read a body after the answer to HEAD: it takes the bytes for the
/// next answer on the connection, and closes it. Each server here answers through this type, because errors have bodies too.
public struct BodilessHead<Answering: HTTPResponder>: HTTPResponder {
  private let answering: Answering

  /// - Parameter answering: the responder that makes the answers.
  public init(_ answering: Answering) { self.answering = answering }

  /// - Throws: what the other responder throws.
  public func respond(to request: Request, context: Answering.Context) async throws -> Response {
    let response = try await answering.respond(to: request, context: context)
    return request.method == .head ? response.createHeadResponse() : response
  }
}
