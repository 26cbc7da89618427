extension StoreLayout {
  /// The full-text indices and R*Trees of the models.
  var derivedTables: [DerivedTable] {
    let hierarchies = Dictionary(grouping: tables, by: \.name).sorted { $0.key < $1.key }
    let search = hierarchies.compactMap { SearchIndex(table: $0.key, members: $0.value)?.derived }
    return search
      + tables.flatMap { table in
        RTreeIndex.declared(by: table.entity).map { $0.derived(family: table.hasDiscriminator ? table.family : nil) }
      }
  }

  /// The full-text index of a class hierarchy, or nil if it has no searchable text.
  package func searchIndex(of table: EntityTable) -> SearchIndex? {
    SearchIndex(table: table.name, members: tables.filter { $0.name == table.name })
  }
}
