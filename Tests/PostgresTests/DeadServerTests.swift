import Foundation
import SwiftData
@testable import SwiftDataPostgres
import Testing

private enum Silent {
  @Model final class Note {
    var text: String
    init(_ text: String) { self.text = text }
  }
}

@Suite("A server that does not answer", .enabled(if: PostgresServer.isThere, PostgresServer.reason))
struct DeadServerTests {
  @Test("B9: stalls no other container that opens meanwhile")
  func opening() async {
    // In a process of its own, because only the first wish to hear of other saves begins to watch all stores.
    await #expect(processExitsWith: .success) {
      // Ends the process if it hangs.
      alarm(600)
      let store = TestStore()
      let proxy = try SilentProxy(to: PostgresServer.url)
      let schema = Schema([Silent.Note.self])
      // Waits for the server until the process ends.
      let pool = PostgresPoolOptions(answerTimeout: .seconds(3_600))
      let silent = try ModelContainer(
        for: schema, configurations: [PostgresConfiguration(url: proxy.url, namespace: store.namespace, pool: pool)])
      proxy.silence()
      Thread.detachNewThread { _ = ModelContainer.remoteChange }
      await withCheckedContinuation { continuation in
        DispatchQueue.global().async {
          // The watch has asked the server.
          proxy.isAsked.wait()
          continuation.resume()
        }
      }
      let other = ModelContext(
        try ModelContainer(for: schema, configurations: ModelConfiguration(isStoredInMemoryOnly: true)))
      other.insert(Silent.Note("a"))
      try other.save()
      let third = ModelContext(try store.open(Silent.Note.self))
      third.insert(Silent.Note("b"))
      try third.save()
      let count = try third.fetchCount(FetchDescriptor<Silent.Note>())
      withExtendedLifetime(silent) {}
      // Without the end of the other thread, which still waits.
      exit(count == 1 ? 0 : 1)
    }
  }

  @Test("B10: closing the connections of a pool by several threads at once ends, also while they are used")
  func closing() async throws {
    let store = TestStore()
    let container = try store.open(Silent.Note.self)
    let connections = ServerConnections(store.configuration)
    await withTaskGroup(of: Void.self) { group in
      for task in 0..<6 {
        group.addTask {
          for _ in 0..<20 {
            connections.close()
            if task.isMultiple(of: 2) { try? connections.with { try $0.script("SELECT 1") } }
          }
        }
      }
    }
    connections.close()
    connections.close()
    try connections.with { try $0.script("SELECT 1") }
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Silent.Note>()) == 0)
  }
}
