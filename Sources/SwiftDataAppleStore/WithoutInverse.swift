public import SwiftData

extension PersistentModel {
  /// Stands for no relationship: `@Relationship(inverse: \Owner.withoutInverse)` keeps the engine from inferring an inverse.
  /// (Our own.)
  ///
  /// The engine pairs two relationships that lead to each other if no others do. In a store of Apple's frameworks two such
  /// relationships can be independent, each with a column of its own. One of the two declarations then says so. The value is
  /// always nil.
  public var withoutInverse: Never? { nil }
}
