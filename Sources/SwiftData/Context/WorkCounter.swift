/// From which size on a context keeps more than the objects themselves. Tests make these small.
package struct Tuning {
  /// To-manys up to this length are looked through; longer ones get a `ToManyIndex`.
  package var indexedLength = 32
  /// So many elements at a time are compared to find out that a list was only appended to.
  package var comparedLength = 4096
  /// Up to so many unsaved objects of a class are asked one by one.
  package var askedCount = 8

  package init() {}

  /// Everything from the first object on.
  package static var smallest: Tuning {
    var result = Tuning()
    (result.indexedLength, result.comparedLength, result.askedCount) = (0, 1, 0)
    return result
  }
}

/// How much a context has looked at, for tests that show how work grows. Only debug builds count.
package struct WorkCounter {
  /// Unsaved objects that a predicate was asked of.
  package var evaluated = 0
  /// Unsaved objects that were listed, for whatever reason.
  package var listed = 0
  /// Unsaved objects that an index found.
  package var indexedCandidates = 0
  /// Elements of to-manys that were hashed, copied or turned into lists of models.
  package var elements = 0
  /// Elements of to-manys whose addresses were compared, a block of memory at a time.
  package var compared = 0
  /// Registered objects that a save looked at.
  package var registered = 0

  package init() {}

  /// All of it.
  package var total: Int { evaluated + listed + indexedCandidates + elements + compared + registered }

  @inline(__always)
  mutating func note(_ kind: WritableKeyPath<WorkCounter, Int>, _ count: Int = 1) {
    #if DEBUG
      self[keyPath: kind] += count
    #endif
  }
}
