/// A version of the models with its layout in one store.
package struct VersionLayout {
  package let schema: Schema
  package let layout: StoreLayout

  package init(schema: Schema, layout: StoreLayout) {
    self.schema = schema
    self.layout = layout
  }

  /// - Parameter keys: the keys of a store whose program encrypts columns.
  package init(_ schema: Schema, keys: (any ColumnKeys)? = nil) {
    let tables = EntityTable.tables(of: schema, store: { _ in 0 }, encryption: { _ in keys == nil ? nil : .program })
    self.init(schema: schema, layout: StoreLayout(tables: tables, keys: keys))
  }
}
