/// A version of the models with its layout in one store.
package struct VersionLayout {
  package let schema: Schema
  package let layout: StoreLayout

  package init(schema: Schema, layout: StoreLayout) {
    self.schema = schema
    self.layout = layout
  }

  init(_ schema: Schema) {
    self.init(schema: schema, layout: StoreLayout(tables: EntityTable.tables(of: schema) { _ in 0 }))
  }
}
