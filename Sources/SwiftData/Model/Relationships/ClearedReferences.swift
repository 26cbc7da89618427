/// The references to an object that its deletion cleared. The undo actions of the deletion restore them.
struct ClearedReferences {
  private var owners: [Int: Set<ObjectIdentifier>] = [:]

  /// - Parameters:
  ///   - target: the object that referred to the deleted one.
  ///   - property: the property of the deleted object that leads to it.
  mutating func note(_ target: any PersistentModel, _ property: __Property) {
    owners[property.index, default: []].insert(ObjectIdentifier(target))
  }

  func contain(_ target: any PersistentModel, _ property: __Property) -> Bool {
    owners[property.index]?.contains(ObjectIdentifier(target)) ?? false
  }
}
