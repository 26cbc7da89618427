/// The assignments to relationships that can be undone and whose new value is not read yet.
///
/// The undo stack outlives saves, also of other contexts. Undoing therefore takes back the difference that an assignment made, and
/// needs the value after it. An undo action is registered before its assignment, so that value is read later: before anything else
/// changes the relationship.
struct UndoneValues {
  /// One assignment, which its undo action holds.
  final class Assignment {
    let object: any PersistentModel
    let index: Int
    let old: Any
    /// Whether the property followed the change of another object.
    let isInverse: Bool
    /// The value that the assignment gave. Nil for an attribute, and until it is read.
    @exclusivity(unchecked) fileprivate(set) var new: Any?
    /// For a to-many, the assignment to a to-one before it, which may have removed its object from the list.
    fileprivate var cause: Assignment?

    /// - Parameter object: it still has the old value.
    init(_ object: any PersistentModel, _ index: Int, isInverse: Bool) {
      (self.object, self.index, self.old) = (object, index, object.__value(at: index))
      self.isInverse = isInverse
    }

    /// The owner that an object got by the assignment that removed it from this list, or nil.
    func newOwner(of target: any PersistentModel, _ inverse: __Property) -> (any PersistentModel)? {
      guard let cause, cause.object === target, cause.index == inverse.index else { return nil }
      return cause.new.flatMap { targets($0).first }
    }

    /// - Returns: false if the relationship still has the old value.
    fileprivate func noteNew() -> Bool {
      let value = object.__value(at: index)
      guard !targets(value).elementsEqual(targets(old), by: ===) else { return false }
      new = value
      return true
    }
  }

  private struct Place: Hashable {
    let object: ObjectIdentifier
    let index: Int
  }
  private var open: [Place: Assignment] = [:]
  private var lastToOne: Assignment?

  mutating func add(_ assignment: Assignment) {
    let property = type(of: assignment.object).__entity.properties[assignment.index]
    guard !property.isAttribute else { return }
    if property.isToMany { assignment.cause = lastToOne } else { lastToOne = assignment }
    open[Place(object: ObjectIdentifier(assignment.object), index: assignment.index)] = assignment
  }

  /// Called before any change of a property by the program.
  mutating func willChange(_ object: any PersistentModel, _ index: Int) {
    _ = open.removeValue(forKey: Place(object: ObjectIdentifier(object), index: index))?.noteNew()
  }

  /// Called before other contexts' saves are merged. An assignment that is just beginning stays.
  mutating func noteNew() {
    if !open.isEmpty { open = open.filter { !$0.value.noteNew() } }
  }

  /// The targets in a value of a relationship.
  static func targets(_ value: Any) -> [any PersistentModel] {
    switch ScalarType.unwrapped(value) {
    case let models as [any PersistentModel]: models
    case let model as any PersistentModel: [model]
    default: []
    }
  }

  /// A list without what an assignment added to it and with what the assignment removed, in the order before the assignment.
  /// - Parameters:
  ///   - old: the list before the assignment.
  ///   - new: the list after it.
  ///   - current: the list now, with the additions and removals of others. Objects that others added stay behind the same object.
  static func list(
    _ old: [any PersistentModel], insteadOf new: [any PersistentModel], in current: [any PersistentModel]
  ) -> [any PersistentModel] {
    func ids(_ objects: [any PersistentModel]) -> Set<ObjectIdentifier> { Set(objects.map { ObjectIdentifier($0) }) }
    let (before, after, now) = (ids(old), ids(new), ids(current))
    var theirs = [ObjectIdentifier?: [any PersistentModel]]()
    var last: ObjectIdentifier?
    for target in current {
      let id = ObjectIdentifier(target)
      if before.contains(id) {
        last = id
      } else if !after.contains(id) {
        theirs[last, default: []].append(target)
      }
    }
    var result = theirs[nil] ?? []
    for target in old {
      let id = ObjectIdentifier(target)
      // Others removed it.
      if after.contains(id), !now.contains(id) { continue }
      result.append(target)
      result += theirs[id] ?? []
    }
    return result
  }
}
