public import Hummingbird

/// Removes the body from another responder's answers to HEAD (RFC 9110, section 9.3.2).
///
/// Hummingbird sends the body that a responder makes. A client does not read a body after the answer to HEAD. It takes the bytes for the
/// next answer, and closes the connection. Each server here answers through this type, because the answers to errors have bodies too.
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
