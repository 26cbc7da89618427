/// A first-in, first-out queue with amortised constant-time operations.
// Inlinable, because another module would ask the runtime for the types of each queue that it looks at.
package struct Queue<Element> {
  /// Removed elements are nil until they are dropped together.
  @usableFromInline var elements: [Element?] = []
  @usableFromInline var first = 0

  @inlinable package init() {}

  @inlinable package var isEmpty: Bool { first == elements.count }

  @inlinable package mutating func append(_ element: Element) { elements.append(element) }

  @inlinable package mutating func popFirst() -> Element? {
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
