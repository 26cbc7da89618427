/// The order of one to-many in the store, where it is not that of age.
///
/// Targets without a position come last, by age. Positions are far apart, so that a target that was moved or put in
/// between gets one of its own and the others keep theirs; only where there is no room all are written anew.
struct ListPositions {
  /// How far apart positions are written.
  static let spacing: Int64 = 1 << 32

  /// The targets in a stretch of the list.
  let targets: (Range<Int>) -> [any PersistentModel]
  let count: Int
  /// The stored position of a target in this list: `.some(nil)` where it has none, nil where it is not in the list.
  let stored: (any PersistentModel) throws -> Int64??
  let write: (any PersistentModel, _ position: Int64) throws -> Void

  /// Writes all positions.
  func writeAll() throws {
    for (index, target) in targets(0..<count).enumerated() { try write(target, Int64(index) * Self.spacing) }
  }

  /// Gives those in a stretch positions between their neighbours.
  /// - Returns: false where there is no room, or where the store has not the order that the list had.
  func place(_ range: Range<Int>) throws -> Bool {
    let previous = try targets(range.lowerBound - 1..<range.lowerBound).first.map(stored)
    let next = try targets(range.upperBound..<range.upperBound + 1).first.map(stored)
    let length = Int64(range.count)
    let (first, step): (Int64, Int64)
    switch (previous, next) {
    case (nil, .some(.some(.some(let end)))):
      (first, step) = (end &- length &* Self.spacing, Self.spacing)
    case (.some(.some(.some(let start))), nil), (.some(.some(.some(let start))), .some(.some(.none))):
      (first, step) = (start &+ Self.spacing, Self.spacing)
    case (.some(.some(.some(let start))), .some(.some(.some(let end)))):
      let (room, overflow) = end.subtractingReportingOverflow(start)
      guard !overflow, room > length else { return false }
      step = min(room / (length + 1), Self.spacing)
      first = start + step
    default: return false
    }
    // At the ends of what fits they are all written anew.
    guard abs(first) < Int64.max / 4, abs(first &+ length &* step) < Int64.max / 4 else { return false }
    for (index, target) in targets(range).enumerated() { try write(target, first + Int64(index) * step) }
    return true
  }
}
