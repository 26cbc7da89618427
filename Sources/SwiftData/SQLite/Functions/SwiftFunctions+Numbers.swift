import Foundation

extension SwiftFunctions {
  static let numbers =
    [
      arithmetic("swift_add", .add), arithmetic("swift_subtract", .subtract), arithmetic("swift_multiply", .multiply),
      arithmetic("swift_divide", .divide), arithmetic("swift_remainder", .remainder),
    ] + [
      SwiftFunction("swift_negate", 2) { call in
        let type = ArithmeticType(name: call.text(1))
        let result = type?.negate(call.cell(0))
        if result == nil, case .decimal? = type, call.decimal(0) == nil { return }
        call.returns(result)
      },
      // The order of unsigned integers that are stored by bit pattern.
      SwiftFunction("swift_unsigned_key", 1) { call in call.returns(call.integer(0) ^ Int64.min) },
      SwiftFunction("swift_decimal_key", -1) { call in
        guard let value = call.decimal(0, of: call.place(at: 1)) else { return }
        call.returns(.blob(DecimalKey.bytes(value)))
      },
      SwiftFunction("swift_real", 1) { call in call.returns(Double(call.text(0)).map { .real($0) }) },
      SwiftFunction("swift_bytes", 1) { call in
        call.returns(Data(base64Encoded: call.text(0)).map { .blob($0) })
      },
    ]

  private static func arithmetic(_ name: String, _ operation: ArithmeticType.Operation) -> SwiftFunction {
    SwiftFunction(name, 3) { call in
      let type = ArithmeticType(name: call.text(2))
      let result = type?.apply(operation, call.cell(0), call.cell(1))
      // No result has two causes: Swift would trap, or a text is not a number.
      if result == nil, case .decimal? = type, call.decimal(0) == nil || call.decimal(1) == nil { return }
      call.returns(result)
    }
  }
}

/// Bytes that order like decimal numbers. NaN is first, as in Foundation.
enum DecimalKey {
  static func bytes(_ value: Decimal) -> Data {
    if value.isNaN { return Data([0]) }
    if value.isZero { return Data([2]) }
    // `description` is the shortest exact form: digits with at most one point and no exponent.
    let text = value.magnitude.description
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    let whole = parts[0].drop { $0 == "0" }
    let fraction = parts.count > 1 ? parts[1][...] : ""
    // The number is 0.DIGITS times ten to the power of the exponent.
    let exponent = whole.isEmpty ? -fraction.prefix { $0 == "0" }.count : whole.count
    var digits = Array((whole + fraction).drop { $0 == "0" }.utf8)
    while digits.last == UInt8(ascii: "0") { digits.removeLast() }
    let biased = UInt16(exponent + 1_000)
    let magnitude = [UInt8(biased >> 8), UInt8(truncatingIfNeeded: biased)] + digits
    // A negative number with greater magnitude is less, so all bytes are inverted. An end mark orders a prefix
    // correctly.
    return value.isSignMinus ? Data([1] + magnitude.map { ~$0 } + [0xFF]) : Data([3] + magnitude)
  }
}
