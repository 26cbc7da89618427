/// A version of the models with its layout in one store.
package struct VersionLayout {
  package let schema: Schema
  package let layout: StoreLayout

  package init(schema: Schema, layout: StoreLayout) {
    self.schema = schema
    self.layout = layout
  }

  /// - Parameter coding: the part that encodes secret columns, or nil if the store has no key.
  package init(_ schema: Schema, coding: ColumnCoding? = nil) {
    let tables = EntityTable.tables(of: schema, store: { _ in 0 }, coding: { _ in coding })
    self.init(schema: schema, layout: StoreLayout(tables: tables))
  }
}
