// Only the code that `@Model` expands to calls what is public here and has no description.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

// The engine's operations on slots. Overloads let the type checker tell a relationship from an attribute.

extension __Slot {
  /// Does nothing, because an attribute is not a relationship.
  @_disfavoredOverload
  public mutating func __perform<Owner: PersistentModel>(
    _ operation: __RelationshipOperation, _ owner: Owner, _ index: Int
  ) -> __RelationshipContent { .none }
}

extension __Slot where Value: PersistentModel {
  public mutating func __perform<Owner: PersistentModel>(
    _ operation: __RelationshipOperation, _ owner: Owner, _ index: Int
  ) -> __RelationshipContent {
    switch operation.kind {
    case .check: return isFault ? .fault(key) : .targets([], positioned: false)
    case .load(let targets, _): value = targets.first as! Value?
    case .fault(let key):
      value = nil
      self.key = key
    case .add(let target): value = (target as! Value)
    // A required target stays until another one replaces it. Saving without one throws.
    default: break
    }
    return value.map { .targets([$0], positioned: false) } ?? .fault(key)
  }
}

extension __Slot {
  public mutating func __perform<M: PersistentModel, Owner: PersistentModel>(
    _ operation: __RelationshipOperation, _ owner: Owner, _ index: Int
  ) -> __RelationshipContent where Value == M? {
    switch operation.kind {
    case .check: return isFault ? .fault(key) : .targets([], positioned: false)
    case .load(let targets, _): value = .some(targets.first as! M?)
    case .fault(let key):
      value = key == 0 ? .some(nil) : nil
      self.key = key
    case .add(let target): value = .some((target as! M))
    case .remove(let target): if let current = value ?? nil, current === target { value = .some(nil) }
    default: break
    }
    guard let loaded = value else { return .fault(key) }
    return .targets(loaded.map { [$0] } ?? [], positioned: false)
  }

  public mutating func __perform<M: PersistentModel, Owner: PersistentModel>(
    _ operation: __RelationshipOperation, _ owner: Owner, _ index: Int
  ) -> __RelationshipContent where Value == [M] {
    let list = ToManyList<M, Owner>(owner, index)
    switch operation.kind {
    case .load(let targets, let positioned):
      list.unlink(&key, value)
      (value, key) = (targets.map { $0 as! M }, positioned ? 1 : 0)
    case .fault:
      list.unlink(&key, value)
      value = nil
    default: break
    }
    if value == nil { return .fault(0) }
    return list.perform(operation, &value!, &key)
  }

  public mutating func __perform<M: PersistentModel, Owner: PersistentModel>(
    _ operation: __RelationshipOperation, _ owner: Owner, _ index: Int
  ) -> __RelationshipContent where Value == [M]? {
    let list = ToManyList<M, Owner>(owner, index)
    switch operation.kind {
    case .load(let targets, let positioned):
      list.unlink(&key, value ?? nil)
      (value, key) = (targets.map { $0 as! M }, positioned ? 1 : 0)
    case .fault:
      list.unlink(&key, value ?? nil)
      value = nil
    default: break
    }
    guard value != nil else { return .fault(0) }
    if value! == nil {
      guard case .add = operation.kind else {
        var none = [M]()
        return list.perform(operation, &none, &key)
      }
      value = .some([])
    }
    return list.perform(operation, &value!!, &key)
  }

  // MARK: - Assignments to a to-many

  mutating func replace<M: PersistentModel, Owner: PersistentModel>(
    with new: [M], _ owner: Owner, _ index: Int
  ) -> __RelationshipChange where Value == [M] {
    if value == nil { value = [] }
    return ToManyList<M, Owner>(owner, index).replace(&value!, &key, with: new)
  }

  mutating func replace<M: PersistentModel, Owner: PersistentModel>(
    with new: [M]?, _ owner: Owner, _ index: Int
  ) -> __RelationshipChange where Value == [M]? {
    var old = (value ?? nil) ?? []
    // Released here, so that the list is uniquely referenced while it is replaced.
    value = .some(nil)
    let change = ToManyList<M, Owner>(owner, index).replace(&old, &key, with: new ?? [])
    value = .some(new == nil ? nil : old)
    return change
  }

  mutating func lend<M: PersistentModel, Owner: PersistentModel>(
    _ owner: Owner, _ index: Int
  ) -> [M]? where Value == [M] {
    ToManyList<M, Owner>(owner, index).lend(&value!, &key)
  }

  mutating func lend<M: PersistentModel, Owner: PersistentModel>(
    _ owner: Owner, _ index: Int
  ) -> [M]? where Value == [M]? {
    value! == nil ? nil : ToManyList<M, Owner>(owner, index).lend(&value!!, &key)
  }

  mutating func takeBack<M: PersistentModel, Owner: PersistentModel>(
    _ new: inout [M], _ owner: Owner, _ index: Int
  ) -> __RelationshipChange where Value == [M] {
    if value == nil { value = [] }
    return ToManyList<M, Owner>(owner, index).takeBack(&value!, &key, &new)
  }

  mutating func takeBack<M: PersistentModel, Owner: PersistentModel>(
    _ new: inout [M], _ owner: Owner, _ index: Int
  ) -> __RelationshipChange where Value == [M]? {
    if value == nil || value! == nil { value = .some([]) }
    return ToManyList<M, Owner>(owner, index).takeBack(&value!!, &key, &new)
  }
}
