import FirestoreProtocol
import Foundation

/// Firestore's order of values. (Google's documentation, "Value type ordering".)
enum ValueOrder {
  enum Result { case less, equal, greater }

  /// Compares any two values: first by type, then within the type.
  static func compare(_ left: FirestoreValue, _ right: FirestoreValue) -> Result {
    let ranks = (rank(left), rank(right))
    guard ranks.0 == ranks.1 else { return order(ranks.0, ranks.1) }
    switch (left, right) {
    case (.boolean(let left), .boolean(let right)): return order(left ? 1 : 0, right ? 1 : 0)
    case (.integer(let left), .integer(let right)): return order(left, right)
    case (.double(let left), .double(let right)): return doubles(left, right)
    case (.integer(let left), .double(let right)): return mixed(left, right)
    case (.double(let left), .integer(let right)): return reversed(mixed(right, left))
    case (.timestamp(let left), .timestamp(let right)): return order(left, right)
    case (.string(let left), .string(let right)): return bytes(left.utf8, right.utf8)
    case (.bytes(let left), .bytes(let right)): return bytes(left, right)
    case (.reference(let left), .reference(let right)): return names(left, right)
    case (.geoPoint(let left, let leftX), .geoPoint(let right, let rightX)):
      let latitudes = doubles(left, right)
      return latitudes == .equal ? doubles(leftX, rightX) : latitudes
    case (.array(let left), .array(let right)): return lists(left, right)
    case (.map(let left), .map(let right)): return maps(left, right)
    default: return .equal
    }
  }

  /// Compares names by segment. The end of a segment sorts before every byte.
  private static func names(_ left: String, _ right: String) -> Result {
    let slash = UInt8(ascii: "/")
    return bytes(
      left.utf8.lazy.map { $0 == slash ? 0 : Int($0) + 1 }, right.utf8.lazy.map { $0 == slash ? 0 : Int($0) + 1 })
  }

  /// Whether a range can contain both values. Values of different types cannot, except for the two number types.
  static func haveOneType(_ left: FirestoreValue, _ right: FirestoreValue) -> Bool { rank(left) == rank(right) }

  static func isNaN(_ value: FirestoreValue) -> Bool {
    if case .double(let number) = value { return number.isNaN }
    return false
  }

  private static func rank(_ value: FirestoreValue) -> Int {
    switch value {
    case .null: 0
    case .boolean: 1
    case .integer, .double: 2
    case .timestamp: 3
    case .string: 4
    case .bytes: 5
    case .reference: 6
    case .geoPoint: 7
    case .array: 8
    case .map: 9
    }
  }

  private static func order<T: Comparable>(_ left: T, _ right: T) -> Result {
    left < right ? .less : left == right ? .equal : .greater
  }

  private static func reversed(_ result: Result) -> Result {
    result == .less ? .greater : result == .greater ? .less : .equal
  }

  /// NaN sorts before all numbers and equals itself.
  private static func doubles(_ left: Double, _ right: Double) -> Result {
    left.isNaN || right.isNaN ? order(left.isNaN ? 0 : 1, right.isNaN ? 0 : 1) : order(left, right)
  }

  /// Compares exactly, because a `Double` cannot represent every 64-bit integer.
  private static func mixed(_ integer: Int64, _ double: Double) -> Result {
    if double.isNaN { return .greater }
    if double >= 0x1p63 { return .less }
    if double < -0x1p63 { return .greater }
    let whole = double.rounded(.down)
    let result = order(integer, Int64(whole))
    return result == .equal && double > whole ? .less : result
  }

  private static func bytes<S: Sequence, T: Sequence<S.Element>>(_ left: S, _ right: T) -> Result
  where S.Element: Comparable {
    var (left, right) = (left.makeIterator(), right.makeIterator())
    while true {
      switch (left.next(), right.next()) {
      case (nil, nil): return .equal
      case (nil, _): return .less
      case (_, nil): return .greater
      case (let left?, let right?): if left != right { return left < right ? .less : .greater }
      }
    }
  }

  private static func lists(_ left: [FirestoreValue], _ right: [FirestoreValue]) -> Result {
    for (left, right) in zip(left, right) {
      let result = compare(left, right)
      if result != .equal { return result }
    }
    return order(left.count, right.count)
  }

  /// Compares maps by key, in the order of the keys.
  private static func maps(_ left: [String: FirestoreValue], _ right: [String: FirestoreValue]) -> Result {
    let leftKeys = left.keys.sorted { bytes($0.utf8, $1.utf8) == .less }
    let rightKeys = right.keys.sorted { bytes($0.utf8, $1.utf8) == .less }
    for (leftKey, rightKey) in zip(leftKeys, rightKeys) {
      let keys = bytes(leftKey.utf8, rightKey.utf8)
      if keys != .equal { return keys }
      let values = compare(left[leftKey] ?? .null, right[rightKey] ?? .null)
      if values != .equal { return values }
    }
    return order(leftKeys.count, rightKeys.count)
  }
}
