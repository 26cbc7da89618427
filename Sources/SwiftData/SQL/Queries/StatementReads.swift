/// The tables and columns that lowered SQL reads.
///
/// Lowering records them while it writes the SQL. They decide whether unsaved changes affect a result, and which
/// changes refresh live results.
package struct StatementReads: Sendable {
  /// The columns of the selected rows, which have the alias `t0`.
  package private(set) var own: Set<String> = []
  /// The columns of other rows by table. A table without columns means that only the existence of a row counts. The
  /// table of the selected rows is included if a relationship leads back to it.
  package private(set) var related: [String: Set<String>] = [:]
  /// The join tables of many-to-many relationships.
  package private(set) var pairs: Set<String> = []
  /// The persisted properties, including those without a column, each once. A list, because a statement reads few.
  private(set) var properties: [ReadProperty] = []

  package init() {}

  package mutating func note(own column: String) { own.insert(column) }

  package mutating func note(table: String, column: String? = nil) {
    if let column { related[table, default: []].insert(column) } else { related[table, default: []].formUnion([]) }
  }

  package mutating func note(pairs table: String) { pairs.insert(table) }

  mutating func note(_ property: ReadProperty) {
    if !properties.contains(property) { properties.append(property) }
  }

  package mutating func formUnion(_ other: StatementReads) {
    own.formUnion(other.own)
    related.merge(other.related) { $0.union($1) }
    pairs.formUnion(other.pairs)
    for property in other.properties { note(property) }
  }

  package func union(_ other: StatementReads) -> StatementReads {
    var result = self
    result.formUnion(other)
    return result
  }
}

/// A persisted property that a statement reads.
struct ReadProperty: Equatable, Sendable {
  let property: __Property
  /// The class through which it is read.
  let entity: __Entity
  /// Whether it is a property of a selected row. Otherwise a relationship leads to it.
  let isOfRow: Bool

  static func == (left: Self, right: Self) -> Bool {
    left.property === right.property && left.entity === right.entity && left.isOfRow == right.isOfRow
  }
}
