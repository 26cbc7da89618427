import HTTPServing

extension RateLimiter {
  /// Takes a token from the bucket of a key.
  /// - Throws: ``PageError/tooMany``.
  func admit(_ key: Key) throws {
    guard take(key) == nil else { throw PageError.tooMany }
  }
}
