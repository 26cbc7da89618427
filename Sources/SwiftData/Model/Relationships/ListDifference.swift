/// The difference between two values of a to-many.
struct ListDifference<M: PersistentModel> {
  /// The new list without duplicates. A to-many contains each target once, at its first place.
  private(set) var value: [M]
  private(set) var removed: [M] = []
  private(set) var added: [M] = []
  /// The edits that turn the old list into `value`, in order. Later edits keep what earlier ones inserted.
  private(set) var edits: [ListEdit] = []

  /// Up to this number, differing places of two long ranges become single edits.
  private static var fewPlaces: Int { 8 }

  /// - Parameter isMember: whether the old list contains a target.
  /// - Complexity: O(old + new) comparisons of addresses. Only the part between the common prefix and suffix is hashed.
  init(from old: [M], to new: [M], isMember: ((M) -> Bool)? = nil) {
    let start = old.commonPrefix(new)
    let tail = old.commonSuffix(new, after: start)
    value = new
    let (oldRange, newRange) = (start..<old.count - tail, start..<new.count - tail)
    if oldRange.isEmpty, newRange.isEmpty { return }
    edits = [ListEdit(range: oldRange, count: newRange.count)]
    if newRange.isEmpty {
      removed = Array(old[oldRange])
    } else if oldRange.isEmpty, !Self.hasRepetitions(new[newRange], in: old, isMember) {
      added = Array(new[newRange])
    } else if let (from, to) = Self.move(oldRange, old, newRange, new) {
      edits = [ListEdit(range: from..<from + 1, count: 0), ListEdit(range: to..<to, count: 1)]
    } else if let places = old.differences(oldRange, newRange, new, atMost: Self.fewPlaces) {
      edits = places.map { ListEdit(range: $0..<$0 + 1, count: 1) }
      compare(old, places.map { old[$0] }, places.map { new[$0] }, isMember)
    } else {
      compare(old, old[oldRange], new[newRange], isMember)
    }
  }

  /// Compares the differing part by hashing.
  private mutating func compare(
    _ old: [M], _ oldPart: some Collection<M>, _ newPart: some Collection<M>, _ isMember: ((M) -> Bool)?
  ) {
    let before = Set(oldPart.lazy.map { ObjectIdentifier($0) })
    var after = Set<ObjectIdentifier>()
    let came = newPart.filter { after.insert(ObjectIdentifier($0)).inserted }
    added = came.filter { !before.contains(ObjectIdentifier($0)) }
    removed = oldPart.filter { !after.contains(ObjectIdentifier($0)) }
    // The differing part may duplicate targets of the common parts.
    guard came.count < newPart.count || Self.hasRepetitions(added[...], in: old, isMember) else { return }
    var seen = Set<ObjectIdentifier>()
    value.removeAll { !seen.insert(ObjectIdentifier($0)).inserted }
    let all = Set(old.lazy.map { ObjectIdentifier($0) })
    added = value.filter { !all.contains(ObjectIdentifier($0)) }
    removed = old.filter { !seen.contains(ObjectIdentifier($0)) }
    let start = edits[0].range.lowerBound
    edits = [ListEdit(range: start..<old.count, count: value.count - start)]
  }

  /// Whether a list contains some of the targets, or these contain duplicates.
  private static func hasRepetitions(
    _ targets: ArraySlice<M>, in old: [M], _ isMember: ((M) -> Bool)?
  ) -> Bool {
    if targets.isEmpty { return false }
    if targets.count > 1, Set(targets.lazy.map { ObjectIdentifier($0) }).count < targets.count { return true }
    if let isMember { return targets.contains(where: isMember) }
    if targets.count <= 4 { return targets.contains { old.index(of: $0) != nil } }
    let all = Set(old.lazy.map { ObjectIdentifier($0) })
    return targets.contains { all.contains(ObjectIdentifier($0)) }
  }

  /// The old and new place of the one target that moved, or nil for any other change.
  private static func move(
    _ oldRange: Range<Int>, _ old: [M], _ newRange: Range<Int>, _ new: [M]
  ) -> (from: Int, to: Int)? {
    guard oldRange == newRange, oldRange.count > 1 else { return nil }
    let (first, last) = (oldRange.lowerBound, oldRange.upperBound - 1)
    if old[first] === new[last], old.isEqual(first + 1..<last + 1, to: new, first) { return (first, last) }
    if old[last] === new[first], old.isEqual(first..<last, to: new, first + 1) { return (last, first) }
    return nil
  }

  /// The difference without the class of the targets.
  func change(of old: [M], positioned: Bool) -> __ListChange {
    // For a moved target, only the new place.
    let places = edits.map(\.inserted).filter { !$0.isEmpty }
    return __ListChange(
      removed: removed, added: added, count: value.count, places: places, keepsOrder: keepsOrder(of: old),
      positioned: positioned)
  }

  /// Whether the remaining targets keep their order and the added ones follow them.
  private func keepsOrder(of old: [M]) -> Bool {
    guard let first = edits.first else { return true }
    if edits.allSatisfy({ $0.count == 0 }) { return true }
    guard edits.count == 1 else { return false }
    let gone = Set(removed.lazy.map { ObjectIdentifier($0) })
    let stayed = old[first.range].filter { !gone.contains(ObjectIdentifier($0)) } + old[first.range.upperBound...]
    let now = value[first.range.lowerBound...]
    return now.count >= stayed.count && stayed.commonPrefix(Array(now)) == stayed.count
  }
}
