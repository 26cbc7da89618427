/// A loaded to-many of one owner that a save writes.
private struct ChangedList {
  let info: RelationshipInfo
  let owner: any PersistentModel
  let count: Int
  /// Whether the store keeps positions for the list.
  let positioned: Bool
  /// The difference from the list before its first change, or nil for a new owner's.
  let change: __ListChange?
  /// The added targets that are saved.
  let added: [any PersistentModel]

  init?(_ info: RelationshipInfo, _ owner: any PersistentModel, _ before: ObjectChange?) {
    (self.info, self.owner) = (info, owner)
    let index = info.property.index
    if let original = before?.original(index) {
      guard let change = owner.relationship(at: index).change(since: original) else { return nil }
      (count, positioned, self.change) = (change.count, change.positioned, change)
      added = Self.saved(change.added)
    } else {
      guard let (targets, positioned) = owner.relationship(at: index).list else { return nil }
      (count, self.positioned, change) = (targets.count, positioned, nil)
      added = Self.saved(targets)
    }
  }

  private static func saved(_ targets: [any PersistentModel]) -> [any PersistentModel] {
    targets.filter { !$0.__state.flags.contains(.deleted) && $0.__state.host != nil }
  }

  var key: Int64 { owner.__state.key }

  /// The targets in a range, clamped to the list.
  func targets(_ range: Range<Int>) -> [any PersistentModel] {
    let range = range.clamped(to: 0..<count)
    return range.isEmpty ? [] : owner.relationship(info.property).targets(in: range)
  }

  /// The stored pairs that are no longer in the list.
  var removed: [ListMember] {
    (change?.removed ?? []).filter { $0.__state.key != 0 }
      .map { ListMember(owner: key, target: $0.__state.key, place: 0) }
  }

  /// The members with positions for all targets.
  var members: [ListMember] { members(targets(0..<count), ListPositions.all(count)) }

  func members(_ targets: [any PersistentModel], _ positions: [Int64]) -> [ListMember] {
    // A deleted target, or one without a context, has no row.
    zip(targets, positions).filter { !$0.0.__state.flags.contains(.deleted) && $0.0.__state.host != nil }
      .map { ListMember(owner: key, target: $0.0.__state.key, place: $0.1) }
  }
}

/// Writes the to-manys of a save.
private final class ListWriter {
  private let writer: any RowWriter
  private let merged: [ObjectIdentifier: Int64]
  private let changes: UnsavedChanges
  /// The changed properties of stored objects. Only lists with positions need it.
  private lazy var changedProperties = Dictionary(
    changes.changed.map { (ObjectIdentifier($0.object), $0.properties) }
  ) { first, _ in first }

  init(_ save: RowSave, _ writer: any RowWriter) {
    (changes, merged, self.writer) = (save.changes, save.merged, writer)
  }

  /// The members that need positions. None if the list reads back in its order without them.
  /// - Parameter new: the added keys of a many-to-many, in the order of the table.
  func members(of list: ChangedList, new: [Int64]) throws -> [ListMember] {
    switch list.info.storage {
    case .foreignKey: return []
    case .inverseForeignKey(let inverse, _):
      guard let order = list.owner.relationship(list.info.property).order,
        order.positioned || !order.ascends
      else { return [] }
      guard list.positioned, let change = list.change, let end = settledEnd(of: list, change, inverse) else {
        return list.members
      }
      // Appended targets are last without positions too.
      return try members(of: list, at: change.places.filter { $0.lowerBound < end }) ?? list.members
    case .join:
      // New pairs without a position follow all others, in the order of writing.
      let start = list.count - new.count
      let isOrdered = start >= 0 && list.targets(start..<list.count).map { $0.__state.key } == new
      if !list.positioned { return isOrdered && list.change?.keepsOrder ?? true ? [] : list.members }
      guard isOrdered, let change = list.change else { return list.members }
      let places = change.places.filter { $0.lowerBound < start }
      guard places.allSatisfy({ $0.upperBound <= start }) else { return list.members }
      return try members(of: list, at: places) ?? list.members
    }
  }

  /// The start of the added targets without positions in a list with positions, or nil if their order is not by age.
  private func settledEnd(of list: ChangedList, _ change: __ListChange, _ inverse: __Property) -> Int? {
    var end = list.count
    var next: (any PersistentModel)?
    while end > 0, let last = list.targets(end - 1..<end).first {
      let id = ObjectIdentifier(last)
      if !last.__state.flags.contains(.inserted) {
        // A target that moved from another list is older than its place. It gets a position if the list existed when it
        // was added.
        let isPlaced = change.places.last?.contains(end - 1) == true
        return isPlaced || changedProperties[id]?.contains(inverse.index) != true ? end : nil
      }
      if merged[id] != nil || next.map({ $0.__state.key < last.__state.key }) == true { return nil }
      next = last
      end -= 1
    }
    return end
  }

  /// Positions for the targets at some places, between the positions of their neighbours. Nil if rewriting all positions is
  /// cheaper.
  private func members(of list: ChangedList, at places: [Range<Int>]) throws -> [ListMember]? {
    guard places.count <= 1 || places.count * 8 < list.count else { return nil }
    func neighbour(_ index: Int) throws -> ListPositions.Neighbour {
      try list.targets(index..<index + 1).first.map { try position(of: $0, in: list) } ?? .end
    }
    var found = [ListMember]()
    for range in places {
      let (previous, next) = (try neighbour(range.lowerBound - 1), try neighbour(range.upperBound))
      guard let positions = ListPositions.between(previous, next, count: range.count) else { return nil }
      found += list.members(list.targets(range), positions)
    }
    return found
  }

  private func position(of target: any PersistentModel, in list: ChangedList) throws -> ListPositions.Neighbour {
    let (own, other) = (SQLValue.integer(list.key), SQLValue.integer(target.__state.key))
    let statement: SQLFragment
    switch list.info.storage {
    case .foreignKey: return .unplaced
    case .inverseForeignKey(let inverse, let position):
      let table = TableNames.table(for: list.info.destination)
      statement =
        """
        SELECT \(name: position) FROM \(name: table) WHERE _pk = \(bind: other) \
        AND \(name: TableNames.column(for: inverse)) = \(bind: own)
        """
    case .join(let join, let source, let targetColumn, let position):
      statement =
        """
        SELECT \(name: position) FROM \(name: join) WHERE \(name: source) = \(bind: own) \
        AND \(name: targetColumn) = \(bind: other)
        """
    }
    guard case .integer(let position)? = try writer.rows(statement).first?.first else { return .unplaced }
    return .at(position)
  }
}

/// The new pairs of many-to-manys in the order of writing, each once.
private struct NewPairs {
  private struct Pair: Hashable {
    let source: Int64
    let target: Int64
  }

  private struct End: Hashable {
    let table: String
    let column: String
    let key: Int64
  }

  private var seen: [String: Set<Pair>] = [:]
  private var came: [End: [Int64]] = [:]

  /// - Returns: the pairs that no earlier list had.
  mutating func add(_ list: ChangedList) -> [ListMember] {
    guard case .join(let table, let source, let target, _) = list.info.storage else { return [] }
    return list.added.compactMap { object in
      let (own, other) = (list.key, object.__state.key)
      let pair = source < target ? Pair(source: own, target: other) : Pair(source: other, target: own)
      guard seen[table, default: []].insert(pair).inserted else { return nil }
      came[End(table: table, column: source, key: own), default: []].append(other)
      came[End(table: table, column: target, key: other), default: []].append(own)
      return ListMember(owner: own, target: other, place: 0)
    }
  }

  /// The keys that a list gained, in the order of the table.
  func keys(of list: ChangedList) -> [Int64] {
    guard case .join(let table, let source, _, _) = list.info.storage else { return [] }
    return came[End(table: table, column: source, key: list.key)] ?? []
  }
}

extension RowSave {
  /// Writes the difference between the stored pairs of many-to-manys and the lists in memory, then the positions of
  /// lists whose order the tables do not have.
  /// - Complexity: proportional to the changes in the lists, plus one comparison of addresses with their originals.
  func writeLists(by writer: any RowWriter) throws {
    let groups = try changedLists()
    func write(
      _ lists: [(RelationshipInfo, [ListMember])], _ body: ([ListMember], RelationshipInfo) throws -> Void
    ) throws {
      for (info, members) in lists where !members.isEmpty { try body(members, info) }
    }
    let pairs = groups.filter { if case .join = $0[0].info.storage { true } else { false } }
    try write(pairs.map { ($0[0].info, $0.flatMap(\.removed)) }) { try writer.removePairs($0, of: $1) }
    var new = NewPairs()
    try write(pairs.map { group in (group[0].info, group.flatMap { new.add($0) }) }) { try writer.addPairs($0, of: $1) }
    let positions = ListWriter(self, writer)
    for group in groups {
      let placed = try group.map { ($0, try positions.members(of: $0, new: new.keys(of: $0))) }.filter { !$0.1.isEmpty }
      try write([(group[0].info, placed.flatMap(\.1))]) { try writer.place($0, of: $1) }
      for (list, _) in placed { list.owner.relationship(list.info.property).notePositions() }
    }
  }

  /// The loaded to-manys of new objects and the changed ones of other objects, by relationship.
  private func changedLists() throws -> [[ChangedList]] {
    var groups = [[ChangedList]]()
    var places = [ObjectIdentifier: Int]()
    func take(_ owner: any PersistentModel, _ change: ObjectChange?) throws {
      let table = try changes.table(of: owner)
      for property in table.toMany where change == nil || change!.properties.contains(property.index) {
        let info = RelationshipInfo.of(property, in: table.entity)
        guard let list = ChangedList(info, owner, change), list.count > 0 || list.change?.removed.isEmpty == false
        else { continue }
        let place = places[ObjectIdentifier(info)] ?? groups.count
        if place == groups.count { groups.append([]) }
        places[ObjectIdentifier(info)] = place
        groups[place].append(list)
      }
    }
    for owner in inserted { try take(owner, nil) }
    for change in changed { try take(change.object, change) }
    return groups
  }
}
