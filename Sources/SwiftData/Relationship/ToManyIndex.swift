/// What is kept beside a long to-many, so that a change of one target costs no look at the others.
///
/// It describes the list of the slot that carries its `link`, except for targets that were added at the end meanwhile:
/// whatever else changes the list takes the link away, and the index with it.
final class ToManyIndex<M: PersistentModel> {
  /// Never 0. Unique among the indices that a property of an object ever had.
  let link: Int64
  /// The list once more, which is changed in place while the slot shows what it was. A beginning of the slot's list; nil
  /// until there is need of it, and while it is lent.
  var spare: [M]?
  /// Whether the list is being changed in place.
  var isLent = false
  /// The first `memberCount` targets; nil until looking through the list has cost as much.
  private var members: Set<ObjectIdentifier>?
  private var memberCount = 0
  /// How many elements were looked through instead.
  private var lookedThrough = 0
  /// Where the next comparison of a part begins.
  private var cursor = 0
  /// How many targets from the first on are stored and have ascending keys.
  private var ascending = 0

  init(link: Int64) { self.link = link }

  /// Whether the list has a target.
  /// - Complexity: amortised O(1) plus what was appended since the last call.
  func contains(_ target: any PersistentModel, in list: [M], _ work: inout WorkCounter) -> Bool {
    if members == nil {
      lookedThrough += list.count
      if lookedThrough <= list.count * 4 {
        work.note(\.compared, list.count)
        return list.index(of: target) != nil
      }
      members = Set(minimumCapacity: list.count)
      memberCount = 0
    }
    work.note(\.elements, list.count - memberCount)
    catchUp(with: list)
    return members!.contains(ObjectIdentifier(target))
  }

  /// Takes in what was appended.
  private func catchUp(with list: [M]) {
    for index in memberCount..<list.count { members!.insert(ObjectIdentifier(list[index])) }
    memberCount = list.count
  }

  /// The list as it may be changed in place.
  /// - Complexity: O(1) plus what was appended since the last call; O(*n*) the first time.
  func takeSpare(of list: [M], _ work: inout WorkCounter) -> [M] {
    var result = spare ?? []
    spare = nil
    work.note(\.elements, list.count - result.count)
    if result.isEmpty { result.reserveCapacity(list.count + list.count / 4) }
    result.append(contentsOf: list[result.count...])
    return result
  }

  /// Keeps what the slot had as the list to change next, after it was brought up to the slot's.
  /// - Parameter list: empty afterwards, so that nobody else holds it.
  func keep(_ list: inout [M]) {
    var kept = [M]()
    swap(&kept, &list)
    spare = kept
  }

  /// Whether a list that was changed in place was only appended to, as far as a part of it shows.
  ///
  /// The last elements, the first and a part of `length` in between that moves on with each call are compared; shorter
  /// lists are compared as a whole. What replaces something in the middle of a longer list and appends in the same access is
  /// noticed by a later call, by the next save at the latest (`isTrue(of:)`).
  func looksAppended(_ old: [M], _ new: [M], _ length: Int, _ work: inout WorkCounter) -> Bool {
    guard new.count > old.count else { return false }
    let end = Swift.min(old.count, (length + 63) / 64)
    let part = Swift.min(cursor, old.count)..<Swift.min(cursor + length, old.count)
    work.note(\.compared, 2 * end + part.count)
    cursor = part.upperBound == old.count ? 0 : part.upperBound
    return old.isEqual(old.count - end..<old.count, to: new, old.count - end) && old.isEqual(0..<end, to: new, 0)
      && old.isEqual(part, to: new, part.lowerBound)
  }

  /// Notes what a change of the list did.
  func note(_ change: ListDifference<M>, of old: [M]) {
    ascending = Swift.min(ascending, change.oldRange.lowerBound)
    guard members != nil else { return }
    catchUp(with: old)
    for target in change.removed { members!.remove(ObjectIdentifier(target)) }
    for target in change.added { members!.insert(ObjectIdentifier(target)) }
    memberCount = change.value.count
  }

  /// Notes that one target was removed.
  func noteRemoval(_ target: M, at index: Int) {
    if index < ascending { ascending -= 1 }
    if let count = spare?.count, index < count { spare!.remove(at: index) }
    if members?.remove(ObjectIdentifier(target)) != nil { memberCount -= 1 }
  }

  /// Whether the keys of a list ascend. Called with the keys that a save gives; only those of stored targets last.
  /// - Complexity: O(1) plus what was not yet known.
  func ascends(_ list: [M], _ work: inout WorkCounter) -> Bool {
    var last = ascending > 0 ? list[ascending - 1].__state.key : .min
    work.note(\.elements, list.count - ascending)
    for target in list[ascending...] {
      guard target.__state.key > last else { return false }
      last = target.__state.key
    }
    while ascending < list.count, !list[ascending].__state.flags.contains(.inserted) { ascending += 1 }
    return true
  }

  /// Whether the list is what it is taken for.
  /// - Complexity: O(*n*) comparisons of addresses.
  func isTrue(of list: [M]) -> Bool { spare.map { $0.commonPrefix(list) == $0.count } ?? true }

  #if DEBUG
    /// Whether the members are those of the list.
    func knowsMembers(of list: [M]) -> Bool {
      members.map { $0 == Set(list.prefix(memberCount).map(ObjectIdentifier.init)) } ?? true
    }
  #endif
}
