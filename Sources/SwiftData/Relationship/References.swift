import Foundation

// Lists of objects compared by identity, as what they are in memory: an array of addresses.

extension Array where Element: AnyObject {
  /// Runs a body on the addresses of the objects.
  func withReferences<T>(_ body: (UnsafeBufferPointer<UInt>) -> T) -> T {
    withUnsafeBufferPointer { objects in
      // A reference to an object of a class is its address.
      objects.withMemoryRebound(to: UInt.self, body)
    }
  }

  /// Where an object is; nil where it is not. Looked for from both ends, where changes are most often.
  func index(of object: AnyObject) -> Int? {
    let address = UInt(bitPattern: Unmanaged.passUnretained(object).toOpaque())
    return withReferences { references in
      var (low, high) = (0, references.count - 1)
      while low <= high {
        if references[low] == address { return low }
        if references[high] == address { return high }
        low += 1
        high -= 1
      }
      return nil
    }
  }

  /// How many objects two lists have in common at their beginning.
  func commonPrefix(_ other: Self) -> Int {
    withReferences { left in other.withReferences { right in left.commonPrefix(right) } }
  }

  /// How many objects two lists have in common at their end, the first `start` of each left out.
  func commonSuffix(_ other: Self, after start: Int) -> Int {
    withReferences { left in other.withReferences { right in left.commonSuffix(right, after: start) } }
  }

  /// Whether two stretches of the same length have the same objects.
  func isEqual(_ range: Range<Int>, to other: Self, _ start: Int) -> Bool {
    withReferences { left in
      other.withReferences { right in
        range.isEmpty
          || memcmp(
            left.baseAddress! + range.lowerBound, right.baseAddress! + start, range.count * MemoryLayout<UInt>.stride)
            == 0
      }
    }
  }
}

extension UnsafeBufferPointer<UInt> {
  /// So many are compared at a time before it matters where they differ.
  private static let block = 256

  fileprivate func commonPrefix(_ other: Self) -> Int {
    let end = Swift.min(count, other.count)
    guard end > 0, let left = baseAddress, let right = other.baseAddress else { return 0 }
    if left == right { return end }
    var index = 0
    while index + Self.block <= end,
      memcmp(left + index, right + index, Self.block * MemoryLayout<UInt>.stride) == 0
    {
      index += Self.block
    }
    while index < end, left[index] == right[index] { index += 1 }
    return index
  }

  fileprivate func commonSuffix(_ other: Self, after start: Int) -> Int {
    let end = Swift.min(count, other.count) - start
    guard end > 0, let left = baseAddress, let right = other.baseAddress else { return 0 }
    var found = 0
    while found + Self.block <= end,
      memcmp(
        left + (count - found - Self.block), right + (other.count - found - Self.block),
        Self.block * MemoryLayout<UInt>.stride) == 0
    {
      found += Self.block
    }
    while found < end, left[count - found - 1] == right[other.count - found - 1] { found += 1 }
    return found
  }
}
