/// The 64-bit keys of models in a store with arbitrary primary keys.
///
/// An identifier gets its key when it is first seen and keeps it while the store is open.
/// - Complexity: memory for every identifier that was seen.
final class SnapshotKeys: Sendable {
  private struct State {
    var keys: [PersistentIdentifier: Int64] = [:]
    var identifiers: [PersistentIdentifier] = []
  }
  private let state = Lock(State())

  /// The key of an identifier, and whether it was known.
  func key(of identifier: PersistentIdentifier) -> (key: Int64, isKnown: Bool) {
    state.withLock { state in
      if let key = state.keys[identifier] { return (key, true) }
      state.identifiers.append(identifier)
      // 0 means no key.
      let key = Int64(state.identifiers.count)
      state.keys[identifier] = key
      return (key, false)
    }
  }

  func identifier(of key: Int64) -> PersistentIdentifier? {
    state.withLock { $0.identifiers.indices.contains(Int(key) - 1) ? $0.identifiers[Int(key) - 1] : nil }
  }
}
