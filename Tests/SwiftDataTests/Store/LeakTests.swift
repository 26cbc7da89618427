#if os(Linux)
  import Foundation
  import Testing

  @Suite struct LeakTests {
    @Test("A thousand times opened, used and closed, a store leaves no file open and no memory behind")
    func cycles() throws {
      let store = try TemporaryStore()
      let lines = try Helper("cycle", store.url.path, "1000").wait()
      let figures = lines.map { $0.split(separator: " ").compactMap { Int($0) } }
      try #require(figures.count == 2 && figures.allSatisfy { $0.count == 2 }, "\(lines)")
      #expect(figures[0][0] > 2)
      #expect(figures[1][0] <= figures[0][0], "open files: \(figures)")
      // 900 cycles that leak a kilobyte each would show; what the allocator keeps for itself does not.
      #expect(figures[1][1] - figures[0][1] < 6_000, "KiB of memory: \(figures)")
    }
  }
#endif
