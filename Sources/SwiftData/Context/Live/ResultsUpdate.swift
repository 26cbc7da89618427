extension ModelContext {
  /// The result of a watched fetch, with the differences from the previous one. (Not Apple's.)
  public struct ResultsUpdate<Element: PersistentModel> {
    /// A difference between two results.
    public enum Change {
      /// The model was inserted at `index` of the new result.
      case insert(Element, index: Int)
      /// The model was removed from `index` of the old result.
      case delete(Element, index: Int)
      /// The model moved relative to the models that stayed. `from` is its old index, `to` its new one.
      case move(Element, from: Int, to: Int)
      /// The model at `index` of the new result may have changed values.
      case update(Element, index: Int)
    }

    /// The current result.
    public let results: [Element]
    /// The differences from the previous update: deletions with descending indices, then insertions and moves with
    /// ascending ones, then updates with ascending ones. Empty for the first update.
    ///
    /// To update a list, remove deleted and moved models at their old indices from the highest on, then insert inserted
    /// and moved ones at their new indices from the lowest on.
    public let changes: [Change]

    init(first results: [Element]) {
      self.results = results
      self.changes = []
    }

    /// - Complexity: O(*n*) if few models moved; O(*n* log *n*) at worst.
    init(_ update: LiveResults<Element>.Update) {
      results = update.new
      changes = ResultsDifference(update).changes
    }
  }
}

// Its models belong to one actor.
@available(*, unavailable)
extension ModelContext.ResultsUpdate: Sendable {}

/// Computes the differences between two lists of objects.
private struct ResultsDifference<Element: PersistentModel> {
  let old: ArraySlice<Element>
  let new: ArraySlice<Element>
  let touched: Set<ObjectIdentifier>?
  let all: [Element]

  init(_ update: LiveResults<Element>.Update) {
    // A common prefix and suffix did not move. Most updates leave little in between.
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

  /// The longest increasing subsequence: the objects that count as unmoved.
  private func longestRise(_ places: [Int]) -> [Int] {
    // ends[n] is the index of the smallest element that can end an increasing subsequence of n + 1 elements.
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
