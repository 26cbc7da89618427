/// Relationships that are not loaded.
enum Faults {
  /// Loads the relationship at an index. The getter must return a value in any case. The context notes a relationship that could
  /// not be loaded and makes it a fault again before anything is decided by its value.
  static func fire(_ object: any PersistentModel, _ index: Int) {
    if object.__state.aliased != nil { return Alias.copy(index, to: object) }
    let property = type(of: object).__entity.properties[index]
    let isLoaded = object.__state.host?.load(object, property) ?? true
    guard isFault(object, property), let key = object.relationship(at: index).faultKey else { return }
    if !isLoaded { object.__state.host?.noteUnloaded(object, property, key: key) }
    object.relationship(at: index).load([], positioned: false)
    // A required target cannot be nil, so a placeholder replaces it, as for a missing row.
    guard isFault(object, property), let destination = property.destination else { return }
    object.relationship(at: index).load([standIn(of: destination.__entity, object)], positioned: false)
  }

  private static func standIn(of entity: __Entity, _ owner: any PersistentModel) -> any PersistentModel {
    StandIn.object(of: entity) { owner.__state.host?.example(of: entity) }
  }

  static func isFault(_ object: any PersistentModel, _ property: __Property) -> Bool {
    guard property.index < type(of: object).__entity.properties.count,
      type(of: object).__entity.properties[property.index] === property
    else { return false }
    if object.relationship(property).isFault { return true }
    return false
  }
}
