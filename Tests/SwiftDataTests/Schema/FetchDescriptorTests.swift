import Foundation
import SwiftData
import Testing

@Suite("A fetch descriptor")
struct FetchDescriptorTests {
  @Test("asks for all models, with unsaved changes, unless told otherwise")
  func defaults() {
    let descriptor = FetchDescriptor<Agency.Stop>()
    #expect(descriptor.predicate == nil)
    #expect(descriptor.sortBy.isEmpty)
    #expect(descriptor.fetchLimit == nil)
    #expect(descriptor.fetchOffset == nil)
    #expect(descriptor.includePendingChanges)
    #expect(descriptor.propertiesToFetch.isEmpty)
    #expect(descriptor.relationshipKeyPathsForPrefetching.isEmpty)
  }

  @Test("keeps what it was told, also when it is handed to another task")
  func settings() async throws {
    var descriptor = FetchDescriptor<Agency.Stop>(
      predicate: #Predicate { $0.days > 3 },
      sortBy: [SortDescriptor(\.city)]
    )
    descriptor.fetchLimit = 5
    descriptor.propertiesToFetch = [\.city]
    descriptor.relationshipKeyPathsForPrefetching = [\.trip]
    let sent = descriptor
    let limit = await Task.detached { sent.fetchLimit }.value
    #expect(limit == 5)
    #expect(try sent.predicate?.evaluate(Agency.Stop(city: "Rome", days: 4)) == true)
    #expect(sent.propertiesToFetch == [\Agency.Stop.city])
  }
}
