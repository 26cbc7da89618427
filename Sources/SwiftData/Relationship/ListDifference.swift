/// How a to-many became another.
struct ListDifference<M: PersistentModel> {
  /// The new list without repetitions: a to-many holds each target once, where it first was.
  var value: [M]
  var removed: [M] = []
  var added: [M] = []
  /// What is between the common beginning and the common end, in the old list and in `value`.
  var oldRange: Range<Int>
  var newRange: Range<Int>
  /// Where the target is now that was moved; nil where nothing was, or more happened.
  var moved: Int?

  var isEmpty: Bool { oldRange.isEmpty && newRange.isEmpty }
  /// Whether targets only came, and at the end.
  var isAppend: Bool { oldRange.isEmpty && newRange.upperBound == value.count }

  /// - Parameter isMember: whether the old list has a target.
  /// - Complexity: O(old + new) comparisons of addresses. Hashed is only what is between the common beginning and end.
  init(from old: [M], to new: [M], isMember: ((M) -> Bool)? = nil) {
    let start = old.commonPrefix(new)
    let tail = old.commonSuffix(new, after: start)
    value = new
    (oldRange, newRange) = (start..<old.count - tail, start..<new.count - tail)
    if newRange.isEmpty {
      removed = Array(old[oldRange])
    } else if oldRange.isEmpty, !Self.hasRepetitions(new[newRange], in: old, isMember) {
      added = Array(new[newRange])
    } else if let moved = move(old) {
      self.moved = moved
    } else {
      compare(old, isMember)
    }
  }

  /// Compares what is between by hashing.
  private mutating func compare(_ old: [M], _ isMember: ((M) -> Bool)?) {
    let before = Set(old[oldRange].lazy.map(ObjectIdentifier.init))
    var after = Set<ObjectIdentifier>()
    let came = value[newRange].filter { after.insert(ObjectIdentifier($0)).inserted }
    added = came.filter { !before.contains(ObjectIdentifier($0)) }
    removed = old[oldRange].filter { !after.contains(ObjectIdentifier($0)) }
    // What is between may also repeat what is before or behind it.
    guard came.count < newRange.count || Self.hasRepetitions(added[...], in: old, isMember) else { return }
    var seen = Set<ObjectIdentifier>()
    value.removeAll { !seen.insert(ObjectIdentifier($0)).inserted }
    let all = Set(old.lazy.map(ObjectIdentifier.init))
    added = value.filter { !all.contains(ObjectIdentifier($0)) }
    (oldRange, newRange) = (oldRange.lowerBound..<old.count, newRange.lowerBound..<value.count)
  }

  /// Whether a list has some of the targets, or these repeat each other.
  private static func hasRepetitions(
    _ targets: ArraySlice<M>, in old: [M], _ isMember: ((M) -> Bool)?
  ) -> Bool {
    if targets.isEmpty { return false }
    if targets.count > 1, Set(targets.lazy.map(ObjectIdentifier.init)).count < targets.count { return true }
    if let isMember { return targets.contains(where: isMember) }
    if targets.count <= 4 { return targets.contains { old.index(of: $0) != nil } }
    let all = Set(old.lazy.map(ObjectIdentifier.init))
    return targets.contains { all.contains(ObjectIdentifier($0)) }
  }

  /// Where the target is now that was moved; nil where more happened.
  private func move(_ old: [M]) -> Int? {
    guard oldRange == newRange, oldRange.count > 1 else { return nil }
    let (first, last) = (oldRange.lowerBound, oldRange.upperBound - 1)
    if old[first] === value[last], old.isEqual(first + 1..<last + 1, to: value, first) { return last }
    if old[last] === value[first], old.isEqual(first..<last, to: value, first + 1) { return first }
    return nil
  }

  /// Whether what stayed is in the order that it had, and what came is behind it.
  func keepsOrder(of old: [M]) -> Bool {
    if isAppend || newRange.isEmpty { return true }
    if moved != nil { return false }
    let gone = Set(removed.lazy.map(ObjectIdentifier.init))
    let stayed = old[oldRange].filter { !gone.contains(ObjectIdentifier($0)) } + old[oldRange.upperBound...]
    return value.count - newRange.lowerBound >= stayed.count
      && stayed.commonPrefix(Array(value[newRange.lowerBound...])) == stayed.count
  }
}
