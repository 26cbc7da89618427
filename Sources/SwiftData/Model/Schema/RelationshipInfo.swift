import Foundation

/// A relationship as the engine uses it: both ends, and its storage.
// @unchecked Sendable because it is immutable.
package final class RelationshipInfo: @unchecked Sendable {
  package enum Storage {
    /// A to-one: the column of the property in the source's table.
    case foreignKey
    /// A one-to-many: the column of the destination's to-one, with the positions in `position`.
    case inverseForeignKey(__Property, position: String)
    /// A many-to-many, or a to-many without an inverse: a table of pairs with the keys of source and target. `position`
    /// orders the source's array.
    case join(table: String, source: String, target: String, position: String)
  }

  package let source: __Entity
  package let property: __Property
  package let destination: __Entity
  package let inverse: __Property?
  package let storage: Storage

  package var deleteRule: Schema.Relationship.DeleteRule { property.relationship!.deleteRule }

  private init(source: __Entity, property: __Property) {
    // The declaring class, so that a subclass and its superclass agree on tables and columns.
    let declaring = InverseInference.declaringClass(of: property, in: source)
    self.source = declaring
    self.property = property
    let destination = property.destination!.__entity
    self.destination = destination
    let inverse = InverseInference.inverse(of: property, in: declaring, destination: destination)
    self.inverse = inverse
    if !property.isToMany {
      self.storage = .foreignKey
    } else if let inverse, !inverse.isToMany {
      self.storage = .inverseForeignKey(inverse, position: TableNames.position(of: inverse.column))
    } else {
      self.storage = Self.join(property, inverse)
    }
  }

  /// Both ends of a many-to-many use the same table, named by the end whose name sorts first.
  private static func join(_ property: __Property, _ inverse: __Property?) -> Storage {
    let own = property.column
    guard let inverse else {
      return .join(table: own, source: "source", target: "target", position: "source_position")
    }
    let other = inverse.column
    // A relationship that is its own inverse (friends) reads pairs in the written direction.
    return own <= other
      ? .join(table: own, source: "source", target: "target", position: "source_position")
      : .join(table: other, source: "target", target: "source", position: "target_position")
  }

  /// The relationship of a property, resolved once per class and property.
  /// - Complexity: O(1) after the first call.
  package static func of(_ property: __Property, in entity: __Entity) -> RelationshipInfo {
    if let known = entity.relationships.withLock({ $0[property.index] }) { return known }
    // Not under the lock, because resolving an inverse needs other relationships. Concurrent calls have equal results.
    let info = RelationshipInfo(source: entity, property: property)
    entity.relationships.withLock { $0[property.index] = info }
    return info
  }
}

/// Finds the inverse of a relationship: named by `inverse:` on either side, or the only candidate.
package enum InverseInference {
  package static func inverse(of property: __Property, in entity: __Entity, destination: __Entity) -> __Property? {
    if let named = property.relationship?.inverseKeyPath {
      return KeyPathResolver.property(at: named, in: destination)
    }
    let back = candidates(in: destination, pointingTo: entity).filter { $0 !== property || destination !== entity }
    // The other side may name this one.
    for candidate in back + (destination === entity ? [property] : []) {
      if let named = candidate.relationship?.inverseKeyPath,
        KeyPathResolver.property(at: named, in: entity)?.index == property.index
      {
        return candidate
      }
    }
    // One candidate on each side: it is the inverse.
    let free = back.filter { $0.relationship?.inverseKeyPath == nil }
    let here = candidates(in: entity, pointingTo: destination)
      .filter { $0.relationship?.inverseKeyPath == nil && !isClaimed($0, in: entity, by: destination) }
    guard destination !== entity, free.count == 1, here.count == 1, !isClaimed(free[0], in: destination, by: entity),
      // Otherwise an object on one side could have a value that the other side cannot hold.
      free[0].destination?.__entity === entity, declaringClass(of: free[0], in: destination) === destination
    else { return nil }
    return free[0]
  }

  /// The class that declares a property of an entity or of a superclass.
  package static func declaringClass(of property: __Property, in entity: __Entity) -> __Entity {
    var declaring = entity
    while let parent = declaring.superentity, property.index < declaring.inheritedCount { declaring = parent }
    return declaring
  }

  /// Whether a property of `other` names `property` as its inverse.
  private static func isClaimed(_ property: __Property, in entity: __Entity, by other: __Entity) -> Bool {
    candidates(in: other, pointingTo: entity).contains {
      guard let named = $0.relationship?.inverseKeyPath else { return false }
      return KeyPathResolver.property(at: named, in: entity)?.index == property.index
    }
  }

  private static func candidates(in entity: __Entity, pointingTo target: __Entity) -> [__Property] {
    entity.properties.filter {
      guard let destination = $0.destination?.__entity else { return false }
      return destination.isKind(of: target) || target.isKind(of: destination)
    }
  }
}
