#if os(Linux)
  import CrashModels
  import Foundation
  import SwiftData
  import Testing

  @Suite struct TwoProcessesTests {
    @Test("Two processes see each other's saves while both write")
    func seeEachOther() throws {
      let store = try TemporaryStore()
      let helpers = try [Helper("watch", store.url.path, "100"), Helper("watch", store.url.path, "100")]
      for helper in helpers {
        let lines = try helper.wait()
        #expect(lines.last?.hasPrefix("seen 100,") == true, "\(lines)")
      }
      let context = ModelContext(try sightingsContainer(store.url.path))
      #expect(try context.fetchCount(FetchDescriptor<Sighting>()) == 200)
    }
  }
#endif
