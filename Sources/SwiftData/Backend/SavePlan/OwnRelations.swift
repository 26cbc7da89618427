/// The relationships that a save changes itself. The save is about to replace their stored values. The memory has the new values and
/// applied the delete rules to them.
final class OwnRelations {
  private struct Pair: Hashable {
    let owner: Int64
    let target: Int64
  }

  private let changes: UnsavedChanges
  /// The keys of the objects whose to-one this save changes, by property.
  private var moved: [ObjectIdentifier: Set<Int64>] = [:]
  /// The pairs that this save removes, by the property of the owner.
  private var removed: [ObjectIdentifier: Set<Pair>] = [:]

  init(_ changes: UnsavedChanges) { self.changes = changes }

  /// Many keys of related rows that are deleted or changed in the same save, if they are one range.
  func known(_ question: DeletePlan.Question, _ groups: [DeletePlan.Rows]) -> ClosedRange<Int64>? {
    let root = question.destination.root
    if let keys = groups.first(where: { $0.table.entity.root === root })?.keys, keys.count > 16,
      let range = keys.sorted().range
    {
      return range
    }
    guard changes.changed.count > 16, let property = holder(question) else { return nil }
    return moved(property).sorted().range
  }

  /// The related rows without those that the save itself releases.
  func without(_ rows: [DeletePlan.Related], _ question: DeletePlan.Question) -> [DeletePlan.Related] {
    guard !rows.isEmpty else { return rows }
    if let property = holder(question) {
      let moved = moved(property)
      return moved.isEmpty ? rows : rows.filter { !moved.contains($0.key) }
    }
    guard let info = question.step.relationship else { return rows }
    if case .foreignKey = info.storage {
      let moved = moved(info.property)
      return moved.isEmpty ? rows : rows.filter { !moved.contains($0.owner) }
    }
    let removed = removed(info)
    return removed.isEmpty ? rows : rows.filter { !removed.contains(Pair(owner: $0.owner, target: $0.key)) }
  }

  /// The to-one of the related rows that leads to the deleted ones.
  private func holder(_ question: DeletePlan.Question) -> __Property? {
    if let holder = question.step.holder { return holder.property }
    guard case .inverseForeignKey(let inverse, _)? = question.step.relationship?.storage else { return nil }
    return inverse
  }

  private func moved(_ property: __Property) -> Set<Int64> {
    if let known = moved[ObjectIdentifier(property)] { return known }
    var found = Set<Int64>()
    for change in [changes.changed, changes.changedBeforeDeletion].joined()
    where change.properties.contains(property.index) && Self.has(property, change.object) {
      found.insert(change.object.__state.key)
    }
    moved[ObjectIdentifier(property)] = found
    return found
  }

  /// The pairs that the owner's list or the target's list lost.
  private func removed(_ info: RelationshipInfo) -> Set<Pair> {
    if let known = removed[ObjectIdentifier(info.property)] { return known }
    var found = Set<Pair>()
    for change in [changes.changed, changes.changedBeforeDeletion].joined() {
      for (property, isOwner) in [(info.property, true), (info.inverse, false)] {
        guard let property, change.properties.contains(property.index), Self.has(property, change.object),
          let original = change.originalTargets(property.index),
          let now = change.object.relationship(property).targets
        else { continue }
        let kept = Set(now.map { ObjectIdentifier($0) })
        let key = change.object.__state.key
        for target in original where !kept.contains(ObjectIdentifier(target)) {
          let other = target.__state.key
          found.insert(isOwner ? Pair(owner: key, target: other) : Pair(owner: other, target: key))
        }
      }
    }
    removed[ObjectIdentifier(info.property)] = found
    return found
  }

  /// Whether a property is one of the object's class, and not another with its index.
  private static func has(_ property: __Property, _ object: any PersistentModel) -> Bool {
    let properties = type(of: object).__entity.properties
    return properties.indices.contains(property.index) && properties[property.index] === property
  }
}

extension DeletePlan.Related {
  /// - Parameter row: the key and the class of a related row, and the key of the deleted one.
  init?(_ row: [SQLValue]) {
    guard row.count == 3, case .integer(let key) = row[0], case .integer(let owner) = row[2] else { return nil }
    if case .text(let name) = row[1] {
      self.init(key: key, entity: name, owner: owner)
    } else {
      self.init(key: key, entity: nil, owner: owner)
    }
  }
}
