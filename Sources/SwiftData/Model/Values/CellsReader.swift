import Foundation

/// Reads cells in memory as a row. A property's cell is at the property's index.
package final class CellsReader: __RowReader {
  private var cells: [SQLValue] = []

  /// A nil cell stands for a column that the row lacks.
  package convenience init(_ cells: [SQLValue?], entity: __Entity) {
    self.init(entity: entity)
    self.cells = cells.map { $0 ?? .null }
    columns = cells.indices.map { cells[$0] == nil ? -1 : Int32($0) }
  }

  package override func kind(_ column: Int32) -> __CellKind {
    switch cells[Int(column)] {
    case .null: .null
    case .integer: .integer
    case .real: .real
    case .text: .text
    case .blob: .blob
    }
  }

  package override func int64(_ column: Int32) -> Int64 {
    if case .integer(let value) = cells[Int(column)] { value } else { 0 }
  }

  package override func string(_ column: Int32) -> String {
    if case .text(let value) = cells[Int(column)] { value } else { "" }
  }

  package override func data(_ column: Int32) -> Data {
    if case .blob(let value) = cells[Int(column)] { value } else { Data() }
  }

  package override func double(_ column: Int32) -> Double {
    switch cells[Int(column)] {
    case .real(let value): value
    case .integer(let value): Double(value)
    case .null, .text, .blob: 0
    }
  }

}
