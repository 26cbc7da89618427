import Foundation
import SwiftData

/// How the rows of a class are read and written.
// @unchecked Sendable because it is immutable.
final class EntityRows: @unchecked Sendable {
  let table: EntityTable
  /// Where the words of searchable texts are; nil if there are none.
  let search: SearchColumns?
  /// Columns whose cells have values of several types.
  private let mixed: Set<String>
  /// Where each column is in a row that the engine selects.
  let places: [String: Int32]
  var mixedPlaces: Set<Int32> { Set(mixed.compactMap { places[$0] }) }
  /// Where `_given` is in such a row: behind the columns of the properties.
  let givenColumn: Int32

  init(_ table: EntityTable, layout: StoreLayout) {
    self.table = table
    search = SearchColumns(table, layout)
    let record = layout.record.table(named: table.name)
    mixed = Set(record?.columns.filter { $0.family == .mixed }.map(\.name) ?? [])
    let first: Int32 = table.hasDiscriminator ? 2 : 1
    places = Dictionary(uniqueKeysWithValues: table.columns.enumerated().map { ($1, first + Int32($0)) })
    givenColumn = first + Int32(table.columns.count)
  }

  // MARK: - Writing

  /// The cells of an object's properties, in order, and its `_given`.
  func cells(
    of contents: SnapshotContents, _ properties: [__Property], key: (PersistentIdentifier) -> Int64?
  ) throws -> (cells: [SQLValue], given: SQLValue) {
    var given = [String: String]()
    let cells = try properties.map { property -> SQLValue in
      let column = TableNames.column(for: property)
      switch contents[property] {
      case .toOne(let target): return target.flatMap(key).map { .integer($0) } ?? .null
      case .value(let value):
        let cell = try ServerCell(of: value, property)
        if mixed.contains(column) { return cell.mixed }
        if let text = cell.given { given[column] = text }
        return cell.value
      case .toMany, nil:
        // Of a snapshot that somebody else decoded from an older form.
        let value = property.isAttribute ? property.defaultValue : nil
        return try ServerCell(of: value, property).value
      }
    }
    return (cells, ServerCell.encode(given: given))
  }
}

extension EntityRows {
  /// The columns of words beside those of some properties.
  func wordColumns(_ properties: [__Property]) -> [SearchColumns.Column] {
    guard let search else { return [] }
    let names = Set(properties.map { TableNames.column(for: $0) })
    return search.columns.filter { names.contains($0.source) }
  }

  /// The words of the texts in the cells of some properties.
  func words(_ properties: [__Property], _ cells: [SQLValue]) throws -> [SQLValue] {
    let columns = wordColumns(properties)
    if columns.isEmpty { return [] }
    let names = properties.map { TableNames.column(for: $0) }
    let texts = columns.map { column -> String? in
      guard let place = names.firstIndex(of: column.source), case .text(let text) = cells[place] else { return nil }
      return text
    }
    return try SearchColumns.cells(of: texts)
  }
}
