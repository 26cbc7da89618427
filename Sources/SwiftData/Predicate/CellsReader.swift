import Foundation

/// Cells in memory as a row; the cell of a property stands at the property's index.
final class CellsReader: __RowReader {
  private var cells: [SQLValue] = []

  /// A nil cell is a column that the row lacks.
  convenience init(_ cells: [SQLValue?], entity: __Entity) {
    self.init(entity: entity)
    self.cells = cells.map { $0 ?? .null }
    columns = cells.indices.map { cells[$0] == nil ? -1 : Int32($0) }
  }

  override func kind(_ column: Int32) -> __CellKind {
    switch cells[Int(column)] {
    case .null: .null
    case .integer: .integer
    case .real: .real
    case .text: .text
    case .blob: .blob
    }
  }

  override func int64(_ column: Int32) -> Int64 {
    if case .integer(let value) = cells[Int(column)] { value } else { 0 }
  }

  override func string(_ column: Int32) -> String {
    if case .text(let value) = cells[Int(column)] { value } else { "" }
  }

  override func data(_ column: Int32) -> Data {
    if case .blob(let value) = cells[Int(column)] { value } else { Data() }
  }

  override func double(_ column: Int32) -> Double {
    switch cells[Int(column)] {
    case .real(let value): value
    case .integer(let value): Double(value)
    case .null, .text, .blob: 0
    }
  }

}
