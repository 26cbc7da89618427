#if os(Linux)
  import CrashModels
  import Foundation
  import SwiftData
  import Testing

  @Suite struct MigrationCrashTests {
    private static let count = 1500

    @Test(
      "A migration killed at any of 100 moments leaves the old version whole or the new version whole",
      .timeLimit(.minutes(20)))
    func kill() throws {
      let original = try TemporaryStore()
      try Archive.make(original.url.path, count: Self.count)
      // A test that runs beside this one and observes saves may hold the context of the last save for a moment.
      var log = ""
      for _ in 0..<2_400 where log != "0|0|0" {
        log = try original.shell("PRAGMA wal_checkpoint(TRUNCATE)")
        if log != "0|0|0" { usleep(50_000) }
      }
      #expect(log == "0|0|0")
      // The time of the last migration that was not killed. The load of the machine changes during the test.
      var duration = try migrate(copy(of: original), killAfter: nil).seconds
      var random = LawRandom(seed: 7)
      var outcomes = [String: Int]()
      for round in 0..<LawSettings.seeds(default: 100).count {
        let store = try copy(of: original)
        let (opened, seconds) = try migrate(store, killAfter: duration * Double(random.below(1200)) / 1000)
        if opened { duration = seconds }
        let version = try store.shell("SELECT value FROM _swiftdata WHERE key = 'version'")
        let isNew = version.contains("\"major\":3")
        try #require(isNew || version.contains("\"major\":1"), "round \(round): \(version)")
        if opened { #expect(isNew, "round \(round)") }
        outcomes[isNew ? "new" : "old", default: 0] += 1
        let container = try Archive.container(store.url.path)
        #expect(container.migrations.isEmpty == isNew, "round \(round)")
        let difference = try Archive.difference(ModelContext(container), count: Self.count)
        try #require(difference == nil, "round \(round)")
        #expect(try store.shell("PRAGMA integrity_check; PRAGMA foreign_key_check") == "ok")
      }
      #expect(outcomes["old", default: 0] > 0)
    }

    private func copy(of store: TemporaryStore) throws -> TemporaryStore {
      let copy = try TemporaryStore()
      for name in try FileManager.default.contentsOfDirectory(atPath: store.folder.path) {
        try FileManager.default.copyItem(
          at: store.folder.appendingPathComponent(name), to: copy.folder.appendingPathComponent(name))
      }
      return copy
    }

    /// - Returns: whether the helper said that the container was open, and how long it ran.
    private func migrate(_ store: TemporaryStore, killAfter seconds: Double?) throws -> (opened: Bool, seconds: Double)
    {
      var lines: [String] = []
      let duration = try ContinuousClock().measure {
        let helper = try Helper("migrate", store.url.path)
        lines = try seconds.map(helper.kill) ?? helper.wait()
      }
      return (lines == ["open"], duration / .seconds(1))
    }
  }
#endif
