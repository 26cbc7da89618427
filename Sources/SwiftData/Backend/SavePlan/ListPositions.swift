/// The stored order of a to-many that is not in order of age.
///
/// Targets without a position come last, by age. Positions are far apart, so a moved or inserted target gets one and
/// the others keep theirs. All are rewritten only if there is no room.
struct ListPositions {
  /// The distance between positions.
  static let spacing: Int64 = 1 << 32

  /// The positions of a whole list.
  static func all(_ count: Int) -> [Int64] { (0..<Int64(count)).map { $0 &* spacing } }

  /// The stored position of a neighbour.
  enum Neighbour {
    /// The list ends.
    case end
    /// It is not in the list, or has no position.
    case unplaced
    case at(Int64)
  }

  /// Positions for some targets between their neighbours. Nil if there is no room, or if the stored order differs from
  /// the list's.
  static func between(_ previous: Neighbour, _ next: Neighbour, count: Int) -> [Int64]? {
    let (first, step): (Int64, Int64)
    switch (previous, next) {
    case (.end, .at(let end)): (first, step) = (end &- Int64(count) &* spacing, spacing)
    case (.at(let start), .end), (.at(let start), .unplaced): (first, step) = (start &+ spacing, spacing)
    case (.at(let start), .at(let end)):
      let (room, overflow) = end.subtractingReportingOverflow(start)
      guard !overflow, room > Int64(count) else { return nil }
      step = min(room / Int64(count + 1), spacing)
      first = start + step
    case (.end, .end), (.end, .unplaced), (.unplaced, _): return nil
    }
    // At the limits of Int64 all positions are rewritten.
    let last = first &+ Int64(count) &* step
    let limit = Int64.max.magnitude / 4
    guard first.magnitude < limit, last.magnitude < limit else { return nil }
    return (0..<Int64(count)).map { first + $0 * step }
  }
}
