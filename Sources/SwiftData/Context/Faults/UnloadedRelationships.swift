/// A relationship that could not be loaded. A getter must return a value, so the slot has an empty one or a stand-in, which says
/// nothing about the stored targets.
struct UnloadedRelationship {
  let object: any PersistentModel
  let property: __Property
  /// The key of the fault.
  let key: Int64
}

/// The relationships that a context could not load. None of them counts as empty.
struct UnloadedRelationships {
  private(set) var all: [UnloadedRelationship] = []
  /// Objects to delete whose delete rules need such a relationship. The next save deletes them, or throws.
  private(set) var deletions: [any PersistentModel] = []

  var isEmpty: Bool { all.isEmpty && deletions.isEmpty }

  func contains(_ object: any PersistentModel) -> Bool { all.contains { $0.object === object } }
  mutating func add(_ relationship: UnloadedRelationship) { all.append(relationship) }
  mutating func addDeletion(of object: any PersistentModel) {
    if !deletions.contains(where: { $0 === object }) { deletions.append(object) }
  }
  mutating func takeAll() -> [UnloadedRelationship] {
    defer { all = [] }
    return all
  }
  mutating func takeDeletions() -> [any PersistentModel] {
    defer { deletions = [] }
    return deletions
  }
}

extension ContextState {
  /// Turns relationships that could not be loaded into faults again. Those that the program changed meanwhile stay, unless the new
  /// value says everything: then only the former value becomes a fault.
  func refaultUnloaded() {
    for unloaded in unloaded.takeAll() where unloaded.object.__state.context === self {
      let (object, index) = (unloaded.object, unloaded.property.index)
      if isOver, unsavedProperties(of: object)?.contains(index) == true { continue }
      func refault() { object.relationship(at: index).becomeFault(unloaded.key) }
      guard let change = changed[ObjectIdentifier(object)], change.properties.contains(index),
        let original = change.originals.firstIndex(where: { $0.index == index })
      else {
        refault()
        // Observers are not told: they would read it again, and a store that cannot be read would never let them rest.
        if !object.__state.flags.isDisjoint(with: [.inserted, .changed]) { unsavedIndices.touch(object, index) }
        continue
      }
      let inverse = RelationshipInfo.of(unloaded.property, in: type(of: object).__entity).inverse
      // The former target has to lose its side, or the list what it had.
      guard unloaded.property.isToOne, inverse?.isToOne != true else {
        self.unloaded.add(unloaded)
        continue
      }
      let value = object.__value(at: index)
      refault()
      changed[ObjectIdentifier(object)]?.originals[original].value = object.__value(at: index)
      if (value as? any PersistentModel)?.__state.flags.contains(.standIn) != true {
        object.__setValue(value, at: index)
      }
    }
  }

  /// Runs a body whose answer depends on relationships and omitted attributes.
  /// - Throws: the error of one that could not be loaded, so that its empty value decides nothing.
  func loading<T>(_ body: () throws -> T) throws -> T {
    let count = problems.count
    let result = try body()
    guard problems.count > count else { return result }
    let problem = problems[count]
    problems.removeSubrange(count...)
    refaultUnloaded()
    unsavedIndices.removeAll()
    throw problem
  }

  /// - Throws: ``SwiftDataError/unreadableValue`` if the program changed a relationship whose stored targets are unknown.
  func checkUnloaded() throws {
    refaultUnloaded()
    guard let unloaded = unloaded.all.first else { return }
    throw SwiftDataError(
      .unreadableValue, entity: type(of: unloaded.object).__entity.name, property: unloaded.property.name,
      message:
        "the relationship was changed although its objects could not be loaded, so that the save would remove objects"
        + " that the program has not seen; rollback() discards the changes of the context, then change it again")
  }

  /// Deletes the objects whose delete rules could not be applied before.
  func deleteUnloaded() {
    // A save tries it. If the relationships still cannot be loaded, no further autosave may begin at once, and fail as this one.
    let handler = changeHandler
    changeHandler = nil
    defer { changeHandler = handler }
    for object in unloaded.takeDeletions() where object.__state.context === self { delete(object) }
  }

  /// - Throws: the first error of a function that could not throw it.
  func throwProblem() throws {
    guard let problem = problems.first else { return }
    problems = []
    refaultUnloaded()
    throw problem
  }
}
