import Foundation
import Testing

@testable import FirestoreProtocol

@Suite("Firestore's values") struct ValueTests {
  @Test(
    "Times are read with any offset and up to nine digits, and written in UTC with 0, 3, 6 or 9",
    arguments: [
      ("1970-01-01T00:00:00Z", 0, 0, "1970-01-01T00:00:00Z"),
      ("1969-12-31T23:59:59.5Z", -1, 500_000_000, "1969-12-31T23:59:59.500Z"),
      ("2024-02-29T12:34:56.123456789Z", 1_709_210_096, 123_456_789, "2024-02-29T12:34:56.123456789Z"),
      ("2024-02-29T13:34:56.000001+01:00", 1_709_210_096, 1_000, "2024-02-29T12:34:56.000001Z"),
      ("0001-01-01T00:00:00Z", -62_135_596_800, 0, "0001-01-01T00:00:00Z"),
      ("9999-12-31T23:59:59Z", 253_402_300_799, 0, "9999-12-31T23:59:59Z"),
    ])
  func times(text: String, seconds: Int64, nanoseconds: Int32, written: String) throws {
    let time = try #require(FirestoreTimestamp(text))
    #expect(time == FirestoreTimestamp(seconds: seconds, nanoseconds: nanoseconds))
    #expect(time.description == written)
  }

  @Test(
    "What is no time is refused",
    arguments: [
      "", "2024-02-30T00:00:00Z", "2024-13-01T00:00:00Z", "2024-01-01T24:00:00Z", "2024-01-01 00:00:00Z",
      "2024-01-01T00:00:00",
    ])
  func noTime(text: String) { #expect(FirestoreTimestamp(text) == nil) }

  @Test("A date keeps its microseconds")
  func dates() {
    let time = FirestoreTimestamp(Date(timeIntervalSince1970: 1_700_000_000.25))
    #expect(time == FirestoreTimestamp(seconds: 1_700_000_000, nanoseconds: 250_000_000))
    #expect(time.date == Date(timeIntervalSince1970: 1_700_000_000.25))
    #expect(FirestoreTimestamp(Date(timeIntervalSince1970: -0.25)).nanoseconds == 750_000_000)
  }

  @Test(
    "Every type of value has the JSON of the REST API and comes back from it",
    arguments: [
      (FirestoreValue.null, #"{"nullValue":null}"#), (.boolean(true), #"{"booleanValue":true}"#),
      (.integer(.min), #"{"integerValue":"-9223372036854775808"}"#), (.double(1.5), #"{"doubleValue":1.5}"#),
      (.double(.infinity), #"{"doubleValue":"Infinity"}"#), (.double(-.infinity), #"{"doubleValue":"-Infinity"}"#),
      (.timestamp(.init(seconds: 1)), #"{"timestampValue":"1970-01-01T00:00:01Z"}"#),
      (.string("ä\u{0}🎥"), #"{"stringValue":"ä\u0000🎥"}"#), (.bytes(Data([0, 255])), #"{"bytesValue":"AP8="}"#),
      (.reference("projects/p"), #"{"referenceValue":"projects/p"}"#),
      (.geoPoint(latitude: 1, longitude: -2), #"{"geoPointValue":{"latitude":1,"longitude":-2}}"#),
      (.array([.null]), #"{"arrayValue":{"values":[{"nullValue":null}]}}"#),
      (.map(["a": .integer(1)]), #"{"mapValue":{"fields":{"a":{"integerValue":"1"}}}}"#),
    ])
  func json(value: FirestoreValue, text: String) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    #expect(String(decoding: try encoder.encode(value), as: UTF8.self) == text)
    #expect(try JSONDecoder().decode(FirestoreValue.self, from: Data(text.utf8)) == value)
  }

  @Test("What others write is read: numbers for integers, empty lists and maps left out, base64 for URLs, NaN")
  func lenient() throws {
    func read(_ text: String) throws -> FirestoreValue {
      try JSONDecoder().decode(FirestoreValue.self, from: Data(text.utf8))
    }
    #expect(try read(#"{"integerValue":7}"#) == .integer(7))
    #expect(try read(#"{"arrayValue":{}}"#) == .array([]))
    #expect(try read(#"{"mapValue":{}}"#) == .map([:]))
    #expect(try read(#"{"bytesValue":"-_8"}"#) == .bytes(Data([0xFB, 0xFF])))
    guard case .double(let number) = try read(#"{"doubleValue":"NaN"}"#) else { return #expect(Bool(false)) }
    #expect(number.isNaN)
    #expect(throws: DecodingError.self) { try read("{}") }
    #expect(throws: DecodingError.self) { try read(#"{"stringValue":"a","integerValue":"1"}"#) }
  }

  @Test(
    "Field paths quote what is no simple name, and are read back",
    arguments: [
      (["a"], "a"), (["a", "b_1"], "a.b_1"), (["a.b"], "`a.b`"), (["`", "\\"], "`\\``.`\\\\`"), (["1a"], "`1a`"),
      (["ä"], "`ä`"), (["`\u{301}.", "\\\u{301}"], "`\\`\u{301}.`.`\\\\\u{301}`"),
    ])
  func paths(segments: [String], text: String) throws {
    var path = FirestoreFieldPath("x")
    path.segments = segments
    #expect(path.description == text)
    #expect(FirestoreFieldPath(parsing: text) == path)
  }

  @Test("What is no field path is refused", arguments: ["", ".", "a.", ".a", "a..b", "`a", "``", "a-b", "a`b`"])
  func noPath(text: String) { #expect(FirestoreFieldPath(parsing: text) == nil) }
}
