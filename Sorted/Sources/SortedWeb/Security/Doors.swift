import Foundation
import Synchronization

/// The addresses that sign the owner in. Each works once.
final class Doors: Sendable {
  /// Digests of tokens, with the time when they are over.
  private let tokens = Mutex<[String: Date]>([:])

  /// Makes a token.
  /// - Parameter lifetime: in seconds.
  func make(lifetime: TimeInterval) -> String {
    let token = Secret.random()
    tokens.withLock { $0[Secret.digest(token)] = Date().addingTimeInterval(lifetime) }
    return token
  }

  /// - Returns: whether the token opens; it does not open again.
  func use(_ token: String) -> Bool {
    tokens.withLock { tokens in
      let now = Date()
      tokens = tokens.filter { $0.value > now }
      return tokens.removeValue(forKey: Secret.digest(token)) != nil
    }
  }
}
