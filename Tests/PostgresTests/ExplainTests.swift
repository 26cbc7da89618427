import Foundation
import SwiftData
import SwiftDataPostgres
import Testing

private enum ExplainModels {
  @Model final class Letter {
    #Index<Letter>([\.sender, \.sent])
    var sender: String
    var sent: Date
    var weight: Int
    var text: String
    var box: Box?
    init(_ number: Int) {
      sender = "s\(number % 7)"
      sent = Date(timeIntervalSinceReferenceDate: Double(number))
      weight = number % 100
      text = "text \(number)"
    }
  }
  @Model final class Box {
    var name: String
    @Relationship(inverse: \Letter.box) var letters: [Letter] = []
    init(_ name: String) { self.name = name }
  }
}
private typealias Letter = ExplainModels.Letter

@Suite("Explaining fetches from PostgreSQL", .enabled(if: PostgresServer.isThere, PostgresServer.reason))
struct PostgresExplainTests {
  private let store = TestStore()

  private func filled(_ count: Int) throws -> ModelContext {
    let context = ModelContext(try store.open(Letter.self, ExplainModels.Box.self))
    for number in 0..<count { context.insert(Letter(number)) }
    try context.save()
    try store.sql("ANALYZE \"Letter\"")
    return context
  }

  @Test("shows the statement, its values, and the index that is used")
  func used() throws {
    let context = try filled(3_000)
    var page = FetchDescriptor<Letter>(
      predicate: #Predicate { $0.sender == "s3" }, sortBy: [SortDescriptor(\.sent, order: .reverse)])
    page.fetchLimit = 20
    let explanation = try context.explain(page)
    #expect(explanation.sql.contains("?") && explanation.sql.contains("LIMIT ?"))
    #expect(explanation.bindings == [.text("s3"), .integer(20)])
    #expect(explanation.plan.first?.depth == 0)
    #expect(explanation.plan.contains { $0.detail.contains("Letter#sender,sent#index") })
    #expect(explanation.findings.isEmpty)
  }

  @Test("names the index that would help")
  func missing() throws {
    let context = try filled(3_000)
    let heavy = FetchDescriptor<Letter>(predicate: #Predicate { $0.weight == 42 })
    let finding = try #require(try context.explain(heavy).findings.first)
    #expect(finding.index == ["weight"])
    #expect(finding.description.contains("#Index<Letter>([\\.weight])"))
    // It keeps its word.
    try store.sql("CREATE INDEX promised ON \"Letter\" (weight NULLS FIRST)")
    try store.sql("ANALYZE \"Letter\"")
    #expect(try context.explain(heavy).plan.contains { $0.detail.contains("promised") })
    #expect(try context.explain(heavy).findings.isEmpty)
    // Nothing is left of the trial.
    #expect(try store.sql("SELECT 1 FROM pg_class WHERE relname LIKE '_swiftdata_candidate%'").count == 0)
    #expect(try context.fetchCount(heavy) == 30)
  }

  @Test("says where no index helps, where the context filters, and where unsaved changes are laid over")
  func others() throws {
    let context = try filled(300)
    let part = FetchDescriptor<Letter>(predicate: #Predicate { $0.text.contains("29") })
    let finding = try #require(try context.explain(part).findings.first)
    #expect(finding.index.isEmpty && finding.description.contains("No #Index helps"))
    let localized = FetchDescriptor<Letter>(predicate: #Predicate { $0.text.localizedStandardContains("29") })
    let memory = try context.explain(localized)
    #expect(memory.findings.contains { $0.description.contains("in memory") })
    #expect(!memory.sql.contains("WHERE"))
    context.insert(Letter(1))
    #expect(try context.explain(part).findings.contains { $0.description.contains("Unsaved changes") })
    let boxed = FetchDescriptor<Letter>(predicate: #Predicate { $0.box?.name == "b" })
    // A new object is the target of no stored one.
    context.insert(ExplainModels.Box("b"))
    #expect(try !context.explain(boxed).findings.contains { $0.description.contains("all are loaded") })
  }
}
