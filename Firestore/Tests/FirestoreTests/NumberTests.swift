import FirestoreProtocol
import Foundation
import Testing

@_spi(Wire) @testable import FirestoreServer

@Suite("Numbers from outside, B3") struct NumberTests {
  private static let documents = "/v1/projects/p/databases/(default)/documents"

  @Test(
    "A value that is not a number, or is out of bounds, is a 400 that names its field",
    arguments: ["9223372036854775808", "-9223372036854775808", "nan", "1e3", "x"])
  func query(_ number: String) async throws {
    let server = try FirestoreServer(store: nil, port: 0)
    let (code, body) = await server.answer("GET", "\(Self.documents)/c?pageSize=\(number)", Data())
    #expect(code == 400 && String(decoding: body, as: UTF8.self).contains("pageSize"))
    let aggregation =
      "{\"structuredAggregationQuery\": {\"structuredQuery\": {\"from\": [{\"collectionId\": \"c\"}]},"
      + "\"aggregations\": [{\"count\": {\"upTo\": \"\(number)\"}}]}}"
    let (status, answer) = await server.answer(
      "POST", "\(Self.documents):runAggregationQuery", Data(aggregation.utf8))
    #expect(status == 400 && String(decoding: answer, as: UTF8.self).contains("upTo"))
  }

  @Test("A number of an enumeration may be any", arguments: [Int.min, Int.max, -1, 0, 99])
  func enumeration(_ number: Int) async throws {
    let server = try FirestoreServer(store: nil, port: 0)
    let filter =
      "{\"structuredQuery\": {\"from\": [{\"collectionId\": \"c\"}], \"where\": {\"compositeFilter\":"
      + "{\"op\": \(number), \"filters\": []}}}}"
    let (status, body) = await server.answer("POST", "\(Self.documents):runQuery", Data(filter.utf8))
    #expect(status == 400, "\(String(decoding: body, as: UTF8.self))")
  }

  @Test(
    "Every date has a moment",
    arguments: [Double.nan, .infinity, -.infinity, 1e300, -1e300, 9.3e18, -9.3e18, 0, -0.5])
  func moments(_ seconds: Double) {
    let moment = FirestoreTimestamp(Date(timeIntervalSince1970: seconds))
    #expect(FirestoreTimestamp(moment.description) == moment)
  }

  @Test("Microseconds survive the way there and back", arguments: [-1_000_001, -1, 0, 1, 999_999, .max])
  func microseconds(_ number: Int64) {
    let moment = FirestoreTimestamp(microseconds: number)
    #expect(moment.microseconds == number)
    #expect((0..<1_000_000_000).contains(moment.nanoseconds))
    #expect(FirestoreTimestamp(seconds: .max, nanoseconds: 999_999_999).microseconds == .max)
    #expect(FirestoreTimestamp(seconds: .min).microseconds == .min)
    #expect(FirestoreTimestamp(microseconds: .min).seconds == Int64.min / 1_000_000 - 1)
  }
}
