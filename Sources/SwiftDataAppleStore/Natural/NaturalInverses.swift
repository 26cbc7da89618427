extension NaturalModel {
  /// Marks the relationships without an inverse for which the engine would infer one.
  ///
  /// The engine pairs a relationship with the only one that leads back. A file can have two relationships that lead to each
  /// other and are not a pair. The declaration of one of them then names `withoutInverse`, which stops the inference for both.
  mutating func denyInferredInverses() {
    for (place, member) in classes.enumerated() {
      for (index, property) in member.properties.enumerated() {
        guard let relationship = property.relationship, inverse(of: relationship) == nil,
          relationship.destination != member.name, let destination = self.class(named: relationship.destination)
        else { continue }
        let known = all(of: member)
        classes[place].properties[index].deniesInverse = all(of: destination).contains { other in
          guard let back = other.relationship, !other.deniesInverse, areRelated(back.destination, member.name) else {
            return false
          }
          guard let partner = inverse(of: back) else { return true }
          // A relationship of this class that is the inverse of the other keeps the engine from pairing it with this one.
          return !known.contains { $0.originalName == partner.originalName }
        }
      }
    }
  }

  /// Whether one of two classes inherits from the other, or they are the same.
  private func areRelated(_ first: String, _ second: String) -> Bool {
    lineage(of: first).contains(second) || lineage(of: second).contains(first)
  }

  /// The names of a class and its superclasses.
  private func lineage(of name: String) -> [String] {
    var result = [name]
    while let parent = self.class(named: result[result.count - 1])?.superclass { result.append(parent) }
    return result
  }
}
