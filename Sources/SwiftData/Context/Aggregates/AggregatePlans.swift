import Foundation

/// A partial sum, in memory or from the cells of a statement. It is exact for integers and decimal numbers.
struct Summation<Number: AdditiveArithmetic & __ColumnValue> {
  private enum Total {
    /// Wide enough for the sum of 2^64 64-bit numbers.
    case integer(Int128)
    case real(Double)
    case decimal(Decimal)
  }

  private var total: Total
  private(set) var count: Int

  init() {
    count = 0
    switch Number.self {
    case is any FixedWidthInteger.Type: total = .integer(0)
    case is Decimal.Type: total = .decimal(0)
    default: total = .real(0)
    }
  }

  mutating func add(_ number: Number) {
    count += 1
    switch (total, number) {
    case (.integer(let sum), let number as any FixedWidthInteger): total = .integer(sum + Int128(number))
    case (.decimal(let sum), let number as Decimal): total = .decimal(sum + number)
    case (.real(let sum), let number as Double): total = .real(sum + number)
    case (.real(let sum), let number as Float): total = .real(sum + Double(number))
    default: break
    }
  }

  /// - Throws: ``SwiftDataError/unreadableValue`` if the type cannot hold the sum.
  func sum(as _: Number.Type, _ entity: __Entity) throws -> Number {
    switch total {
    case .integer(let sum):
      func exactly<I: FixedWidthInteger>(_: I.Type) -> Any? { I(exactly: sum) }
      if let type = Number.self as? any FixedWidthInteger.Type, let result = exactly(type) as? Number { return result }
      throw SwiftDataError(
        .unreadableValue, entity: entity.name,
        message: "the sum \(sum) does not fit \(Number.self); sum an #Expression of a greater type or a Double")
    // The casts cannot fail: init chose the case by type, and no other column types support addition.
    case .decimal(let sum): return sum as! Number
    case .real(let sum): return Number.self == Float.self ? Float(sum) as! Number : sum as! Number
    }
  }

  /// A Double for integers, else the number type. Nil without numbers.
  func average() -> Any? {
    guard count > 0 else { return nil }
    switch total {
    case .integer(let sum): return Double(sum) / Double(count)
    case .decimal(let sum): return sum / Decimal(count)
    case .real(let sum): return Number.self == Float.self ? Float(sum / Double(count)) : sum / Double(count)
    }
  }

  // MARK: - From cells

  static func plan<Value>(
    _ value: LoweredValue, _ state: LoweringState, _ finish: @escaping (Summation) throws -> Value
  ) throws -> AggregatePlan<Value> {
    let (entity, dialect) = (state.entity, state.dialect)
    let sums: (String) -> [String]
    switch value.scalar.type.form {
    case .integer: sums = { dialect.integerSums($0, isUnsigned: false) }
    case .unsigned: sums = { dialect.integerSums($0, isUnsigned: true) }
    case .real: sums = { dialect.realSums($0) }
    case .decimal: sums = { [dialect.decimalSum($0, of: value.scalar.type), "NULL"] }
    default:
      throw SwiftDataError(
        .unsupportedKeyPath, entity: entity.name, property: value.property?.property.name,
        message: "SQL cannot read the numbers in their stored form; add up the values of the fetched objects instead")
    }
    return AggregatePlan(
      inputs: [value.scalar.sql] + (value.failure.map { [$0] } ?? []),
      outputs: { names in ["count(\(names[0]))"] + sums(names[0]) + failureCount(names, dialect) },
      read: { cells in
        try checkFailures(cells, at: 3, entity, value)
        return try finish(Summation(cells, value.scalar.type.form))
      })
  }

  private init(_ cells: [SQLValue], _ form: ScalarType.Form) {
    self.init()
    if case .integer(let count) = cells[0] { self.count = Int(count) }
    switch (total, cells[1], cells[2]) {
    case (.integer, .integer(let high), .integer(let low)): total = .integer(Int128(high) << 32 + Int128(low))
    case (.decimal, .text(let text), _): total = .decimal(Decimal(stored: text) ?? .nan)
    case (.real, .real(let sum), .integer(0)): total = .real(sum)
    case (.real, .integer(let sum), .integer(0)): total = .real(Double(sum))
    // A NaN or both infinities, whose sum SQLite returns as NULL.
    case (.real, _, _) where count > 0: total = .real(.nan)
    default: break
    }
  }
}

/// A minimum or maximum.
enum Extreme {
  case minimum
  case maximum

  func plan<Bound: Comparable>(_ value: LoweredValue, _ state: LoweringState) throws -> AggregatePlan<Bound?> {
    let (entity, dialect) = (state.entity, state.dialect)
    let type = value.scalar.type
    let function = self == .minimum ? "min" : "max"
    var input = value.scalar.sql
    let extreme: (String) -> String
    var withoutNaN: ((String) -> String)?
    switch type.form {
    case .integer where type.isPlain, .uuid where type.isPlain: extreme = { "\(function)(\($0))" }
    case .text where type.isPlain:
      input = value.comparable
      extreme = { "\(function)(\($0))" }
    case .real where type.isPlain:
      extreme = { dialect.realExtreme(function, $0).all }
      if dialect.realExtreme(function, "").withoutNaN != nil {
        withoutNaN = { dialect.realExtreme(function, $0).withoutNaN! }
      }
    case .key, .opaque:
      throw SwiftDataError(
        .unsupportedKeyPath, entity: entity.name, property: value.property?.property.name,
        message: "the store does not know the order of a \(type.swiftType); compare the fetched objects instead")
    default:
      guard let less = ValueFunction.order(of: Bound.self, .lessThan, type, type, entity) else {
        preconditionFailure("a Comparable type has an order")
      }
      extreme = { "swift_\(function)imum(\(less.number), \($0))" }
    }
    return AggregatePlan(
      inputs: [input] + (value.failure.map { [$0] } ?? []),
      outputs: { names in [extreme(names[0])] + failureCount(names, dialect) },
      outputsWithoutNaN: withoutNaN.map { extreme in { names in [extreme(names[0])] + failureCount(names, dialect) } },
      read: { cells in
        try checkFailures(cells, at: 1, entity, value)
        guard cells[0] != .null else { return nil }
        return try type.value(of: cells[0], entity: entity, as: Bound.self)
      })
  }
}

/// The number of rows without a value, if there can be any.
private func failureCount(_ names: [String], _ dialect: any SQLDialect) -> [String] {
  names.count > 1 ? [dialect.count(where: names[1])] : []
}

private func checkFailures(_ cells: [SQLValue], at index: Int, _ entity: __Entity, _ value: LoweredValue) throws {
  guard index < cells.count, case .integer(let count) = cells[index], count > 0 else { return }
  throw LoweredValue.failure(entity, value.property?.property.name ?? "an expression", count: Int(count))
}
