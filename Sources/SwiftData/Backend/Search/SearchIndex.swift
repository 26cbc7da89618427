import Foundation

/// The full-text index of a class hierarchy, over its `.spotlight` attributes.
///
/// It is an FTS5 table without a copy of the texts. Triggers maintain it in the transactions that change rows. A view
/// supplies the texts in indexed form.
package struct SearchIndex: Sendable {
  package struct Column: Sendable {
    /// The column of the hierarchy's table.
    package let source: String
    let property: String

    /// The column of the index. The suffix avoids names that FTS5 reserves.
    var name: String { source + "_text" }

    /// The SQL of the indexed text of a row.
    func value(of row: String = "") -> String { "swift_search_text(\(row)\(source.quotedIdentifier))" }
  }

  /// The table of the hierarchy.
  package let table: String
  package let columns: [Column]

  /// The name of the FTS5 table.
  var name: String { "_swiftdata_\(table).search" }

  /// Returns nil if no class of the hierarchy has a searchable attribute.
  init?(table: String, members: [EntityTable]) {
    self.table = table
    var columns = [Column]()
    for property in members.flatMap(\.stored).filter(Self.isSearchable) {
      let source = TableNames.column(for: property)
      guard !columns.contains(where: { $0.source == source }) else { continue }
      columns.append(Column(source: source, property: property.name))
    }
    if columns.isEmpty { return nil }
    self.columns = columns
  }

  /// Whether a property's text is indexed: it has `.spotlight`, and its column stores plain text.
  package static func isSearchable(_ property: __Property) -> Bool {
    property.isStored && property.attribute?.options.contains(.spotlight) == true
      && ScalarType(of: property).form == .text
  }

  /// The cells of an unsaved object's searchable columns.
  func cells(of object: any PersistentModel) -> [SQLValue] {
    let properties = type(of: object).__entity.properties.filter(Self.isSearchable)
    return columns.map { column in
      guard let property = properties.first(where: { TableNames.column(for: $0) == column.source }) else {
        return .null
      }
      object.__loadIfNeeded(property.index)
      guard case .text(let text) = ValueWriter.values(of: object, [property]).first else { return .null }
      return .text(SearchText.indexed(text))
    }
  }
}
