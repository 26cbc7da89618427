/// A first-in, first-out queue with amortised constant-time operations.
package struct Queue<Element> {
  /// Removed elements are nil until they are dropped together.
  private var elements: [Element?] = []
  private var first = 0

  package init() {}

  package var isEmpty: Bool { first == elements.count }

  package mutating func append(_ element: Element) { elements.append(element) }

  package mutating func popFirst() -> Element? {
    guard !isEmpty else { return nil }
    defer {
      elements[first] = nil
      first += 1
      if first > 16, 2 * first > elements.count {
        elements.removeFirst(first)
        first = 0
      }
    }
    return elements[first]
  }
}

extension Queue: Sendable where Element: Sendable {}
