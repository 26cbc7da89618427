extension ModelContext {
  /// The result of a watched fetch, and how it came from the one before. (Not Apple's.)
  public struct ResultsUpdate<Element: PersistentModel> {
    /// One difference between two results.
    public enum Change {
      /// The model came into the result; it is at `index` of the new one.
      case insert(Element, index: Int)
      /// The model left the result; it was at `index` of the old one.
      case delete(Element, index: Int)
      /// The model is at another place among those that stayed. `from` is its place in the old result, `to` in the new.
      case move(Element, from: Int, to: Int)
      /// Values of the model may have changed; it is at `index` of the new result.
      case update(Element, index: Int)
    }

    /// What the fetch gives now.
    public let results: [Element]
    /// The differences from the update before: deletions with falling indices, then insertions and moves with rising
    /// ones, then updates with rising ones. Empty for the first update.
    ///
    /// To lead a list from the old result to the new one, take out the deleted and the moved models, the highest old index
    /// first, then put in the inserted and the moved ones at their new indices, the lowest first.
    public let changes: [Change]

    init(first results: [Element]) {
      self.results = results
      self.changes = []
    }

    /// - Complexity: O(*n*) where little moved; O(*n* log *n*) at worst.
    init(_ update: LiveResults<Element>.Update) {
      results = update.new
      changes = ResultsDifference(update).changes
    }
  }
}

// What crosses to another actor are models, which do not.
@available(*, unavailable)
extension ModelContext.ResultsUpdate: Sendable {}

/// Works out how one list of objects came from another.
private struct ResultsDifference<Element: PersistentModel> {
  let old: ArraySlice<Element>
  let new: ArraySlice<Element>
  let touched: Set<ObjectIdentifier>?
  let all: [Element]

  init(_ update: LiveResults<Element>.Update) {
    // What is the same at both ends did not move; most updates leave little between.
    let prefix = zip(update.old, update.new).prefix { $0 === $1 }.count
    let rest = min(update.old.count, update.new.count) - prefix
    let suffix = zip(update.old.reversed().prefix(rest), update.new.reversed()).prefix { $0 === $1 }.count
    old = update.old[prefix..<update.old.count - suffix]
    new = update.new[prefix..<update.new.count - suffix]
    touched = update.touched
    all = update.new
  }

  var changes: [ModelContext.ResultsUpdate<Element>.Change] {
    let places = Dictionary(uniqueKeysWithValues: zip(old.map { ObjectIdentifier($0) }, old.indices))
    let origins = new.map { places[ObjectIdentifier($0)] }
    let stayed = Set(origins.compactMap { $0 })
    let unmoved = Set(longestRise(origins.compactMap { $0 }))
    var changes: [ModelContext.ResultsUpdate<Element>.Change] = old.indices.reversed().filter { !stayed.contains($0) }
      .map { .delete(old[$0], index: $0) }
    var came = Set<ObjectIdentifier>()
    for (index, origin) in zip(new.indices, origins) {
      if let origin {
        if !unmoved.contains(origin) { changes.append(.move(new[index], from: origin, to: index)) }
      } else {
        came.insert(ObjectIdentifier(new[index]))
        changes.append(.insert(new[index], index: index))
      }
    }
    for (index, object) in all.enumerated() {
      let id = ObjectIdentifier(object)
      if touched?.contains(id) != false, !came.contains(id) { changes.append(.update(object, index: index)) }
    }
    return changes
  }

  /// The longest subsequence that rises: the objects that can be said to have stayed where they were.
  private func longestRise(_ places: [Int]) -> [Int] {
    // ends[n] is the index of the smallest element that a rise of n + 1 elements can end with.
    var ends = [Int]()
    var before = [Int](repeating: -1, count: places.count)
    for (index, place) in places.enumerated() {
      var (low, high) = (0, ends.count)
      while low < high {
        let middle = (low + high) / 2
        if places[ends[middle]] < place { low = middle + 1 } else { high = middle }
      }
      if low > 0 { before[index] = ends[low - 1] }
      if low == ends.count { ends.append(index) } else { ends[low] = index }
    }
    var rise = [Int]()
    var next = ends.last ?? -1
    while next >= 0 {
      rise.append(places[next])
      next = before[next]
    }
    return rise.reversed()
  }
}
