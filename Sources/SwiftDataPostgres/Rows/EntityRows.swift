import Foundation
import SwiftData

/// The mapping between a class and its rows.
// @unchecked Sendable because it is immutable.
final class EntityRows: @unchecked Sendable {
  /// The column with text that the server's columns cannot hold unchanged.
  static let ownColumns = ["_given"]

  let table: EntityTable
  /// The columns with the words of searchable texts, or nil.
  let search: SearchColumns?
  /// The columns of a selected row that have a codec.
  let coded: [(place: Int32, property: String, codec: ColumnCodec)]
  /// The select list of rows that become objects.
  let selection: String
  /// The index of each column in a selected row.
  let places: [String: Int32]
  /// The index of `_given` in such a row, after the columns of the properties.
  let givenColumn: Int32

  init(_ table: EntityTable, layout: StoreLayout) {
    self.table = table
    selection = Self.ownColumns.reduce(table.select()) { "\($0), t0.\($1.quotedIdentifier)" }
    search = SearchColumns(table, layout)
    let record = layout.record.table(named: table.name)
    let first: Int32 = table.hasDiscriminator ? 2 : 1
    places = Dictionary(uniqueKeysWithValues: table.columns.enumerated().map { ($1, first + Int32($0)) })
    coded = table.columns.enumerated().compactMap { place, name in
      guard let column = record?.column(named: name), let codec = layout.codec(of: column, in: table.name) else {
        return nil
      }
      return (first + Int32(place), column.propertyName, codec)
    }
    givenColumn = first + Int32(table.columns.count)
  }
}
