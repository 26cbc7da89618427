import Foundation
import PostgresServers
import SwiftDataTesting
import Testing

@Suite("The table of guarantees") struct StoreReportTests {
  private static let document = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("Documentation/stores.md")
  private static let (start, end) = ("<!-- conformance: `make conformance` writes this -->\n", "\n<!-- end -->")

  /// `make conformance` prints the table and writes it into the documentation.
  private static var isWriting: Bool { ProcessInfo.processInfo.environment["WRITE_CONFORMANCE"] != nil }

  @Test("stands in the documentation as it is")
  func table() throws {
    let poolers =
      Subjects.serverURL != nil && PrivatePooler.isInstalled
      ? try ["session", "transaction"].map { ($0, try PrivatePooler($0)) } : []
    defer { for (_, pooler) in poolers { pooler.stop() } }
    let report = StoreReport(
      Subjects.all + poolers.map { Subjects.server("PgBouncer, pool_mode \($0)", $1.url) })
    #expect(report.failures.isEmpty, "\(report.failures.joined(separator: "\n\n"))")
    let text = try String(contentsOf: Self.document, encoding: .utf8)
    let first = try #require(text.range(of: Self.start), "the document has no place for the table")
    let last = try #require(text.range(of: Self.end), "the document has no place for the table")
    guard Self.isWriting else {
      // The last columns are not checked if there is no server or no pooler.
      let columns = report.subjects.count + 1
      let written = text[first.upperBound..<last.lowerBound].split(separator: "\n").map { line in
        // Two vertical bars are the operator.
        let cells = line.replacing("||", with: "\u{0}").split(separator: "|")
        return "|\(cells.prefix(columns).joined(separator: "|"))|".replacing("\u{0}", with: "||")
      }
      #expect(written.joined(separator: "\n") == report.markdown, "run `make conformance`")
      return
    }
    try #require(!poolers.isEmpty, "the table has columns for PostgreSQL and PgBouncer; run `make conformance`")
    print(report.markdown)
    let new = text[..<first.upperBound] + report.markdown + text[last.lowerBound...]
    try String(new).write(to: Self.document, atomically: true, encoding: .utf8)
  }

  @Test("says what a store fails, with the reason")
  func failures() throws {
    let forgetful = StoreUnderTest("Forgetful", features: [.persistence]) { schema, _ in
      JSONStoreConfiguration(
        name: "forgetful", schema: schema,
        file: FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).json"))
    }
    let guarantee = try #require(StoreGuarantee.all.first { $0.id == "saves.reopened" })
    guard case .failed(let reason) = guarantee.outcome(for: forgetful) else {
      Issue.record("a store that forgets passes")
      return
    }
    #expect(reason.contains("is 0, not 1"))
    #expect(throws: GuaranteeFailure.self) { try guarantee.verify(forgetful) }
    let unique = try #require(StoreGuarantee.all.first { $0.id == "identities.upsert" })
    #expect(unique.outcome(for: forgetful) == .notOffered)
  }
}
