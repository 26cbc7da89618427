/// The tables and columns that lowered SQL reads.
///
/// Lowering records them as it writes the SQL. They decide whether unsaved changes are laid over a result, and which
/// changes refresh live results.
package struct StatementReads: Hashable, Sendable {
  /// The columns of the selected rows themselves, which have the alias `t0`.
  package private(set) var own: Set<String> = []
  /// The columns of other rows by table. A table is here, though without columns, where only the existence of a row
  /// counts. The table of the selected rows is here too where a relationship leads back to it.
  package private(set) var related: [String: Set<String>] = [:]
  /// The join tables of many-to-many relationships.
  package private(set) var pairs: Set<String> = []

  package init() {}

  package mutating func note(own column: String) { own.insert(column) }

  package mutating func note(table: String, column: String? = nil) {
    if let column { related[table, default: []].insert(column) } else { related[table, default: []].formUnion([]) }
  }

  package mutating func note(pairs table: String) { pairs.insert(table) }

  package mutating func formUnion(_ other: StatementReads) {
    own.formUnion(other.own)
    related.merge(other.related) { $0.union($1) }
    pairs.formUnion(other.pairs)
  }

  package func union(_ other: StatementReads) -> StatementReads {
    var result = self
    result.formUnion(other)
    return result
  }
}
