import Foundation
import Testing
import UntrustedInput

/// What an expression is for which no operator was found.
private struct NoOperator {}

// The compiler prefers every other operator to these. If `Untrusted` gets arithmetic, the expressions below get another type.
@_disfavoredOverload private func + <Left, Right>(_: Left, _: Right) -> NoOperator { NoOperator() }
@_disfavoredOverload private func - <Left, Right>(_: Left, _: Right) -> NoOperator { NoOperator() }
@_disfavoredOverload private func * <Left, Right>(_: Left, _: Right) -> NoOperator { NoOperator() }
@_disfavoredOverload private func / <Left, Right>(_: Left, _: Right) -> NoOperator { NoOperator() }
@_disfavoredOverload private func % <Left, Right>(_: Left, _: Right) -> NoOperator { NoOperator() }
@_disfavoredOverload private prefix func - <Value>(_: Value) -> NoOperator { NoOperator() }
@_disfavoredOverload private func abs<Value>(_: Value) -> NoOperator { NoOperator() }

@Suite("Numbers from outside")
struct UntrustedTests {
  private let least = Untrusted(Int64.min)
  private let greatest = Untrusted(Int64.max)

  @Test("have no arithmetic: an expression with an unchecked number does not compile")
  func operators() {
    let (number, real) = (Untrusted<Int64>(5), UntrustedDouble(5))
    let results: [Any] = [
      number + number, number - number, number * number, number / number, number % number, -number, abs(number),
      real + real, real - real, real * real, real / real, -real, abs(real),
    ]
    #expect(results.allSatisfy { $0 is NoOperator })
    // The same expressions with a plain number find operators.
    #expect(!((Int64(5) + Int64(5)) as Any is NoOperator))
    #expect(!(abs(Int64(5)) as Any is NoOperator))
  }

  @Test("conform to no protocol with arithmetic")
  func protocols() {
    #expect(!(Untrusted<Int64>.self is any AdditiveArithmetic.Type))
    #expect(!(Untrusted<Int64>.self is any Strideable.Type))
    #expect(!(UntrustedDouble.self is any AdditiveArithmetic.Type))
    #expect(!(UntrustedDouble.self is any Strideable.Type))
  }

  @Test("become plain numbers within bounds, and name the field outside of them")
  func bounds() throws {
    #expect(try Untrusted<Int64>(5).inRange(0...5, field: "offset") == 5)
    #expect(Untrusted<Int64>(5).value(in: 0...4) == nil)
    #expect(greatest.clamped(to: 0...4) == 4)
    #expect(least.clamped(to: 0...4) == 0)
    let error = #expect(throws: UntrustedInputError.self) { try greatest.inRange(0...4, field: "offset") }
    #expect(error?.field == "offset")
    #expect(error?.description == "`offset` is 9223372036854775807. Use a number from 0 to 4.")
  }

  @Test("overflow with an error that names the field")
  func checked() throws {
    let number = try Untrusted<Int64>(5).adding(2, field: "n").subtracting(1, field: "n").multiplying(by: 3, field: "n")
    #expect(number == 18)
    #expect(throws: UntrustedInputError.self) { try greatest.adding(1, field: "n") }
    #expect(throws: UntrustedInputError.self) { try least.subtracting(1, field: "n") }
    #expect(throws: UntrustedInputError.self) { try least.multiplying(by: -1, field: "n") }
  }

  @Test("saturate at the least and the greatest number")
  func saturating() {
    #expect(greatest.addingSaturating(1) == greatest)
    #expect(least.addingSaturating(-1) == least)
    #expect(least.subtractingSaturating(1) == least)
    #expect(greatest.subtractingSaturating(-1) == greatest)
    #expect(least.multiplyingSaturating(by: -1) == greatest)
    #expect(least.multiplyingSaturating(by: 2) == least)
    #expect(greatest.multiplyingSaturating(by: -2) == least)
    #expect(Untrusted<UInt8>(3).subtractingSaturating(4) == 0)
    #expect(Untrusted<UInt8>(200).multiplyingSaturating(by: 2) == 255)
    #expect(Untrusted<Int64>(3).addingSaturating(-4) == -1)
  }

  @Test(
    "are read from text that fits, and refuse other text with the name of the field", arguments: ["", "x", "1e3", "1 "])
  func text(_ text: String) throws {
    #expect(try Untrusted<Int64>(text: "-9223372036854775808", field: "after") == least)
    let error = #expect(throws: UntrustedInputError.self) { try Untrusted<Int64>(text: text, field: "after") }
    #expect(error?.description.hasPrefix("`after` is \"\(text)\".") == true)
    #expect(throws: UntrustedInputError.self) { try Untrusted<Int64>(text: "9223372036854775808", field: "after") }
  }

  @Test("that are NaN or infinite are within no bounds")
  func doubles() throws {
    for number in [Double.nan, .infinity, -.infinity, 1e308] {
      #expect(UntrustedDouble(number).value(in: 0...60) == nil)
      #expect(throws: UntrustedInputError.self) { try UntrustedDouble(number).inRange(0...60, field: "seconds") }
    }
    #expect(UntrustedDouble(.nan).clamped(to: 1...60) == 1)
    #expect(UntrustedDouble(.infinity).clamped(to: 1...60) == 60)
    #expect(UntrustedDouble(-.infinity).clamped(to: 1...60) == 1)
    #expect(try UntrustedDouble(text: "2.5", field: "seconds").inRange(0...60, field: "seconds") == 2.5)
    #expect(try UntrustedDouble(text: "nan", field: "seconds").value(in: 0...60) == nil)
    #expect(throws: UntrustedInputError.self) { try UntrustedDouble(text: "", field: "seconds") }
  }

  @Test("are encoded as plain numbers")
  func coding() throws {
    let message: [String: Untrusted<Int64>] = ["latest": greatest]
    let bytes = try JSONEncoder().encode(message)
    #expect(String(decoding: bytes, as: UTF8.self) == #"{"latest":9223372036854775807}"#)
    #expect(try JSONDecoder().decode([String: Untrusted<Int64>].self, from: bytes) == message)
    #expect(try JSONDecoder().decode([UntrustedDouble].self, from: Data("[2.5]".utf8)) == [2.5])
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode([Untrusted<Int64>].self, from: Data("[9223372036854775808]".utf8))
    }
  }

  @Test("are ordered")
  func order() { #expect([greatest, least, 0].sorted() == [least, 0, greatest]) }
}
