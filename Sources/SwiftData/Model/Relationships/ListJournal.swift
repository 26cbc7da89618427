/// The difference between a long list and its original: the remaining ranges of the original, and what was inserted
/// between them.
///
/// A piece table. The cost of an edit depends on the number of pieces, not on the length of the list.
struct ListJournal<M: AnyObject> {
  private enum Piece {
    /// A range of the original list.
    case old(Range<Int>)
    /// A number of inserted targets.
    case new(Int)

    var count: Int {
      switch self {
      case .old(let places): places.count
      case .new(let count): count
      }
    }
  }

  private var pieces: [Piece]
  private(set) var count: Int
  private let oldCount: Int
  /// The removed targets with their original places.
  private(set) var gone: [(place: Int, target: M)] = []

  /// - Parameter count: the length of the original list.
  init(count: Int) {
    pieces = count == 0 ? [] : [.old(0..<count)]
    (self.count, oldCount) = (count, count)
  }

  /// Whether keeping the original list has become cheaper.
  var isFull: Bool { pieces.count > 512 || gone.count > 512 }

  /// Records the replacement of some targets.
  mutating func replace(_ range: Range<Int>, _ removed: some Collection<M>, with newCount: Int) {
    defer { count += newCount - range.count }
    if range.lowerBound == count, case .new(let last)? = pieces.last {
      pieces[pieces.count - 1] = .new(last + newCount)
      return
    }
    let low = split(at: range.lowerBound)
    let high = split(at: range.upperBound)
    var next = removed.startIndex
    for piece in pieces[low..<high] {
      if case .old(let places) = piece { gone += zip(places, removed[next...]).map { ($0, $1) } }
      next = removed.index(next, offsetBy: piece.count)
    }
    pieces.replaceSubrange(low..<high, with: newCount > 0 ? [.new(newCount)] : [])
    gone.sort { $0.place < $1.place }
  }

  /// - Returns: the index of the piece that begins at a place of the list.
  private mutating func split(at place: Int) -> Int {
    var start = 0
    for index in pieces.indices {
      if start == place { return index }
      let length = pieces[index].count
      guard start + length > place else {
        start += length
        continue
      }
      switch pieces[index] {
      case .old(let places):
        let middle = places.lowerBound + place - start
        pieces[index] = .old(places.lowerBound..<middle)
        pieces.insert(.old(middle..<places.upperBound), at: index + 1)
      case .new:
        pieces[index] = .new(place - start)
        pieces.insert(.new(start + length - place), at: index + 1)
      }
      return index + 1
    }
    return pieces.count
  }

  /// The current places of inserted targets.
  var newPlaces: [Range<Int>] {
    var found = [Range<Int>]()
    var start = 0
    for piece in pieces {
      defer { start += piece.count }
      guard case .new(let count) = piece else { continue }
      if let last = found.last, last.upperBound == start {
        found[found.count - 1] = last.lowerBound..<start + count
      } else {
        found.append(start..<start + count)
      }
    }
    return found
  }

  /// The original list.
  /// - Parameter list: the current list.
  func old(of list: [M]) -> [M] {
    var result = [M]()
    result.reserveCapacity(oldCount)
    var gone = gone[...]
    var start = 0
    for piece in pieces {
      if case .old(let places) = piece {
        while let first = gone.first, first.place < places.lowerBound {
          result.append(first.target)
          gone.removeFirst()
        }
        result += list[start..<start + piece.count]
      }
      start += piece.count
    }
    return result + gone.map(\.target)
  }
}

/// A `ListOriginal` of any class of targets.
protocol KeptOriginal: AnyObject {}

/// The value of a long to-many before its first unsaved change, without a copy of the list.
final class ListOriginal<M: PersistentModel>: KeptOriginal {
  private enum State {
    case journal(ListJournal<M>)
    case list([M])
  }

  private var state: State

  /// - Parameter count: the current length of the list.
  init(count: Int) { state = .journal(ListJournal(count: count)) }

  /// Whether the next edit copies the list.
  var isFull: Bool { if case .journal(let journal) = state { journal.isFull } else { false } }

  /// Records edits.
  /// - Parameter list: the list before the first of them.
  func note(_ edits: [ListEdit], of list: [M]) {
    guard case .journal(var journal) = state else { return }
    // Released first, so that the journal is uniquely referenced while it changes.
    state = .list([])
    if journal.isFull {
      state = .list(journal.old(of: list))
    } else {
      // The removed targets of each edit were in the list before the others.
      for edit in edits { journal.replace(edit.range, list[edit.range], with: edit.count) }
      state = .journal(journal)
    }
  }

  /// Keeps the list itself once edits cannot be recorded any more.
  func settle(_ list: [M]) { state = .list(targets(list)) }

  /// The original list.
  /// - Parameter list: the current list.
  func targets(_ list: [M]) -> [M] {
    switch state {
    case .journal(let journal): journal.old(of: list)
    case .list(let list): list
    }
  }

  /// The difference from the original list.
  /// - Complexity: proportional to the edits while they are few.
  func difference(to list: [M], positioned: Bool, _ work: inout WorkCounter) -> __ListChange {
    guard case .journal(let journal) = state else {
      let old = targets(list)
      work.note(\.compared, min(old.count, list.count))
      return ListDifference(from: old, to: list).change(of: old, positioned: positioned)
    }
    let places = journal.newPlaces
    let came = places.flatMap { list[$0] }
    work.note(\.elements, came.count + journal.gone.count)
    let (here, left) = (
      Set(came.lazy.map { ObjectIdentifier($0) }), Set(journal.gone.lazy.map { ObjectIdentifier($0.target) })
    )
    let added = came.filter { !left.contains(ObjectIdentifier($0)) }
    let isBehind = places.isEmpty || places.count == 1 && places[0].upperBound == list.count
    return __ListChange(
      removed: journal.gone.lazy.map(\.target).filter { !here.contains(ObjectIdentifier($0)) }, added: added,
      count: list.count, places: places, keepsOrder: isBehind && added.count == came.count, positioned: positioned)
  }
}

/// An edit of a list: the replacement of a range.
struct ListEdit {
  /// The range in the list before the edit.
  let range: Range<Int>
  /// The number of inserted targets.
  let count: Int

  /// Their range in the list after the edit.
  var inserted: Range<Int> { range.lowerBound..<range.lowerBound + count }
}
