import Foundation
import Sorted
import Synchronization
import Testing

@testable import SortedWeb

@Suite("The address for supervisors") struct HealthTests {
  @Test("It says without a sign-in that the server is ready, and says so again to each that asks")
  func ready() async throws {
    try await WebFixture.run(accounts: true) { web in
      var stranger = Browser(base: web.base)
      for _ in 0..<2 {
        let answer = try await stranger.get("/health")
        #expect(answer.status == 200 && answer.text == "ready\n" && answer["Cache-Control"] == "no-store")
      }
    }
  }

  @Test("It says that the server is not ready while nothing can be written, as on a full disk")
  func full() async throws {
    try await WebFixture.run { web in
      var stranger = Browser(base: web.base)
      let folder = web.server.site.files.folder
      // A file where the folder was takes nothing, also from root.
      try FileManager.default.removeItem(at: folder)
      try Data().write(to: folder)
      #expect(try await stranger.get("/health").status == 503)
      try FileManager.default.removeItem(at: folder)
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      #expect(try await stranger.get("/health").status == 200)
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
    }
  }

  @Test("It checks once for all who ask in a few seconds, and again after a check that failed")
  func once() async {
    let count = Atomic(0)
    let health = HealthController(kept: .seconds(86_400)) {
      if count.add(1, ordering: .relaxed).newValue == 1 { throw CocoaError(.fileWriteOutOfSpace) }
    }
    var statuses: [Int] = []
    for _ in 0..<5 { statuses.append(Int(await health.answer().status.code)) }
    #expect(statuses == [503, 200, 200, 200, 200])
    #expect(count.load(ordering: .relaxed) == 2)
  }

  @Test("It says that the server is not available while a store cannot be read, without the reason")
  func unavailable() async {
    let answer = await HealthController { throw CocoaError(.fileReadCorruptFile) }.answer()
    #expect(answer.status == .serviceUnavailable)
    #expect(answer.headers[.cacheControl] == "no-store")
  }
}
