import Foundation
import CollidingNames
import SwiftData
import Testing

// Each of these is "ambiguous for type lookup" where the library has a type of that name at its top.
private struct Names {
  var query = Query()
  var aggregate = Aggregate()
  var assignment = Assignment()
  var key = EncryptionKey()
  var explanation = FetchExplanation()
  var fractional = FractionalColumnValue()
  var change = MigrationChange()
  var progress = MigrationProgress()
  var summary = MigrationSummary()
  var report = RecoveryReport()
  var update = ResultsUpdate()
  var updates = ResultsUpdates()
  var hit = SearchHit()
  var snippet = SearchSnippet()
}

private struct Result: QueryResult {}

@Suite("A module whose types have names of ours")
struct NameTests {
  @Test("is imported beside SwiftData, and its names are its own")
  func names() {
    for child in Mirror(reflecting: Names()).children {
      #expect(String(reflecting: type(of: child.value)).hasPrefix("CollidingNames."))
    }
  }
}
