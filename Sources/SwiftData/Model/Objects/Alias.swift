/// A second object of the program for a row that another object is registered for.
///
/// After an upsert of a registered object the program holds two objects for one row. The inserted object becomes an alias of the
/// registered one: its accessors read and write the registered object. An alias has no host. Therefore the engine never takes it for
/// an object of the context, and no relationship, identity map or unsaved change holds it: whatever the program gives to a context or
/// to a relationship is resolved first (``PersistentModel/__resolved``).
enum Alias {
  /// Forwards an access of a property. The storage of the alias holds a copy of the value during the access only.
  static func forward(_ alias: any PersistentModel, _ index: Int, _ phase: __ObservationPhase) {
    let object = alias.__resolved
    switch phase {
    case .access:
      // Observers of the alias observe the object.
      object.__willGet(index)
      copy(index, to: alias)
    case .willSet: copy(index, to: alias)
    case .didSet:
      let value = alias.__value(at: index)
      func assign() { RelationshipMaintenance.assign(value, to: object, index) }
      if let host = object.__state.host { host.changing(assign) } else { assign() }
    }
  }

  /// Gives the storage of an alias the value of a property, which is loaded first.
  static func copy(_ index: Int, to alias: any PersistentModel) {
    let object = alias.__resolved
    object.__loadIfNeeded(index)
    if object.relationship(at: index).isFault { object.__fire(index) }
    alias.__setValue(object.__value(at: index), at: index)
  }
}

extension PersistentModel {
  /// The object, or the registered object that it is an alias of.
  package nonisolated var __resolved: Self {
    // A row keeps its class for life. An upsert onto a row of another class is refused (`RowSave.otherClass`), and an adoption
    // compares the classes, so both objects have the class `Self`.
    guard let object = __state.aliased else { return self }
    return (object as! Self).__resolved
  }
}
