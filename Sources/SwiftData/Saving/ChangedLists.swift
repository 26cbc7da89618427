/// A to-many of one owner that a save writes.
private struct ChangedList {
  let info: RelationshipInfo
  let owner: any PersistentModel
  let targets: [any PersistentModel]
  /// Whether the store keeps places for the list.
  let positioned: Bool
  /// The keys before the first change, as far as they were stored, and now.
  let before: [Int64]
  let now: [Int64]

  /// Whether places have to be written, which lists do without that are read back as they are by the age of their rows.
  var needsPlaces: Bool {
    if positioned { return true }
    guard case .join = info.storage else { return !zip(now, now.dropFirst()).allSatisfy { $0 < $1 } }
    // Several new pairs may have been written from the other end, in another order.
    if added.count > 1 { return true }
    return !now.prefix(before.count).elementsEqual(before) && now != before.filter(Set(now).contains)
  }
  var added: [ListMember] {
    let known = Set(before)
    return members.filter { !known.contains($0.target) }
  }
  var removed: [ListMember] {
    let kept = Set(now)
    let key = owner.__state.key
    return before.filter { !kept.contains($0) }.map { ListMember(owner: key, target: $0, place: 0) }
  }
  var members: [ListMember] {
    let key = owner.__state.key
    return now.enumerated().map { ListMember(owner: key, target: $0.element, place: Int64($0.offset)) }
  }
}

extension RowSave {
  /// Writes the difference between the stored pairs of many-to-manys and the lists in memory, then the order of lists
  /// that the tables do not have by themselves.
  func writeLists(by writer: any RowWriter) throws {
    let groups = try changedLists()
    func write(
      _ lists: [(RelationshipInfo, [ListMember])], _ body: ([ListMember], RelationshipInfo) throws -> Void
    ) throws {
      for (info, members) in lists where !members.isEmpty { try body(members, info) }
    }
    let pairs = groups.filter { if case .join = $0[0].info.storage { true } else { false } }
    try write(pairs.map { ($0[0].info, $0.flatMap(\.removed)) }) { try writer.removePairs($0, of: $1) }
    try write(pairs.map { ($0[0].info, $0.flatMap(\.added)) }) { try writer.addPairs($0, of: $1) }
    for group in groups {
      let lists = group.filter(\.needsPlaces)
      try write([(group[0].info, lists.flatMap(\.members))]) { try writer.place($0, of: $1) }
      for list in lists {
        _ = list.owner.__relationship(list.info.property.index, .load(list.targets, positioned: true))
      }
    }
  }

  /// The loaded to-manys of new objects and the changed ones of others, by relationship.
  private func changedLists() throws -> [[ChangedList]] {
    var groups = [[ChangedList]]()
    var places = [ObjectIdentifier: Int]()
    func take(_ owner: any PersistentModel, _ change: ContextState.ObjectChange?) throws {
      let table = try changes.table(of: owner)
      for property in table.toMany where change == nil || change!.properties.contains(property.index) {
        guard case .targets(let targets, let positioned) = owner.__relationship(property.index, .read) else { continue }
        let info = RelationshipInfo.of(property, in: table.entity)
        var before = [Int64]()
        if case .join = info.storage, let change { before = Self.storedKeys(change, property.index) }
        if targets.isEmpty, before.isEmpty { continue }
        var seen = Set<Int64>()
        let now = targets.filter { !$0.isDeleted && $0.__state.context != nil }.map { $0.__state.key }
          .filter { seen.insert($0).inserted }
        let place = places[ObjectIdentifier(info)] ?? groups.count
        if place == groups.count { groups.append([]) }
        places[ObjectIdentifier(info)] = place
        groups[place].append(
          ChangedList(
            info: info, owner: owner, targets: targets, positioned: positioned, before: before, now: now))
      }
    }
    for owner in inserted { try take(owner, nil) }
    for change in changed { try take(change.object, change) }
    return groups
  }

  private static func storedKeys(_ change: ContextState.ObjectChange, _ index: Int) -> [Int64] {
    guard let original = change.originals.first(where: { $0.index == index })?.value else { return [] }
    let targets = (original as? [any PersistentModel]) ?? []
    return targets.map { $0.__state.key }.filter { $0 != 0 }
  }
}
