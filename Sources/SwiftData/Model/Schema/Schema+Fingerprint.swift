extension Schema {
  /// Adds all that ``encode(to:)`` writes.
  /// - Returns: whether everything could be added. A property of another kind than attribute or relationship cannot.
  package func add(to sum: inout Fingerprint) -> Bool {
    version.add(to: &sum)
    sum.combine(entities.count)
    return entities.allSatisfy { $0.add(to: &sum) }
  }
}

extension Schema.Version {
  fileprivate func add(to sum: inout Fingerprint) {
    for part in [major, minor, patch] { sum.combine(part) }
  }
}

extension Schema.Entity {
  fileprivate func add(to sum: inout Fingerprint) -> Bool {
    sum.combine(name)
    sum.combine(superentityName)
    for properties in [storedProperties, inheritedProperties] {
      sum.combine(properties.count)
      for property in properties {
        if property.isAttribute, let attribute = property as? Schema.Attribute {
          attribute.add(to: &sum)
        } else if property.isRelationship, let relationship = property as? Schema.Relationship {
          relationship.add(to: &sum)
        } else {
          return false
        }
      }
    }
    sum.combine(uniquenessConstraints)
    sum.combine(indices)
    return true
  }
}
