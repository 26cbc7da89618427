import FirestoreProtocol
import Foundation
import Testing

@testable import Sorted

@Suite("Numbers of servers and archives, B4") struct ForeignNumberTests {
  @Test("Every moment has microseconds, and every number of microseconds is a moment")
  func moments() {
    for number in [Int64(-1_000_001), -1, 0, 1, 1_000_000, .max] {
      #expect(ServerTime.microseconds(ServerTime.timestamp(number)) == number)
    }
    #expect(ServerTime.microseconds(FirestoreTimestamp(seconds: .max, nanoseconds: 999_999_999)) == .max)
    #expect(ServerTime.microseconds(FirestoreTimestamp(seconds: .min)) == .min)
    #expect(ServerTime.timestamp(.min).seconds == Int64.min / 1_000_000 - 1)
    for seconds in [Double.nan, .infinity, -.infinity, 1e300, -1e300] {
      _ = ServerTime.value(Date(timeIntervalSince1970: seconds))
    }
  }

  @Test("A remote that asks for bytes outside of a file gets an error", arguments: [Int64.min, -1, 4, .max])
  func offsets(_ offset: Int64) throws {
    let url = FileManager.default.temporaryDirectory.appendingPathComponent("offsets-\(UUID().uuidString)")
    try Data("abc".utf8).write(to: url)
    defer { try? FileManager.default.removeItem(at: url) }
    let file = try LocalFile(url.path)
    #expect(throws: AttachmentUploadError.self) { try file.bytes(from: offset, count: 2) }
    #expect(try file.bytes(from: 2, count: 2) == Data("c".utf8))
    #expect(try file.bytes(from: 3, count: 2).isEmpty)
  }

  @Test(
    "A line of an annotated thread that no log has is refused with its place",
    arguments: ["9223372036854775807", "-9223372036854775808", "-1", "99999999999999999999"])
  func threads(_ number: String) throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("threads-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try Data("[09:30] <ann> hi\n".utf8).write(to: folder.appendingPathComponent("2008-04-27.raw.txt"))
    try Data("2008-04-27:0 \(number)\n".utf8).write(to: folder.appendingPathComponent("a.clusters.txt"))
    #expect(throws: DataLayerError.self) { try IRCReader(path: folder, withThreads: true) }
  }

  @Test(
    "A day of a search that no calendar has is refused",
    arguments: [
      "9223372036854775807-1-1", "2026-9223372036854775807-1", "2026-1--9223372036854775808", "2026-1-1-1", "-", "x-1",
      "2026-99-99", "0-1-1",
    ])
  func days(_ day: String) {
    #expect(throws: DataLayerError.self) { try MessageQuery("before:\(day)") }
  }
}
