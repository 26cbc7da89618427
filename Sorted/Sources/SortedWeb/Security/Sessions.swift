import Foundation
import Hummingbird
import SwiftData

/// Who is signed in: a cookie, and what the store knows of it.
struct Sessions: Sendable {
  static let cookie = "sorted"
  private static let lifetime: TimeInterval = 30 * 86_400

  let desk: Desk

  /// - Returns: nil for nobody.
  func visit(_ request: Request) async throws -> Visit? {
    guard let token = request.cookies[Self.cookie]?.value, token.utf8.count == Secret.random().utf8.count else {
      return nil
    }
    let digest = Secret.digest(token)
    let now = Date()
    let viewer: Viewer? = try await desk.read { work in
      let found = try work.own.fetch(FetchDescriptor<SessionEntity>(predicate: #Predicate { $0.tokenDigest == digest }))
      guard let session = found.first, session.expiresAt > now else { return nil }
      return session.isOwner ? .owner(session.userID) : .member(session.userID)
    }
    return viewer.map { Visit(viewer: $0, formToken: Secret.formToken(of: token), session: digest) }
  }

  /// Signs somebody in: the cookie of the new session.
  func begin(_ viewer: Viewer, isSecure: Bool) async throws -> Cookie {
    let token = Secret.random()
    let digest = Secret.digest(token)
    try await desk.write { work in
      let now = Date()
      try work.own.delete(model: SessionEntity.self, where: #Predicate { $0.expiresAt < now })
      work.own.insert(
        SessionEntity(
          tokenDigest: digest, userID: viewer.userID, isOwner: viewer.isOwner,
          expiresAt: now.addingTimeInterval(Self.lifetime)))
    }
    return Cookie(
      name: Self.cookie, value: token, maxAge: Int(Self.lifetime), path: "/", secure: isSecure, httpOnly: true,
      sameSite: .strict)
  }

  /// Signs somebody out: a cookie that is over.
  func end(_ visit: Visit) async throws -> Cookie {
    let digest = visit.session
    try await desk.write { work in
      try work.own.delete(model: SessionEntity.self, where: #Predicate { $0.tokenDigest == digest })
    }
    return Cookie(name: Self.cookie, value: "", maxAge: 0, path: "/", httpOnly: true, sameSite: .strict)
  }
}
