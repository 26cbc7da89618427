import FirestoreProtocol
import Foundation

/// The user of a request, from the header `Authorization`. Signatures are not verified: a local server's rules help to
/// develop an app, and protect nothing.
enum Identity: Equatable {
  /// No user.
  case anonymous
  case user(String)
  /// The token `owner` of Google's emulators, which bypasses the rules.
  case owner

  private struct Claims: Decodable {
    let sub: String?
    let user_id: String?
  }

  /// - Parameter header: `Bearer TOKEN` or, for Firebase Storage, `Firebase TOKEN`. The token is a Firebase ID token (a
  ///   JWT) or `owner`.
  /// - Throws: ``FirestoreError`` with status `unauthenticated` if the token names no user.
  init(header: String?) throws {
    guard let header, !header.isEmpty else {
      self = .anonymous
      return
    }
    let parts = header.split(separator: " ")
    guard parts.count == 2, ["bearer", "firebase"].contains(parts[0].lowercased()) else { throw Self.unknown }
    if parts[1] == "owner" {
      self = .owner
      return
    }
    let sections = parts[1].split(separator: ".", omittingEmptySubsequences: false)
    guard sections.count == 3, let data = Data(base64URL: sections[1]),
      let claims = try? JSONDecoder().decode(Claims.self, from: data), let user = claims.user_id ?? claims.sub
    else { throw Self.unknown }
    self = .user(user)
  }

  private static let unknown = FirestoreError(
    .unauthenticated, "Authorization has to be Bearer with an ID token (a JWT with sub or user_id), or with owner")
}

extension Data {
  fileprivate init?(base64URL text: Substring) {
    let plain = text.replacing("-", with: "+").replacing("_", with: "/")
    self.init(base64Encoded: plain + String(repeating: "=", count: (4 - plain.utf8.count % 4) % 4))
  }
}
