/// Objects that it does not keep alive, for use under a lock.
///
/// Looking at an object keeps it alive for a moment. If its other owners let it go meanwhile, it ends when the look does. Its end must not
/// come under the lock, which it may need. So each look returns what it saw, and the caller drops that after the lock.
package struct WeakList<Element: AnyObject & Sendable>: Sendable {
  private struct Entry: Sendable { weak var element: Element? }

  private var entries: [Entry] = []

  package init() {}

  /// The living objects.
  package var all: [Element] { entries.compactMap(\.element) }

  /// Adds an object and forgets ended ones.
  /// - Returns: the objects that it has, for the caller to drop after the lock.
  package mutating func append(_ element: Element) -> [Element] {
    let others = prune(except: nil)
    entries.append(Entry(element: element))
    return others
  }

  /// Removes an object and forgets ended ones.
  /// - Returns: the objects that it had, for the caller to drop after the lock.
  package mutating func remove(_ element: Element) -> [Element] { prune(except: element) }

  /// Removes all objects.
  /// - Returns: those that live.
  package mutating func removeAll() -> [Element] {
    defer { entries = [] }
    return all
  }

  private mutating func prune(except removed: Element?) -> [Element] {
    var seen = [Element]()
    entries.removeAll { entry in
      guard let element = entry.element else { return true }
      seen.append(element)
      return element === removed
    }
    return seen
  }
}
