/// Numbers of transactions, which ascend. Most records are in one transaction alone, and one number takes no allocation.
struct TransactionNumbers: Sequence, Sendable {
  private(set) var first: Int?
  private var rest: [Int] = []

  var isEmpty: Bool { first == nil }

  /// - Complexity: O(log n) for a number that follows all others.
  mutating func insert(_ number: Int) {
    guard let first else { return self.first = number }
    if number < first {
      rest.insert(first, at: 0)
      self.first = number
    } else if number > first, case let place = rest.place(of: number), place == rest.count || rest[place] != number {
      rest.insert(number, at: place)
    }
  }

  mutating func remove(_ number: Int) {
    if number == first {
      first = rest.isEmpty ? nil : rest.removeFirst()
    } else if case let place = rest.place(of: number), place < rest.count, rest[place] == number {
      rest.remove(at: place)
    }
  }

  struct Iterator: IteratorProtocol {
    fileprivate var first: Int?
    fileprivate var rest: IndexingIterator<[Int]>

    mutating func next() -> Int? {
      guard let first else { return rest.next() }
      self.first = nil
      return first
    }
  }

  func makeIterator() -> Iterator { Iterator(first: first, rest: rest.makeIterator()) }
}

extension Array where Element == Int {
  /// The place of a number among ascending numbers, or of the next one that is there.
  func place(of number: Int) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if self[middle] < number { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
