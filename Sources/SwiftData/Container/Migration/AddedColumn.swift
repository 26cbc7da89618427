import Foundation

/// A column that a table gains while its rows stay as they are.
///
/// SQLite adds a column in constant time. A row without its cell has the default of the column's declaration.
package struct AddedColumn {
  let column: LayoutRecord.Column
  /// The value of the present rows.
  let value: SQLValue

  /// The statement that adds the column to a table.
  func statement(for table: String) -> String {
    let standard = value == .null ? "" : " DEFAULT \(value.sqlLiteral ?? "NULL")"
    return "ALTER TABLE \(table.quotedIdentifier) ADD COLUMN \(column.definition)\(standard)"
  }

  /// The columns that a table gains, or nil if its rows must be copied.
  ///
  /// A table's columns keep the order of their declaration, which a recovery assumes if it finds no description of the
  /// table. New columns must therefore follow the old ones.
  static func columns(of plan: LayoutPlan.TablePlan, in layout: StoreLayout) -> [AddedColumn]? {
    guard let old = plan.old, old.name == plan.new.name, old.hasDiscriminator == plan.new.hasDiscriminator,
      Set(old.classes) == Set(plan.new.classes), plan.classes.allSatisfy({ $0.key == $0.value }),
      plan.new.columns.count > old.columns.count, plan.new.columns.starts(with: old.columns)
    else { return nil }
    let plans = Dictionary(plan.columns.map { ($0.column.name, $0) }) { first, _ in first }
    guard old.columns.allSatisfy({ plans[$0.name]?.isKept == true }) else { return nil }
    var result = [AddedColumn]()
    for column in plan.new.columns.dropFirst(old.columns.count) {
      guard plans[column.name]?.isNew == true, let value = value(of: column, in: plan.new.name, layout),
        !column.isRequired || value != .null
      else { return nil }
      result.append(AddedColumn(column: column, value: value))
    }
    return result
  }

  /// The value of a new column in every row: the default of the declaration. Nil if rows may differ or need a check.
  package static func value(of column: LayoutRecord.Column, in table: String, _ layout: StoreLayout) -> SQLValue? {
    guard column.family != .position else { return .null }
    var result = SQLValue.null
    for member in layout.tables where member.name == table {
      guard let property = member.stored.first(where: { TableNames.column(for: $0) == column.name }),
        property.entityName == member.entity.name
      else { continue }
      guard property.isAttribute else {
        guard property.isOptional else { return nil }
        continue
      }
      guard let value = (try? DefaultCell.constant(of: property, in: member.entity)) ?? nil,
        value != .null || property.isOptional
      else { return nil }
      // A subclass's property has no value in rows of other classes.
      guard value == .null || member.entity.superentity == nil, value.sqlLiteral != nil, !property.isSensitive else {
        return nil
      }
      result = value
    }
    return result
  }
}

extension SQLValue {
  /// The value as an SQL literal that every version of SQLite reads exactly, or nil if there is none or it is long.
  package var sqlLiteral: String? {
    switch self {
    case .null: return "NULL"
    case .integer(let value): return value == .min ? nil : String(value)
    case .real(let value):
      if value == 0, value.sign == .minus { return nil }
      if abs(value) < 0x1p49, value == value.rounded() { return String(format: "%.1f", value) }
      // The decimal digits of most fractions round.
      return abs(value) < 0x1p20 && value * 256 == (value * 256).rounded() ? String(format: "%.8f", value) : nil
    case .text(let text): return text.utf8.count > 200 || text.utf8.contains(0) ? nil : text.quotedLiteral
    case .blob(let data):
      return data.count > 200 ? nil : "X'" + data.map { String(format: "%02X", $0) }.joined() + "'"
    }
  }

  /// Reads such a literal. Nil for anything else, because a damaged file may contain any expression.
  package init?(sqlLiteral text: String) {
    if text == "NULL" {
      self = .null
    } else if let value = Int64(text) {
      self = .integer(value)
    } else if let value = Double(text) {
      self = .real(value)
    } else if let content = text.unquotedLiteral {
      self = .text(content)
    } else if text.hasPrefix("X'"), text.hasSuffix("'"), text.utf8.count.isMultiple(of: 2) == false {
      let digits = Array(text.utf8.dropFirst(2).dropLast())
      let bytes = stride(from: 0, to: digits.count, by: 2).map { place in
        UInt8(String(decoding: digits[place...place + 1], as: UTF8.self), radix: 16)
      }
      guard !bytes.contains(nil) else { return nil }
      self = .blob(Data(bytes.compactMap(\.self)))
    } else {
      return nil
    }
  }
}
