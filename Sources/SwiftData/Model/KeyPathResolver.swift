import Foundation
import Synchronization

/// Finds the persisted property that a key path reads.
///
/// Key paths to one property differ between a class, its subclass and a protocol. The resolver therefore evaluates an
/// unknown key path once on a probe, an instance whose getters record the property that is read.
package enum KeyPathResolver {
  /// The property that `keyPath` reads first, or nil if it reads none.
  /// - Complexity: O(the number of properties) after the first call for a key path.
  package static func property(at keyPath: AnyKeyPath, in entity: __Entity) -> __Property? {
    if let index = entity.index(of: keyPath) { return entity.properties[index] }
    struct Key: Hashable {
      let entity: ObjectIdentifier
      let keyPath: AnyKeyPath
    }
    let key = Key(entity: ObjectIdentifier(entity), keyPath: keyPath)
    let known = cache.withLock { cache in cache.found[key].map { $0 } }
    if let known { return known.map { entity.properties[$0] } }
    let index = Probe.firstPropertyRead(by: keyPath, of: entity)
    cache.withLock { $0.found[key] = .some(index) }
    return index.map { entity.properties[$0] }
  }

  // @unchecked Sendable because it is only accessed under the mutex, and key paths are immutable.
  private struct Cache: @unchecked Sendable { var found: [AnyHashable: Int?] = [:] }
  private static let cache = Mutex(Cache())
}
