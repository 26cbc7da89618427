// What the setters call that `@Model` writes, to put a value into a slot. The overloads let the type checker tell a
// relationship from an attribute.

/// Assigns to an attribute.
@_disfavoredOverload
public func __store<V: Codable, Owner: PersistentModel>(
  _ slot: inout __Slot<V>, _ new: V, _ owner: Owner, _ index: Int
) -> __RelationshipChange {
  slot.value = new
  return .attribute
}

/// Assigns to an attribute with a column type of its own.
public func __store<V: __ColumnValue, Owner: PersistentModel>(
  _ slot: inout __Slot<V>, _ new: V, _ owner: Owner, _ index: Int
) -> __RelationshipChange {
  slot.value = new
  return .attribute
}

/// Chosen for a type that cannot be persisted: the one error about it, at the property.
@available(*, unavailable, message: "a persisted property is a model, models, or Codable; else mark it @Transient")
@_disfavoredOverload
public func __store<V, Owner: PersistentModel>(
  _ slot: inout __Slot<V>, _ new: V, _ owner: Owner, _ index: Int
) -> __RelationshipChange {
  .attribute
}

public func __store<M: PersistentModel, Owner: PersistentModel>(
  _ slot: inout __Slot<M>, _ new: M, _ owner: Owner, _ index: Int
) -> __RelationshipChange {
  let old = slot.value
  slot.value = new
  return toOneChange(old, new)
}

public func __store<M: PersistentModel, Owner: PersistentModel>(
  _ slot: inout __Slot<M?>, _ new: M?, _ owner: Owner, _ index: Int
) -> __RelationshipChange {
  let old = slot.value ?? nil
  slot.value = .some(new)
  return toOneChange(old, new)
}

public func __store<M: PersistentModel, Owner: PersistentModel>(
  _ slot: inout __Slot<[M]>, _ new: [M], _ owner: Owner, _ index: Int
) -> __RelationshipChange {
  slot.replace(with: new, owner, index)
}

public func __store<M: PersistentModel, Owner: PersistentModel>(
  _ slot: inout __Slot<[M]?>, _ new: [M]?, _ owner: Owner, _ index: Int
) -> __RelationshipChange {
  slot.replace(with: new, owner, index)
}

private func toOneChange<M: PersistentModel>(_ old: M?, _ new: M?) -> __RelationshipChange {
  __RelationshipChange(
    removed: old === new ? [] : old.map { [$0] } ?? [], added: old === new ? [] : new.map { [$0] } ?? [],
    isRelationship: true)
}

// MARK: - Changes in place

// A list that is changed in place (`parent.children.append(child)`) is lent to whoever changes it. The slot shows what it
// was until the change is over, and then gets the new list as an assignment would give it. So whoever reads it meanwhile,
// or assigns to it, does what it would with a getter and a setter; but no list is copied for each change.

/// The value of a loaded slot, to be changed in place.
@_disfavoredOverload
public func __lend<V, Owner: PersistentModel>(_ slot: inout __Slot<V>, _ owner: Owner, _ index: Int) -> V {
  slot.loaded
}

/// The list of a loaded slot, to be changed in place.
/// - Complexity: O(1) from the second change of a long list on.
public func __lend<M: PersistentModel, Owner: PersistentModel>(
  _ slot: inout __Slot<[M]>, _ owner: Owner, _ index: Int
) -> [M] {
  slot.lend(owner, index) ?? slot.loaded
}

/// The list of a loaded slot, to be changed in place.
/// - Complexity: O(1) from the second change of a long list on.
public func __lend<M: PersistentModel, Owner: PersistentModel>(
  _ slot: inout __Slot<[M]?>, _ owner: Owner, _ index: Int
) -> [M]? {
  slot.lend(owner, index) ?? slot.loaded
}

/// Takes a value back that was changed in place.
@_disfavoredOverload
public func __takeBack<V: Codable, Owner: PersistentModel>(
  _ slot: inout __Slot<V>, _ value: inout V, _ owner: Owner, _ index: Int
) -> __RelationshipChange {
  slot.value = value
  return .attribute
}

/// Takes a value back that was changed in place.
public func __takeBack<V: __ColumnValue, Owner: PersistentModel>(
  _ slot: inout __Slot<V>, _ value: inout V, _ owner: Owner, _ index: Int
) -> __RelationshipChange {
  slot.value = value
  return .attribute
}

/// Stands in where the setter reports that the type cannot be persisted.
@_disfavoredOverload
public func __takeBack<V, Owner: PersistentModel>(
  _ slot: inout __Slot<V>, _ value: inout V, _ owner: Owner, _ index: Int
) -> __RelationshipChange {
  .attribute
}

/// Takes a list back that was changed in place.
/// - Complexity: O(1) where something was appended to a long list.
public func __takeBack<M: PersistentModel, Owner: PersistentModel>(
  _ slot: inout __Slot<[M]>, _ list: inout [M], _ owner: Owner, _ index: Int
) -> __RelationshipChange {
  // Moved out, so that nobody else holds it when it is changed next.
  var new = [M]()
  swap(&new, &list)
  return slot.takeBack(&new, owner, index)
}

/// Takes a list back that was changed in place.
/// - Complexity: O(1) where something was appended to a long list.
public func __takeBack<M: PersistentModel, Owner: PersistentModel>(
  _ slot: inout __Slot<[M]?>, _ list: inout [M]?, _ owner: Owner, _ index: Int
) -> __RelationshipChange {
  guard list != nil else { return slot.replace(with: nil, owner, index) }
  var new = [M]()
  swap(&new, &list!)
  return slot.takeBack(&new, owner, index)
}
