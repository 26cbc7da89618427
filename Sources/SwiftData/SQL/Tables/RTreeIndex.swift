import Foundation

/// An R*Tree over numbers and dates of a class: `#Index<Place>(.rtree([\.latitude, \.longitude]))`.
///
/// SQLite's R*Trees store intervals of 32-bit floats. A value becomes the smallest interval around it. Nil, NaN and
/// values beyond 32 bits become an interval that no bound excludes. The tree therefore finds every matching row and
/// some others, which the predicate then rejects.
package struct RTreeIndex {
  /// The class that declares the index.
  let entity: __Entity
  let terms: [IndexTerm]

  /// Larger magnitudes have no bound in the tree. The largest 32-bit float is slightly greater.
  static let limit = 3e38

  /// The trees with every row of a class: its own and its superclasses'.
  static func all(of entity: __Entity) -> [RTreeIndex] {
    entity.lineage.flatMap(declared)
  }

  static func declared(by entity: __Entity) -> [RTreeIndex] {
    entity.rtreeTerms.map { RTreeIndex(entity: entity, terms: $0) }
  }

  /// The name of the table.
  var name: String {
    let columns = terms.map { $0.column(in: TableNames.column(for: $0.property)) }.joined(separator: ",")
    return "_swiftdata_\(TableNames.table(ofClass: entity.name)).\(columns).rtree"
  }

  func lower(_ index: Int) -> String { "lower_\(index)" }
  func upper(_ index: Int) -> String { "upper_\(index)" }
}
