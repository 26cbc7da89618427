import Foundation

// Compares lists of objects by identity, as arrays of addresses.

extension Array where Element: AnyObject {
  /// Runs a body with the addresses of the objects.
  func withReferences<T>(_ body: (UnsafeBufferPointer<UInt>) -> T) -> T {
    withUnsafeBufferPointer { objects in
      // A class reference is an address.
      objects.withMemoryRebound(to: UInt.self, body)
    }
  }

  /// The index of an object, or nil. Searches from both ends, where most changes happen.
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

  /// The length of the common prefix of two lists.
  func commonPrefix(_ other: Self) -> Int {
    withReferences { left in other.withReferences { right in left.commonPrefix(right) } }
  }

  /// The length of the common suffix of two lists, ignoring the first `start` elements.
  func commonSuffix(_ other: Self, after start: Int) -> Int {
    withReferences { left in other.withReferences { right in left.commonSuffix(right, after: start) } }
  }

  /// The places at which two ranges differ. Nil if the ranges have different lengths or differ at more than `limit`
  /// places.
  func differences(_ range: Range<Int>, _ otherRange: Range<Int>, _ other: Self, atMost limit: Int) -> [Int]? {
    guard range == otherRange, range.count > limit else { return nil }
    var found = [Int]()
    var start = range.lowerBound
    return withReferences { left in
      other.withReferences { right in
        while start < range.upperBound {
          let (a, b) = (
            UnsafeBufferPointer(rebasing: left[start..<range.upperBound]),
            UnsafeBufferPointer(rebasing: right[start..<range.upperBound])
          )
          let place = start + a.commonPrefix(b)
          if place == range.upperBound { break }
          if found.count == limit { return nil }
          found.append(place)
          start = place + 1
        }
        return found
      }
    }
  }

  /// Whether two ranges of the same length have the same objects.
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
  /// The number of elements that one comparison covers.
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
