/// First in, first out; both in constant time, amortised.
package struct Queue<Element> {
  /// What was taken out already is nil, and dropped together.
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
