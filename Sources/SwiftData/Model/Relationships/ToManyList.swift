/// The list of a loaded to-many slot, with its index.
struct ToManyList<M: PersistentModel, Owner: PersistentModel> {
  let owner: Owner
  /// The index of the property.
  let index: Int

  init(_ owner: Owner, _ index: Int) { (self.owner, self.index) = (owner, index) }

  // MARK: - The index

  /// The index of the list, or nil for a short list.
  private func index(of list: [M], _ key: inout Int64) -> ToManyIndex<M>? {
    if let known = knownIndex(key) { return known }
    guard list.count > tuning.indexedLength else { return nil }
    let made = ToManyIndex<M>(link: owner.__state.makeLink() << 1)
    owner.__state.setList(made, at: index)
    key = key & 1 | made.link
    return made
  }

  private func knownIndex(_ key: Int64) -> ToManyIndex<M>? {
    guard key > 1, let known = owner.__state.list(at: index) else { return nil }
    // An object at this property's index belongs to a list of this property.
    let index = unsafeDowncast(known, to: ToManyIndex<M>.self)
    return index.link == key & ~1 ? index : nil
  }

  /// Drops the index, which does not describe the new list.
  /// - Parameter list: the slot's list so far.
  func unlink(_ key: inout Int64, _ list: [M]?) {
    guard key > 1 else { return }
    if let list { knownIndex(key)?.settleOriginal(of: list) }
    key &= 1
    owner.__state.setList(nil, at: index)
  }

  private var tuning: Tuning { owner.__state.host?.tuning ?? Tuning() }

  private func counting<T>(_ body: (inout WorkCounter) -> T) -> T {
    #if DEBUG
      if let host = owner.__state.host { return body(&host.work) }
    #endif
    var none = WorkCounter()
    return body(&none)
  }

  private func contains(_ target: any PersistentModel, _ list: [M], _ key: inout Int64) -> Bool {
    if let index = index(of: list, &key) { return counting { index.contains(target, in: list, &$0) } }
    counting { $0.note(\.compared, list.count) }
    return list.index(of: target) != nil
  }

  // MARK: - Operations

  func perform(
    _ operation: __RelationshipOperation, _ list: inout [M], _ key: inout Int64
  ) -> __RelationshipContent {
    switch operation.kind {
    case .check: return .targets([], positioned: key & 1 == 1)
    case .load, .fault: return .none
    case .read:
      counting { $0.note(\.elements, list.count) }
      return .targets(list, positioned: key & 1 == 1)
    case .slice(let range): return .targets(Array(list[range.clamped(to: list.indices)]), positioned: key & 1 == 1)
    case .contains(let target): return .targets(contains(target, list, &key) ? [target] : [], positioned: false)
    case .add(let target):
      if knownIndex(key)?.isLent == true { unlink(&key, list) }
      knownIndex(key)?.noteAppend(1, to: list)
      list.append(target as! M)
      return .none
    case .remove(let target):
      remove(target, &list, &key)
      return .none
    case .compare(let original): return .change(change(since: original, list, key))
    case .keepOriginal:
      return index(of: list, &key).map { .original($0.keepOriginal(of: list)) } ?? .none
    case .original(let original):
      let noted = knownIndex(key)?.noted(of: list) ?? list
      return .targets((original as? ListOriginal<M>)?.targets(noted) ?? list, positioned: key & 1 == 1)
    case .giveBack(let original):
      unlink(&key, list)
      if let original = original as? ListOriginal<M> { list = original.targets(list) }
      return .none
    case .settle:
      unlink(&key, list)
      return .none
    case .order:
      // With positions, the order of keys does not matter.
      let ascends = key & 1 == 0 && ascends(list, &key)
      return .order(__ListOrder(ascends: ascends, positioned: key & 1 == 1))
    case .position:
      key |= 1
      return .none
    case .verify: return verify(list, &key)
    }
  }

  private func remove(_ target: any PersistentModel, _ list: inout [M], _ key: inout Int64) {
    if knownIndex(key)?.isLent == true { unlink(&key, list) }
    counting { $0.note(\.compared, list.count) }
    guard let place = list.index(of: target) else { return }
    knownIndex(key)?.noteRemoval(at: place, of: list)
    list.remove(at: place)
  }

  private func ascends(_ list: [M], _ key: inout Int64) -> Bool {
    if let index = index(of: list, &key) { return counting { index.ascends(list, &$0) } }
    return zip(list, list.dropFirst()).allSatisfy { $0.__state.key < $1.__state.key }
  }

  private func change(since original: Any, _ list: [M], _ key: Int64) -> __ListChange {
    let positioned = key & 1 == 1
    if let original = original as? ListOriginal<M> {
      return counting { original.difference(to: list, positioned: positioned, &$0) }
    }
    // A fault that could not be loaded, or no list, counts as empty.
    let old = ScalarType.unwrapped(original) as? [M] ?? []
    counting { $0.note(\.compared, min(old.count, list.count)) }
    return ListDifference(from: old, to: list).change(of: old, positioned: positioned)
  }

  private func verify(_ list: [M], _ key: inout Int64) -> __RelationshipContent {
    guard let index = knownIndex(key) else { return .none }
    #if DEBUG
      assert(
        list.count > Tuning().comparedLength || index.knowsMembers(of: index.noted(of: list) ?? list),
        "an index has other members than its list")
    #endif
    counting { $0.note(\.compared, list.count) }
    guard let noted = index.noted(of: list) else { return .none }
    let difference = ListDifference(from: noted, to: list)
    index.noteMissed(difference.edits, of: noted)
    unlink(&key, list)
    return .change(difference.change(of: noted, positioned: key & 1 == 1))
  }

  // MARK: - Assignments

  /// Replaces the list.
  func replace(_ list: inout [M], _ key: inout Int64, with new: [M]) -> __RelationshipChange {
    counting { $0.note(\.compared, min(list.count, new.count)) }
    let known = knownIndex(key)
    if let noted = known?.noted(of: list) { list = noted }
    let change = ListDifference(from: list, to: new, isMember: known.map(membership(list)))
    if let known, !known.isLent {
      known.note(change, of: list)
      known.spare = nil
    } else {
      unlink(&key, list)
    }
    list = change.value
    return __RelationshipChange(removed: change.removed, added: change.added, isRelationship: true)
  }

  private func membership(_ list: [M]) -> (ToManyIndex<M>) -> (M) -> Bool {
    { index in { target in counting { index.contains(target, in: list, &$0) } } }
  }

  /// Lends the list for an in-place change. Returns nil if a copy is as good.
  /// - Parameter list: a recorded copy of it afterwards.
  func lend(_ list: inout [M], _ key: inout Int64) -> [M]? {
    guard let index = index(of: list, &key), !index.isLent else { return nil }
    index.isLent = true
    var lent = counting { index.takeSpare(of: list, &$0) }
    // The lent list must be the slot's own: `looksAppended` may have missed a change, which is then not lost.
    swap(&lent, &list)
    return lent
  }

  /// Replaces the list by one that was lent.
  /// - Parameter new: empty afterwards.
  func takeBack(_ list: inout [M], _ key: inout Int64, _ new: inout [M]) -> __RelationshipChange {
    guard let index = knownIndex(key), index.isLent else { return replace(&list, &key, with: new) }
    index.isLent = false
    if counting({ index.looksAppended(list, new, tuning.comparedLength, &$0) }) {
      let added = appended(to: list, &new, index)
      if list.count > tuning.comparedLength { owner.__state.host?.noteUnverified(owner, self.index) }
      index.noteAppend(added.count, to: list)
      // From here on `new` is the slot's former list, and uniquely referenced.
      swap(&list, &new)
      new.append(contentsOf: added)
      index.keep(&new)
      return __RelationshipChange(removed: [], added: added, isRelationship: true)
    }
    counting { $0.note(\.compared, min(list.count, new.count)) }
    let change = ListDifference(from: list, to: new, isMember: membership(list)(index))
    index.note(change, of: list)
    new = []
    var old = change.value
    swap(&list, &old)
    for edit in change.edits { old.replaceSubrange(edit.range, with: list[edit.inserted]) }
    index.keep(&old)
    return __RelationshipChange(removed: change.removed, added: change.added, isRelationship: true)
  }

  /// The appended targets that the list does not contain already. The new list loses the others.
  private func appended(to list: [M], _ new: inout [M], _ index: ToManyIndex<M>) -> [M] {
    // A copy: a slice would share the storage of the new list, which removing from it would copy.
    let tail = Array(new[list.count...])
    var seen = Set<ObjectIdentifier>()
    let added = tail.filter { target in
      (tail.count == 1 || seen.insert(ObjectIdentifier(target)).inserted)
        && !counting { index.contains(target, in: list, &$0) }
    }
    if added.count < tail.count {
      let storage = new.withUnsafeBufferPointer(\.baseAddress)
      new.removeLast(tail.count)
      new.append(contentsOf: added)
      counting { if storage != new.withUnsafeBufferPointer(\.baseAddress) { $0.note(\.elements, new.count) } }
    }
    return added
  }
}
