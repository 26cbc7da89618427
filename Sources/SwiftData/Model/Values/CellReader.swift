import Foundation

/// Decodes a property's value from one cell, without a row or a model.
package final class CellReader: __RowReader {
  private var cell = SQLValue.null

  /// The value, or nil if the cell is NULL or does not fit the property.
  package static func value(of property: __Property, in entity: __Entity, _ cell: SQLValue) -> Any? {
    guard case .attribute(_, let encoding) = property.kind, cell != .null else { return nil }
    let reader = CellReader(entity: entity)
    reader.cell = cell
    let bare = property.bareType
    switch encoding {
    case .direct: return ValueTypes.column(bare).flatMap { reader.read($0, property) }
    case .rawValue: return (bare as? any RawRepresentable.Type).flatMap { reader.readRaw($0, property) }
    case .json:
      guard case .text(let json) = cell, let type = bare as? any Decodable.Type else { return nil }
      return try? JSONCoding.decode(type, from: Data(json.utf8))
    case .transformed:
      guard case .blob(let data) = cell else { return nil }
      return try? property.reverseTransform(data, in: entity)
    }
  }

  private func read<V: __ColumnValue>(_: V.Type, _ property: __Property) -> Any? {
    try? V.__read(from: self, column: 0, index: property.index)
  }

  private func readRaw<V: RawRepresentable>(_: V.Type, _ property: __Property) -> Any? {
    guard let type = V.RawValue.self as? any __ColumnValue.Type else { return nil }
    return (read(type, property) as? V.RawValue).flatMap(V.init(rawValue:))
  }

  // MARK: - Cells

  public override func kind(_ column: Int32) -> __CellKind {
    switch cell {
    case .null: .null
    case .integer: .integer
    case .real: .real
    case .text: .text
    case .blob: .blob
    }
  }
  public override func int64(_ column: Int32) -> Int64 { if case .integer(let value) = cell { value } else { 0 } }
  public override func double(_ column: Int32) -> Double {
    switch cell {
    case .real(let value): value
    case .integer(let value): Double(value)
    default: 0
    }
  }
  public override func string(_ column: Int32) -> String { if case .text(let value) = cell { value } else { "" } }
  public override func data(_ column: Int32) -> Data { if case .blob(let value) = cell { value } else { Data() } }
  public override func externalData(_ reference: String) throws -> Data {
    throw SwiftDataError(.io, message: "the object was deleted with its external data; read the value before that")
  }
}
