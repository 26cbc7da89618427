/// The unsaved changes of a stored object.
package struct ObjectChange {
  package let object: any PersistentModel
  package var properties = PropertySet()
  /// The values before the first change since the last save, for rollback and for pairs of many-to-manys.
  package var originals: [(index: Int, value: Any)] = []
  /// Whether another save changed the object meanwhile, so that the originals may be outdated.
  var isStale = false
  /// Whether the program assigned a property of the object. A change that follows from another object, as the other side of a relationship
  /// or by a delete rule, is not an edit.
  private(set) var isEdited = false
  /// Whether another save deleted the row of the edited object. The object keeps its edits until it is deleted here or rolled back.
  var isRowDeleted = false

  /// Keeps the current value of a property unless an earlier one is kept.
  mutating func record(_ index: Int, isInverse: Bool) {
    if !isInverse { isEdited = true }
    guard !properties.contains(index) else { return }
    properties.insert(index)
    let value: Any =
      if let original = object.relationship(at: index).keepOriginal() { original } else { object.__value(at: index) }
    // An array of the right size is made with less work than one grows to it, and most objects change one property.
    if originals.isEmpty { originals = [(index, value)] } else { originals.append((index, value)) }
  }

  /// The original value of a property (for a long to-many, a compact form), or nil if it did not change.
  func original(_ index: Int) -> Any? { originals.first { $0.index == index }?.value }

  /// The original targets of a relationship, or nil if it did not change.
  package func originalTargets(_ index: Int) -> [any PersistentModel]? {
    guard let value = original(index) else { return nil }
    if let kept = value as? any KeptOriginal, let targets = object.relationship(at: index).targets(of: kept) {
      return targets
    }
    return switch ScalarType.unwrapped(value) {
    case let models as [any PersistentModel]: models
    case let model as any PersistentModel: [model]
    default: []
    }
  }

  /// Whether an attribute or to-one has another value than before the change. A setter records a change for an equal value too.
  package func changesValue(at index: Int) -> Bool {
    guard properties.contains(index), let original = original(index) else { return false }
    let property = type(of: object).__entity.properties[index]
    if property.isToOne {
      guard let now = object.relationship(at: index).targets else { return true }
      return now.first !== originalTargets(index)?.first
    }
    let (old, new) = (ScalarType.unwrapped(original), ScalarType.unwrapped(object.__value(at: index)))
    guard let old, let new else { return (old == nil) != (new == nil) }
    let type = ScalarType(of: property)
    guard type.form != .opaque, let cell = type.cell(of: old) else { return true }
    return cell != type.cell(of: new)
  }

  /// Restores the original values and names each to `notify`.
  func giveBack(notifying notify: (any PersistentModel, Int) -> Void) {
    for (index, value) in originals {
      if let kept = value as? any KeptOriginal {
        object.relationship(at: index).giveBack(kept)
      } else {
        object.__setValue(value, at: index)
      }
      notify(object, index)
    }
  }

  /// Resets to-ones with an unsaved target to their stored target.
  func takeBackUnsavedTargets() {
    let properties = type(of: object).__entity.properties
    for (index, value) in originals where properties[index].isToOne {
      guard let targets = object.relationship(at: index).targets,
        targets.contains(where: { $0.__state.key == 0 })
      else { continue }
      object.__setValue(value, at: index)
    }
  }
}
