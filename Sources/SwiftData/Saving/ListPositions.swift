/// The order of a to-many in the store, if it is not that of age.
///
/// Targets without a position come last, by age. Positions are far apart, so that a target that was moved or put in
/// between gets one of its own and the others keep theirs; all are written anew only where there is no room.
struct ListPositions {
  /// How far apart positions are written.
  static let spacing: Int64 = 1 << 32

  /// The positions of a whole list.
  static func all(_ count: Int) -> [Int64] { (0..<Int64(count)).map { $0 &* spacing } }

  /// What the store has for a neighbour of those that get positions.
  enum Neighbour {
    /// There is none: the list ends.
    case end
    /// It is not in the list, or comes by its age.
    case unplaced
    case at(Int64)
  }

  /// Positions for some targets between their neighbours; nil if there is no room, or if the store has not the order that
  /// the list had.
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
    // At the limits of what fits all are written anew.
    let last = first &+ Int64(count) &* step
    guard abs(first) < Int64.max / 4, abs(last) < Int64.max / 4 else { return nil }
    return (0..<Int64(count)).map { first + $0 * step }
  }
}
