// Only the code that `@Model` expands to calls what is public here and has no description.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

// The functions that generated setters call to assign to a slot. Overloads let the type checker tell a relationship
// from an attribute.

/// Assigns to an attribute.
@_disfavoredOverload
public func __store<V: Codable, Owner: PersistentModel>(
  _ slot: inout __Slot<V>, _ new: V, _ owner: Owner, _ index: Int
) -> __RelationshipChange {
  slot.value = new
  return .attribute
}

/// Assigns to an attribute whose type has its own column type.
public func __store<V: __ColumnValue, Owner: PersistentModel>(
  _ slot: inout __Slot<V>, _ new: V, _ owner: Owner, _ index: Int
) -> __RelationshipChange {
  slot.value = new
  return .attribute
}

/// Chosen for a type that cannot be persisted. The compiler reports one error, at the property.
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

// An in-place change such as `parent.children.append(child)` borrows the list. The slot keeps its old value until the
// change ends, and then receives the new list like an assignment. A read or an assignment during the change therefore
// behaves as with a getter and a setter, but the list is not copied.

/// Lends the value of a loaded slot for an in-place change.
@_disfavoredOverload
public func __lend<V, Owner: PersistentModel>(_ slot: inout __Slot<V>, _ owner: Owner, _ index: Int) -> V {
  slot.loaded
}

/// Lends the list of a loaded slot for an in-place change.
/// - Complexity: O(1) from the second change of a long list on.
public func __lend<M: PersistentModel, Owner: PersistentModel>(
  _ slot: inout __Slot<[M]>, _ owner: Owner, _ index: Int
) -> [M] {
  slot.lend(owner, index) ?? slot.loaded
}

/// Lends the list of a loaded slot for an in-place change.
/// - Complexity: O(1) from the second change of a long list on.
public func __lend<M: PersistentModel, Owner: PersistentModel>(
  _ slot: inout __Slot<[M]?>, _ owner: Owner, _ index: Int
) -> [M]? {
  slot.lend(owner, index) ?? slot.loaded
}

/// Takes back a value after an in-place change.
@_disfavoredOverload
public func __takeBack<V: Codable, Owner: PersistentModel>(
  _ slot: inout __Slot<V>, _ value: inout V, _ owner: Owner, _ index: Int
) -> __RelationshipChange {
  slot.value = value
  return .attribute
}

/// Takes back a value after an in-place change.
public func __takeBack<V: __ColumnValue, Owner: PersistentModel>(
  _ slot: inout __Slot<V>, _ value: inout V, _ owner: Owner, _ index: Int
) -> __RelationshipChange {
  slot.value = value
  return .attribute
}

/// A stand-in, used if the setter already reports that the type cannot be persisted.
@_disfavoredOverload
public func __takeBack<V, Owner: PersistentModel>(
  _ slot: inout __Slot<V>, _ value: inout V, _ owner: Owner, _ index: Int
) -> __RelationshipChange {
  .attribute
}

/// Takes back a list after an in-place change.
/// - Complexity: O(1) after an append to a long list.
public func __takeBack<M: PersistentModel, Owner: PersistentModel>(
  _ slot: inout __Slot<[M]>, _ list: inout [M], _ owner: Owner, _ index: Int
) -> __RelationshipChange {
  // Moved out, so that the list is uniquely referenced at the next change.
  var new = [M]()
  swap(&new, &list)
  return slot.takeBack(&new, owner, index)
}

/// Takes back a list after an in-place change.
/// - Complexity: O(1) after an append to a long list.
public func __takeBack<M: PersistentModel, Owner: PersistentModel>(
  _ slot: inout __Slot<[M]?>, _ list: inout [M]?, _ owner: Owner, _ index: Int
) -> __RelationshipChange {
  guard list != nil else { return slot.replace(with: nil, owner, index) }
  var new = [M]()
  swap(&new, &list!)
  return slot.takeBack(&new, owner, index)
}
