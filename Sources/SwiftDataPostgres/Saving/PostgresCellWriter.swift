import Foundation
import SwiftData

/// Writes the properties of models as rows in the server's binary format.
final class PostgresCellWriter: __ColumnWriter {
  let layout: RowLayout
  let rows: RowBuffer
  private let cells: CellBuffer
  /// Writes only the properties' cells, with equal bytes for equal numbers.
  private let isForComparing: Bool

  // Unchecked, because writing a cell accesses no other state of the writer.
  @exclusivity(unchecked) private var form = RowLayout.Form.plain
  @exclusivity(unchecked) private var place = 0
  /// Whether a cell was NULL since this was reset.
  @exclusivity(unchecked) var hasNull = false
  /// A property of the row whose value is too large for a statement, with its size.
  private var oversized: (property: String, size: Int)?
  /// The error of a value of the row that the column's codec could not encode.
  private var failure: (any Error)?
  /// The row's texts with another stored form, by column.
  private var given: [String: String] = [:]
  /// The texts whose words are part of the row, by the places of their properties.
  private var texts: [Int: String] = [:]

  init(_ layout: RowLayout) {
    (self.layout, isForComparing) = (layout, false)
    rows = RowBuffer(layout.all)
    cells = rows.cells
  }

  /// Makes a writer of rows with the properties and a number.
  init(comparing layout: RowLayout, number: String) {
    (self.layout, isForComparing) = (layout, true)
    rows = RowBuffer(layout.columns.map { ($0.name, $0.type) } + [(number, .bigint)])
    cells = rows.cells
  }

  /// Appends the row of an object.
  /// - Throws: `SwiftDataError.unwritableValue`.
  func append(_ object: any PersistentModel) throws {
    let start = cells.count
    rows.beginRow()
    cells.appendCell(object.__state.key)
    if let entity = layout.entity { cells.appendCell(.text(entity), .text) }
    try encode(object)
    if let failure { throw failure }
    if given.isEmpty {
      cells.appendNull()
    } else {
      cells.appendCell(ServerCell.encode(given: given), .jsonb)
      given.removeAll(keepingCapacity: true)
    }
    try checkSize(cells.count - start, of: object)
    guard !layout.words.isEmpty else { return }
    for words in try SearchColumns.cells(of: layout.sources.map { texts[$0] }) { cells.appendCell(words, .tsvector) }
    texts.removeAll(keepingCapacity: true)
  }

  /// Refuses what no statement can contain, before anything is sent.
  private func checkSize(_ size: Int, of object: any PersistentModel) throws {
    let limit = PostgresStatement.sizeLimit
    guard oversized != nil || size > limit else { return }
    throw SwiftDataError(
      .unwritableValue, entity: type(of: object).__entity.name, property: oversized?.property,
      message: (oversized.map { "the value has \($0.size) bytes" }
        ?? "the values of a model have \(size) bytes together")
        + ", and PostgreSQL takes \(limit) in a row; divide it among several models")
  }

  /// Appends NULL instead of a value that is too large, which ``checkSize(_:of:)`` reports.
  private func isTooLarge(_ size: Int) -> Bool {
    guard size > PostgresStatement.sizeLimit else { return false }
    oversized = (layout.properties[place].name, size)
    cells.appendNull()
    return true
  }

  /// Appends the cells of an object's properties to the current row.
  func encode(_ object: any PersistentModel) throws {
    for index in layout.properties.indices {
      let property = layout.properties[index]
      (current, form, place) = (property, layout.forms[index], index)
      try object.__encode(property.index, to: self)
    }
  }

  // MARK: - Cells

  override func null() {
    hasNull = true
    cells.appendNull()
  }

  override func integer(_ value: Int64) {
    if form == .coded { appendOther(.integer(value)) } else { cells.appendCell(value) }
  }

  override func real(_ value: Double) {
    if form == .coded { return appendOther(.real(value)) }
    // Zero and negative zero are equal.
    cells.appendCell(isForComparing && value == 0 ? 0 : value)
  }

  override func text(_ value: String) {
    if isTooLarge(value.utf8.count) { return }
    switch form {
    case .text, .searched:
      var value = value
      let isPlain = value.withUTF8 { bytes in
        guard StoredText.isPlain(bytes) else { return false }
        cells.appendCell(UnsafeRawBufferPointer(bytes))
        return true
      }
      guard isPlain else { return appendOther(.text(value)) }
      if form == .searched { texts[place] = value }
    case .json:
      var value = value
      let isPlain = value.withUTF8 { bytes in
        guard StoredText.isKept(json: bytes), SwiftText.isSurelyNFC(bytes) else { return false }
        cells.appendCell(UnsafeRawBufferPointer(bytes), version: 1)
        return true
      }
      if !isPlain { appendOther(.text(value)) }
    case .real:
      // NaN, which equals nothing.
      hasNull = true
      appendOther(.text(value))
    case .plain, .coded: appendOther(.text(value))
    }
  }

  override func blob(_ value: Data) {
    if isTooLarge(value.count) { return }
    if form == .coded { return appendOther(.blob(value)) }
    value.withUnsafeBytes { cells.appendCell($0) }
  }

  override func uuid(_ value: UUID) {
    if form == .coded { return appendOther(.blob(withUnsafeBytes(of: value.uuid) { Data($0) })) }
    withUnsafeBytes(of: value.uuid) { cells.appendCell($0) }
  }

  /// Appends a value with another stored form.
  private func appendOther(_ value: SQLValue) {
    let column = layout.columns[place]
    if let codec = column.codec {
      do {
        cells.appendCell(try codec.encode(value), column.type)
      } catch {
        failure = error
        cells.appendNull()
      }
      return
    }
    let cell = ServerCell(value, column.family)
    if let text = cell.given { given[column.name] = text }
    if form == .searched, case .text(let text) = cell.value { texts[place] = text }
    cells.appendCell(cell.value, column.type)
  }
}
