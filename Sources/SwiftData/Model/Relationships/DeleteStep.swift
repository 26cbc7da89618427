/// What the deletion of an object does to the objects that one relationship relates to it: a delete rule as data.
///
/// The memory of a context, its validation, batch deletes and the save of each database carry out the same steps
/// (``DeletePlan``).
package struct DeleteStep: Sendable {
  package enum Effect: Sendable {
    /// Deletes the related objects too.
    case cascade
    /// Refuses the deletion while there are related objects.
    case deny
    /// Clears the to-one of the related objects.
    case clear
    /// Refuses the deletion while the required to-one of an object leads to the deleted one.
    case require
    /// Removes the deleted object from the lists of the related objects. The database removes the pairs.
    case unlink
  }

  package enum Link: Sendable {
    /// A relationship of the deleted object.
    case relationship(RelationshipInfo)
    /// A to-one without an inverse, of objects of a class, that leads to the deleted object.
    case referrer(__Property, of: __Entity)
  }

  package let effect: Effect
  package let link: Link

  /// The relationship of the deleted object; nil if only a to-one of other objects leads to it.
  package var relationship: RelationshipInfo? {
    if case .relationship(let info) = link { info } else { nil }
  }

  /// The to-one that the step clears or that requires the deleted object, and its class.
  package var holder: (property: __Property, entity: __Entity)? {
    switch (effect, link) {
    case (.clear, .relationship(let info)), (.require, .relationship(let info)):
      info.inverse.map { ($0, info.destination) }
    case (_, .referrer(let property, let entity)): (property, entity)
    default: nil
    }
  }

  /// The steps of a class: first the steps of its relationships in the order of its properties, then the steps of to-ones without an
  /// inverse.
  /// - Parameter others: the classes whose objects may refer to the deleted one.
  static func steps(of entity: __Entity, among others: [__Entity]) -> [DeleteStep] {
    var steps = [DeleteStep]()
    for property in entity.properties where !property.isAttribute {
      let info = RelationshipInfo.of(property, in: entity)
      guard let effect = effect(of: info) else { continue }
      steps.append(DeleteStep(effect: effect, link: .relationship(info)))
    }
    for other in others {
      // A subclass inherits the property and shares the table.
      for property in other.properties.dropFirst(other.inheritedCount) where property.isToOne {
        guard let destination = property.destination?.__entity, entity.isKind(of: destination),
          RelationshipInfo.of(property, in: other).inverse == nil
        else { continue }
        steps.append(
          DeleteStep(effect: property.isOptional ? .clear : .require, link: .referrer(property, of: other)))
      }
    }
    return steps
  }

  private static func effect(of info: RelationshipInfo) -> Effect? {
    switch info.deleteRule {
    case .cascade: return .cascade
    case .deny: return .deny
    case .nullify:
      guard let inverse = info.inverse else { return nil }
      return inverse.isToMany ? .unlink : inverse.isOptional ? .clear : .require
    // The related objects keep a reference that reads as nil.
    default: return nil
    }
  }
}
