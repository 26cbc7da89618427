/// An index of a long to-many, so that a change of one target does not visit the others.
///
/// It describes the list of the slot with its `link`, except for targets that were appended meanwhile. Any other change
/// of the list removes the link, and with it the index.
final class ToManyIndex<M: PersistentModel> {
  /// Non-zero and unique among the indices that a property of an object has ever had.
  let link: Int64
  /// A second copy of the list, which the slot shows while its own is changed in place. It is a prefix of the slot's
  /// list as far as changes were recorded. Nil until it is needed, and while the slot uses it.
  var spare: [M]?
  /// Whether the list is being changed in place.
  var isLent = false
  /// The first `memberCount` targets, or nil until scanning the list has cost as much as building the set.
  private var members: Set<ObjectIdentifier>?
  private var memberCount = 0
  /// The number of elements scanned instead.
  private var lookedThrough = 0
  /// The start of the next partial comparison.
  private var cursor = 0
  /// The number of leading targets that are stored and have ascending keys.
  private var ascending = 0

  /// The value before the first unsaved change. Weak, because the recorded change holds it.
  private weak var original: ListOriginal<M>?

  init(link: Int64) { self.link = link }

  // MARK: - What the list was

  /// Starts recording edits.
  func keepOriginal(of list: [M]) -> ListOriginal<M> {
    let made = ListOriginal<M>(count: list.count)
    original = made
    return made
  }

  /// Called before the index is dropped.
  func settleOriginal(of list: [M]) { original?.settle(noted(of: list) ?? list) }

  /// Records appended targets.
  func noteAppend(_ count: Int, to list: [M]) {
    note([ListEdit(range: list.count..<list.count, count: count)], of: list)
  }

  private func note(_ edits: [ListEdit], of list: [M]) {
    guard let original else { return }
    original.note(edits, of: original.isFull ? noted(of: list) ?? list : list)
  }

  // MARK: - What is looked for

  /// Whether the list contains a target.
  /// - Complexity: amortised O(1) plus the appends since the last call.
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

  /// Adds appended targets to the index.
  private func catchUp(with list: [M]) {
    for index in memberCount..<list.count { members!.insert(ObjectIdentifier(list[index])) }
    memberCount = list.count
  }

  /// A second copy of the list, as far as changes were recorded.
  /// - Complexity: O(1) plus the appends since the last call; O(*n*) the first time.
  func takeSpare(of list: [M], _ work: inout WorkCounter) -> [M] {
    var result = spare ?? []
    spare = nil
    work.note(\.elements, list.count - result.count)
    if result.isEmpty { result.reserveCapacity(list.count + list.count / 4) }
    result.append(contentsOf: list[result.count...])
    return result
  }

  /// Keeps the list that the slot showed, after it was updated to the slot's list.
  /// - Parameter list: empty afterwards, so that the kept list is uniquely referenced.
  func keep(_ list: inout [M]) {
    var kept = [M]()
    swap(&kept, &list)
    spare = kept
  }

  /// Whether an in-place change was an append, judging by a part of the list.
  ///
  /// It compares the last elements, the first, and a window of `length` that advances with each call. Shorter lists are
  /// compared completely. If one access replaces a middle element of a longer list and also appends, a later call
  /// detects it, at the latest the next save (`isTrue(of:)`).
  func looksAppended(_ old: [M], _ new: [M], _ length: Int, _ work: inout WorkCounter) -> Bool {
    guard new.count > old.count else { return false }
    let end = Swift.min(old.count, (length + 63) / 64)
    let part = Swift.min(cursor, old.count)..<Swift.min(cursor + length, old.count)
    work.note(\.compared, 2 * end + part.count)
    cursor = part.upperBound == old.count ? 0 : part.upperBound
    return old.isEqual(old.count - end..<old.count, to: new, old.count - end) && old.isEqual(0..<end, to: new, 0)
      && old.isEqual(part, to: new, part.lowerBound)
  }

  /// Records a change of the list.
  func note(_ change: ListDifference<M>, of old: [M]) {
    note(change.edits, of: old)
    for edit in change.edits { noteOrder(edit) }
    guard members != nil else { return }
    catchUp(with: old)
    for target in change.removed { members!.remove(ObjectIdentifier(target)) }
    for target in change.added { members!.insert(ObjectIdentifier(target)) }
    memberCount = change.value.count
  }

  private func noteOrder(_ edit: ListEdit) {
    // The remaining targets keep their order.
    let isRemoval = edit.count == 0 && edit.range.upperBound <= ascending
    ascending = isRemoval ? ascending - edit.range.count : Swift.min(ascending, edit.range.lowerBound)
  }

  /// Records that one target is about to be removed.
  func noteRemoval(at index: Int, of list: [M]) {
    let edit = ListEdit(range: index..<index + 1, count: 0)
    note([edit], of: list)
    noteOrder(edit)
    if let count = spare?.count, index < count { spare!.remove(at: index) }
    guard members != nil, index < memberCount else { return }
    members!.remove(ObjectIdentifier(list[index]))
    memberCount -= 1
  }

  /// Whether the keys of a list ascend. A save calls it with the keys that it assigns; only keys of stored targets are
  /// remembered.
  /// - Complexity: O(1) plus the part that was not checked before.
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

  /// The list that the index assumes, or nil if it equals the given one.
  /// - Complexity: O(*n*) comparisons of addresses.
  func noted(of list: [M]) -> [M]? {
    guard let spare, spare.commonPrefix(list) < spare.count else { return nil }
    return spare + list[spare.count...]
  }

  /// Records missed edits.
  func noteMissed(_ edits: [ListEdit], of noted: [M]) { note(edits, of: noted) }

  #if DEBUG
    /// Whether the index has exactly the members of the list.
    func knowsMembers(of list: [M]) -> Bool {
      members.map { $0 == Set(list.prefix(memberCount).map(ObjectIdentifier.init)) } ?? true
    }
  #endif
}
