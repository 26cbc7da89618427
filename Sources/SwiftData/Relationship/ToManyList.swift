/// The list in a loaded to-many slot, with what is kept beside it.
struct ToManyList<M: PersistentModel, Owner: PersistentModel> {
  let owner: Owner
  /// Of the property.
  let index: Int

  init(_ owner: Owner, _ index: Int) { (self.owner, self.index) = (owner, index) }

  // MARK: - The index

  /// The index beside the list; nil for a short one, which gets none.
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
    // Only lists of this property are kept at its index.
    let index = unsafeDowncast(known, to: ToManyIndex<M>.self)
    return index.link == key & ~1 ? index : nil
  }

  /// Forgets the index, which another list makes wrong.
  func unlink(_ key: inout Int64) {
    guard key > 1 else { return }
    key &= 1
    owner.__state.setList(nil, at: index)
  }

  private var tuning: Tuning { owner.__state.context?.tuning ?? Tuning() }

  private func counting<T>(_ body: (inout WorkCounter) -> T) -> T {
    #if DEBUG
      if let context = owner.__state.context { return body(&context.work) }
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
    switch operation {
    case .check: return .targets([], positioned: key & 1 == 1)
    case .load, .fault: return .none
    case .read:
      counting { $0.note(\.elements, list.count) }
      return .targets(list, positioned: key & 1 == 1)
    case .slice(let range): return .targets(Array(list[range.clamped(to: list.indices)]), positioned: key & 1 == 1)
    case .contains(let target): return .targets(contains(target, list, &key) ? [target] : [], positioned: false)
    case .add(let target):
      if knownIndex(key)?.isLent == true { unlink(&key) }
      list.append(target as! M)
      return .none
    case .remove(let target):
      remove(target, &list, &key)
      return .none
    case .compare(let original): return .change(change(since: original, list, key))
    case .order:
      // Nobody asks for that where there are positions.
      let ascends = key & 1 == 0 && ascends(list, &key)
      return .order(__ListOrder(count: list.count, ascends: ascends, positioned: key & 1 == 1))
    case .position:
      key |= 1
      return .none
    case .verify: return verify(list, &key)
    }
  }

  private func remove(_ target: any PersistentModel, _ list: inout [M], _ key: inout Int64) {
    if knownIndex(key)?.isLent == true { unlink(&key) }
    counting { $0.note(\.compared, list.count) }
    guard let place = list.index(of: target) else { return }
    let removed = list.remove(at: place)
    knownIndex(key)?.noteRemoval(removed, at: place)
  }

  private func ascends(_ list: [M], _ key: inout Int64) -> Bool {
    if let index = index(of: list, &key) { return counting { index.ascends(list, &$0) } }
    return zip(list, list.dropFirst()).allSatisfy { $0.__state.key < $1.__state.key }
  }

  private func change(since original: Any, _ list: [M], _ key: Int64) -> __ListChange {
    // A fault that could not be loaded, and no list, are none.
    let old = ScalarType.unwrapped(original) as? [M] ?? []
    counting { $0.note(\.compared, min(old.count, list.count)) }
    let difference = ListDifference(from: old, to: list)
    return __ListChange(
      removed: difference.removed, added: difference.added, count: list.count, range: difference.newRange,
      isAppend: difference.isAppend, keepsOrder: difference.keepsOrder(of: old), moved: difference.moved,
      positioned: key & 1 == 1)
  }

  private func verify(_ list: [M], _ key: inout Int64) -> __RelationshipContent {
    guard let index = knownIndex(key) else { return .none }
    #if DEBUG
      assert(index.knowsMembers(of: list), "an index has other members than its list")
    #endif
    guard let spare = index.spare, !index.isTrue(of: list) else { return .none }
    unlink(&key)
    return .change(change(since: spare, list, key))
  }

  // MARK: - Assignments

  /// Replaces the list.
  func replace(_ list: inout [M], _ key: inout Int64, with new: [M]) -> __RelationshipChange {
    counting { $0.note(\.compared, min(list.count, new.count)) }
    let known = knownIndex(key)
    let change = ListDifference(from: list, to: new, isMember: known.map(membership(list)))
    if let known, !known.isLent {
      known.note(change, of: list)
      known.spare = nil
    } else {
      unlink(&key)
    }
    list = change.value
    return __RelationshipChange(removed: change.removed, added: change.added, isRelationship: true)
  }

  private func membership(_ list: [M]) -> (ToManyIndex<M>) -> (M) -> Bool {
    { index in { target in counting { index.contains(target, in: list, &$0) } } }
  }

  /// The list to be changed in place; nil where a copy is as good.
  func lend(_ list: [M], _ key: inout Int64) -> [M]? {
    guard let index = index(of: list, &key), !index.isLent else { return nil }
    index.isLent = true
    return counting { index.takeSpare(of: list, &$0) }
  }

  /// Replaces the list by one that was lent.
  /// - Parameter new: empty afterwards.
  func takeBack(_ list: inout [M], _ key: inout Int64, _ new: inout [M]) -> __RelationshipChange {
    guard let index = knownIndex(key), index.isLent else { return replace(&list, &key, with: new) }
    index.isLent = false
    if counting({ index.looksAppended(list, new, tuning.comparedLength, &$0) }),
      let added = appended(to: list, new, index)
    {
      if list.count > tuning.comparedLength { owner.__state.context?.noteUnverified(owner, self.index) }
      // From here on `new` is what the slot had, and nobody else holds it.
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
    old.replaceSubrange(change.oldRange, with: list[change.newRange])
    index.keep(&old)
    return __RelationshipChange(removed: change.removed, added: change.added, isRelationship: true)
  }

  /// What came at the end; nil where some of it is there already.
  private func appended(to list: [M], _ new: [M], _ index: ToManyIndex<M>) -> [M]? {
    let added = Array(new[list.count...])
    var seen = Set<ObjectIdentifier>()
    let isNew = added.allSatisfy { target in
      (added.count == 1 || seen.insert(ObjectIdentifier(target)).inserted)
        && !counting { index.contains(target, in: list, &$0) }
    }
    return isNew ? added : nil
  }
}
