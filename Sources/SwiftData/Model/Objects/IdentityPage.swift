import Foundation
import Synchronization

/// The entries of 16 consecutive keys of an identity map.
///
/// Each registered object holds its page. When it ends, `__ModelState` removes its entry before its memory is freed.
/// Another thread than the context's may release an object last, so each access to the entries holds a lock, and an
/// object that is ending waits for it. A lookup that holds the lock can therefore retain the object of any entry. It then
/// checks whether the object is ending.
// @unchecked Sendable because the lock guards everything that changes.
final class IdentityPage: @unchecked Sendable {
  private struct Entry {
    /// Compared without a retain, whose release under the lock could be the object's last.
    var address: ObjectIdentifier?
    unowned(unsafe) var object: (any PersistentModel)?
  }

  let number: Int64
  private let entries = UnsafeMutablePointer<Entry>.allocate(capacity: 16)
  private var count = 0
  /// Counts the objects of all pages, or nil if no metrics need the count.
  private let living: LivingCount?
  /// A spin lock. It suffices, because its holder runs a few dozen instructions and calls no code outside this class.
  private let isLocked = Atomic(false)

  init(_ number: Int64, living: LivingCount?) {
    (self.number, self.living) = (number, living)
    entries.initialize(repeating: Entry(), count: 16)
  }

  deinit { entries.deallocate() }

  subscript(key: Int64) -> (any PersistentModel)? { locked { living(Int(key & 15)) } }

  var objects: [any PersistentModel] {
    // The list outlives the lock. The last release of an object under the lock would wait for the lock.
    locked { (0..<16).compactMap(living) }
  }

  var isEmpty: Bool { locked { count == 0 } }

  func set(_ object: any PersistentModel, _ key: Int64) {
    let index = Int(key & 15)
    let isFree = locked {
      let isFree = entries[index].address == nil
      if isFree { count += 1 }
      entries[index] = Entry(address: ObjectIdentifier(object), object: object)
      return isFree
    }
    if isFree { living?.add(1) }
  }

  /// Removes the object at an address unless another one has its place. Called by an object that ends, too.
  func remove(_ address: ObjectIdentifier, _ key: Int64) {
    let index = Int(key & 15)
    let isRemoved = locked {
      guard entries[index].address == address else { return false }
      entries[index] = Entry()
      count -= 1
      return true
    }
    if isRemoved { living?.add(-1) }
  }

  /// The object of an entry, unless it is ending. The caller has the lock.
  private func living(_ index: Int) -> (any PersistentModel)? {
    guard let object = entries[index].object, !Self.isEnding(object) else { return nil }
    return object
  }

  /// Whether the last reference to an object is gone, and its `deinit` runs or waits.
  ///
  /// A retain does not stop the end of such an object. Swift returns nil for a weak reference to it.
  @inline(never)
  private static func isEnding(_ object: any PersistentModel) -> Bool {
    weak let reference = object
    return reference == nil
  }

  @inline(__always)
  private func locked<T>(_ body: () -> T) -> T {
    while !isLocked.compareExchange(expected: false, desired: true, ordering: .acquiring).exchanged { usleep(1) }
    defer { isLocked.store(false, ordering: .releasing) }
    return body()
  }
}
