/// The sizes from which a context maintains indices. Tests use small ones.
package struct Tuning {
  /// To-manys up to this length are scanned. Longer ones get a `ToManyIndex`.
  package var indexedLength = 32
  /// The number of elements compared at once to detect an append.
  package var comparedLength = 4096
  /// Up to this number, the unsaved objects of a class are evaluated one by one.
  package var askedCount = 8

  package init() {}

  /// Indices from the first object on.
  package static var smallest: Tuning {
    var result = Tuning()
    (result.indexedLength, result.comparedLength, result.askedCount) = (0, 1, 0)
    return result
  }
}

/// Counts the objects that a context visits, for tests of growth. Debug builds only.
package struct WorkCounter {
  /// Unsaved objects for which a predicate was evaluated.
  package var evaluated = 0
  /// Unsaved objects that were listed for any reason.
  package var listed = 0
  /// Unsaved objects that an index returned.
  package var indexedCandidates = 0
  /// Elements of to-manys that were hashed, copied or converted to lists of models.
  package var elements = 0
  /// Elements of to-manys whose addresses were compared in blocks.
  package var compared = 0
  /// Registered objects that a save visited.
  package var registered = 0
  /// Keys of unsaved objects that a statement lists to leave them out. Not in the total: a count lists at most four times as many
  /// as it reads rows.
  package var excluded = 0

  package init() {}

  /// The sum of all counts.
  package var total: Int { evaluated + listed + indexedCandidates + elements + compared + registered }

  @inline(__always)
  mutating func note(_ kind: WritableKeyPath<WorkCounter, Int>, _ count: Int = 1) {
    #if DEBUG
      self[keyPath: kind] += count
    #endif
  }
}
