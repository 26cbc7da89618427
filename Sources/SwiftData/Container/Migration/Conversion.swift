/// The conversion of a column's cells to another type.
package enum Conversion: Equatable {
  /// Every cell keeps its meaning.
  case same
  /// Every row must be decoded as the new type once, because not every cell may fit.
  case decoded
  /// No cell may satisfy the SQL condition, in which `column` stands for the cell.
  case unless(String, reason: String)
  /// The new type cannot represent the cells.
  case impossible

  package init(from old: LayoutRecord.Column, to new: LayoutRecord.Column) {
    self =
      switch (old.family, new.family) {
      case _ where old.valueType == new.valueType:
        // A struct with other parts has all earlier values if these can be decoded.
        old.family == new.family ? new.hasType(of: old) ? .same : .decoded : .impossible
      case (.integer, .integer): Self.isWidening(old.valueType, new.valueType) ? .same : .decoded
      case (.integer, .unsigned): .unless("column < 0", reason: "the value does not fit the new type")
      case (.unsigned, .integer): Self.narrowing(to: new.valueType)
      case (.integer, .real):
        .unless(
          "column NOT BETWEEN -9007199254740992 AND 9007199254740992", reason: "a Double cannot represent it exactly")
      case (.real, .real) where new.valueType == "Double": .same
      // A Double that is not exactly a Float is found when its row is decoded.
      case (.real, .real): .decoded
      case (_, .mixed): .same
      case (.mixed, _): .decoded
      case let (left, right) where left == right: .decoded
      default: .impossible
      }
  }

  /// The conversion from 64 unsigned bits. The stored bits of large numbers are negative, so that no row must be decoded.
  private static func narrowing(to type: String) -> Conversion {
    let reason = "the value does not fit the new type"
    if let width = widths[type] ?? unsignedWidths[type] {
      let limit = widths[type] == nil ? 1 << width - 1 : Int64.max >> (64 - width)
      return .unless("(column < 0 OR column > \(limit))", reason: reason)
    }
    return .impossible
  }

  private static let widths = ["Int8": 8, "Int16": 16, "Int32": 32, "Int64": 64, "Int": 64]
  private static let unsignedWidths = ["UInt8": 8, "UInt16": 16, "UInt32": 32]

  private static func isWidening(_ old: String, _ new: String) -> Bool {
    guard let target = widths[new] ?? unsignedWidths[new] else { return false }
    if let source = widths[old] { return widths[new] != nil && source <= target }
    guard let source = unsignedWidths[old] else { return false }
    return widths[new] != nil ? source < target : source <= target
  }
}
