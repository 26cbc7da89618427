/// Clusters of similar embeddings, each with the embedding that represents it (k-medoids).
public struct Clusters: Sendable {
  /// A cluster: a medoid and the number of embeddings that are most similar to it.
  public struct Cluster: Sendable, Equatable {
    /// The index of the embedding that represents the cluster.
    public var medoid: Int
    /// The number of embeddings in the cluster, with the medoid.
    public var count: Int
  }

  /// The clusters, the largest first.
  public let clusters: [Cluster]

  /// Chooses medoids greedily.
  ///
  /// The objective is the sum of the similarities of all embeddings to their nearest medoid. Each step adds the embedding that
  /// increases it most. The objective is submodular, so the result has at least 63 % of the optimum (1 - 1/e).
  /// - Complexity: quadratic in the number of embeddings.
  public init(_ vectors: [Embedding], count: Int) {
    let similarity = vectors.map { a in vectors.map { max(0, a.similarity(to: $0)) } }
    var nearest = [Float](repeating: 0, count: vectors.count)
    var medoids: [Int] = []
    while medoids.count < min(count, vectors.count) {
      func gain(_ candidate: Int) -> Float {
        zip(similarity[candidate], nearest).reduce(0) { $0 + max(0, $1.0 - $1.1) }
      }
      let gains = vectors.indices.map { medoids.contains($0) ? -1 : gain($0) }
      guard let best = gains.indices.max(by: { gains[$0] < gains[$1] }), gains[best] > 0 else { break }
      medoids.append(best)
      for (index, value) in similarity[best].enumerated() { nearest[index] = max(nearest[index], value) }
    }
    let assignments = vectors.indices.compactMap { index in
      medoids.max { similarity[$0][index] < similarity[$1][index] }
    }
    clusters = medoids.map { medoid in Cluster(medoid: medoid, count: assignments.count { $0 == medoid }) }
      .sorted { ($0.count, $1.medoid) > ($1.count, $0.medoid) }
  }
}
