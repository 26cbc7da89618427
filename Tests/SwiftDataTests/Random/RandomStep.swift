/// One operation as data: what its numbers mean is decided when it runs, so that a sequence stays valid whatever is
/// taken out of it. That is what lets a failing one be shrunk.
struct RandomStep: Equatable {
  enum Kind: String, CaseIterable {
    case create, number, text, toOne, toMany, delete, undelete
    case save, rollback, undo, redo
    case fetch, related, compare, release
    case batchUpdate, batchDelete
    case otherChanges, otherInserts, otherDeletes

    /// How often it comes, relative to the others.
    var weight: Int {
      switch self {
      case .create: 16
      case .toOne, .toMany: 14
      case .number, .text, .save: 9
      case .delete, .fetch, .undo: 6
      case .redo, .rollback, .batchDelete, .otherChanges: 4
      default: 3
      }
    }
  }

  var kind: Kind
  var a = 0
  var b = 0
  var c = 0

  static let total = Kind.allCases.reduce(0) { $0 + $1.weight }

  static func any(_ random: inout LawRandom) -> RandomStep {
    var left = random.below(total)
    let kind = Kind.allCases.first { kind in
      left -= kind.weight
      return left < 0
    }!
    return RandomStep(kind: kind, a: random.below(60), b: random.below(60), c: random.below(60))
  }
}

/// A sequence of steps, and how it is run.
struct RandomSequence {
  var seed: UInt64
  var steps: [RandomStep]
  /// New objects with the unique values of a stored one are written over it; otherwise the save is refused.
  var isUpserting: Bool
  var hasUndo: Bool
  /// Whether objects are looked at after each step, or are left faults until something needs them.
  var isWatched: Bool
  /// Whether indices are used from the first object on.
  var isIndexed: Bool

  init(seed: UInt64, length: Int) {
    var random = LawRandom(seed: seed)
    self.seed = seed
    isUpserting = random.chance(50)
    hasUndo = random.chance(50)
    isWatched = random.chance(50)
    let count = 4 + random.below(length)
    // Most things happen only where there is something.
    steps = (0..<3).map { _ in RandomStep(kind: .create, a: random.below(60), b: random.below(60), c: 0) }
    for _ in 0..<count { steps.append(.any(&random)) }
    isIndexed = random.chance(50)
  }
}

/// Makes a failing sequence as small as it goes.
enum RandomShrink {
  /// - Parameter fails: runs a sequence from nothing.
  static func smallest(_ sequence: RandomSequence, fails: (RandomSequence) -> Bool) -> RandomSequence {
    var best = sequence
    var size = max(1, best.steps.count / 2)
    while size > 0 {
      var start = 0
      while start < best.steps.count {
        var candidate = best
        candidate.steps.removeSubrange(start..<min(start + size, best.steps.count))
        if fails(candidate) { best = candidate } else { start += size }
      }
      size /= 2
    }
    for switchOff: WritableKeyPath<RandomSequence, Bool> in [\.isUpserting, \.hasUndo, \.isWatched, \.isIndexed] {
      var candidate = best
      candidate[keyPath: switchOff] = false
      if best[keyPath: switchOff], fails(candidate) { best = candidate }
    }
    for index in best.steps.indices {
      for number: WritableKeyPath<RandomStep, Int> in [\.a, \.b, \.c] {
        for value in 0..<best.steps[index][keyPath: number] {
          var candidate = best
          candidate.steps[index][keyPath: number] = value
          guard fails(candidate) else { continue }
          best = candidate
          break
        }
      }
    }
    return best
  }
}
