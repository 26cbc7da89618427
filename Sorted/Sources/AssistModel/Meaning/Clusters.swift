/// A few of many vectors that stand for all of them.
package struct Themes: Sendable {
  /// A vector, and how many vectors are most similar to it.
  package struct Group: Sendable, Equatable {
    /// The index of the vector.
    package var center: Int
    /// How many vectors it stands for, itself included.
    package var count: Int
  }

  /// The greatest first.
  package let groups: [Group]

  /// Chooses centers one after the other: each time the vector that adds most to the sum of the similarities of all vectors to
  /// the center next to them. That sum is at least 63 % of the greatest possible one.
  /// - Complexity: quadratic in the number of vectors.
  package init(_ vectors: [MeaningVector], count: Int) {
    let similarity = vectors.map { a in vectors.map { max(0, a.similarity(to: $0)) } }
    var nearest = [Float](repeating: 0, count: vectors.count)
    var centers: [Int] = []
    while centers.count < min(count, vectors.count) {
      func gain(_ center: Int) -> Float {
        zip(similarity[center], nearest).reduce(0) { $0 + max(0, $1.0 - $1.1) }
      }
      let gains = vectors.indices.map { centers.contains($0) ? -1 : gain($0) }
      guard let best = gains.indices.max(by: { gains[$0] < gains[$1] }), gains[best] > 0 else { break }
      centers.append(best)
      for (index, value) in similarity[best].enumerated() { nearest[index] = max(nearest[index], value) }
    }
    let owners = vectors.indices.compactMap { index in
      centers.max { similarity[$0][index] < similarity[$1][index] }
    }
    groups = centers.map { center in Group(center: center, count: owners.count { $0 == center }) }
      .sorted { ($0.count, $1.center) > ($1.count, $0.center) }
  }
}
