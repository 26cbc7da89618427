import Foundation
import Hummingbird
import SwiftData

/// The sessions of people who are signed in: a cookie in the browser and its digest in the store.
struct Sessions: Sendable {
  private static let lifetime: TimeInterval = 30 * 86_400
  /// How often it is noted that a session is in use.
  private static let noting: TimeInterval = 600

  let desk: Desk

  /// A browser sends a cookie to all ports of a host, so each port has a name of its own. The prefix has the browser
  /// insist on encryption.
  static func cookieName(_ request: Request, isSecure: Bool) -> String {
    let port = Authority(request.head.authority ?? "").port ?? (isSecure ? 443 : 80)
    return (isSecure ? "__Host-" : "") + "sorted-\(port)"
  }

  /// - Returns: nil for a request without a session.
  func visit(_ request: Request, isSecure: Bool) async throws -> Visit? {
    guard let token = request.cookies[Self.cookieName(request, isSecure: isSecure)]?.value,
      token.utf8.count == Secret.random().utf8.count
    else { return nil }
    let digest = Secret.digest(token)
    let now = Date()
    let found: (viewer: Viewer, isStale: Bool)? = try await desk.readSession { work in
      guard let session = try work.session(digest), session.expiresAt > now else { return nil }
      let isStale = session.seenAt < now.addingTimeInterval(-Self.noting)
      return (session.isOwner ? .owner(session.userID) : .member(session.userID), isStale)
    }
    if found?.isStale == true { try await desk.write { try $0.session(digest)?.seenAt = now } }
    return found.map { Visit(viewer: $0.viewer, formToken: Secret.formToken(of: token), session: digest) }
  }

  /// Begins a session and returns its cookie.
  func begin(_ viewer: Viewer, _ request: Request, isSecure: Bool) async throws -> Cookie {
    let token = Secret.random()
    let digest = Secret.digest(token)
    let agent = String((request.headers[.userAgent] ?? "").prefix(200))
    try await desk.write { work in
      let now = Date()
      try work.own.delete(model: SessionEntity.self, where: #Predicate { $0.expiresAt < now })
      work.own.insert(
        SessionEntity(
          tokenDigest: digest, userID: viewer.userID, isOwner: viewer.isOwner,
          expiresAt: now.addingTimeInterval(Self.lifetime), agent: agent))
    }
    return Cookie(
      name: Self.cookieName(request, isSecure: isSecure), value: token, maxAge: Int(Self.lifetime), path: "/",
      secure: isSecure, httpOnly: true, sameSite: .strict)
  }

  /// Ends sessions.
  func end(_ digests: [String]) async throws {
    try await desk.write { work in
      try work.own.delete(model: SessionEntity.self, where: #Predicate { digests.contains($0.tokenDigest) })
    }
  }

  /// A cookie that is over.
  static func cookieOfNobody(_ request: Request, isSecure: Bool) -> Cookie {
    Cookie(
      name: cookieName(request, isSecure: isSecure), value: "", maxAge: 0, path: "/", secure: isSecure, httpOnly: true,
      sameSite: .strict)
  }

  /// Which of some sessions are over.
  func ended(_ digests: [String]) async throws -> [String] {
    let now = Date()
    let valid = try await desk.readSession { work in
      try work.own.fetch(
        FetchDescriptor<SessionEntity>(
          predicate: #Predicate { digests.contains($0.tokenDigest) && $0.expiresAt > now })
      ).map(\.tokenDigest)
    }
    return Array(Set(digests).subtracting(valid))
  }
}

extension Work {
  func session(_ digest: String) throws -> SessionEntity? {
    try own.fetch(FetchDescriptor<SessionEntity>(predicate: #Predicate { $0.tokenDigest == digest })).first
  }
}
