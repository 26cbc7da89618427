import Foundation
import SwiftData
import SyncProtocol
import Testing

@testable import SyncServer

@Suite("Requests that wait for changes") struct ZoneWatchTests {
  private let folder: TestFolder
  private let container: ModelContainer
  private let watch: ZoneWatch

  init() throws {
    folder = try TestFolder()
    container = try ZoneStore.container(at: folder.path("server.store"))
    watch = ZoneWatch(container, author: "this process")
  }

  /// A request that waits for a zone, as a task that ends with it.
  private func waiter(_ zone: String) async -> Task<Void, Never> {
    let before = await watch.count
    let cursor = await watch.cursor
    let task = Task { await watch.wait(for: [zone], since: cursor, seconds: 3600) }
    while await watch.count == before, !Task.isCancelled { await Task.yield() }
    return task
  }

  @Test("A change wakes the requests that wait for its zone, and no others")
  func zones() async {
    await watch.begin()
    let ann = await waiter("account-ann")
    let bobs = [await waiter("account-bob"), await waiter("account-bob")]
    await watch.wake(["account-ann"])
    await ann.value
    #expect(await watch.wakeCount == 1)
    #expect(await watch.count == 2)
    await watch.wakeAll()
    for bob in bobs { await bob.value }
    #expect(await watch.wakeCount == 3)
    await watch.end()
  }

  @Test("A change between the reading and the waiting is not missed")
  func between() async {
    await watch.begin()
    let cursor = await watch.cursor
    await watch.wake(["account-ann"])
    // Would wait for an hour.
    await watch.wait(for: ["account-ann"], since: cursor, seconds: 3600)
    let bob = Task { await watch.wait(for: ["account-bob"], since: cursor, seconds: 3600) }
    while await watch.count == 0, !Task.isCancelled { await Task.yield() }
    bob.cancel()
    await bob.value
    await watch.end()
  }

  @Test("A save of another process wakes those who wait for its zone; a push of this process does not wake again")
  func otherProcess() async throws {
    await watch.begin()
    let (ann, bob) = (await waiter("account-ann"), await waiter("account-bob"))
    func save(_ account: String, author: String) throws {
      let context = ModelContext(try ZoneStore.container(at: folder.path("server.store")))
      context.author = author
      context.insert(LogZone(.account(ExactText(account)), account: account))
      try context.save()
    }
    try save("bob", author: "this process")
    try save("ann", author: "another process")
    await ann.value
    #expect(await watch.wakeCount == 1)
    #expect(await watch.count == 1)
    bob.cancel()
    await bob.value
    await watch.end()
  }

  @Test("A changed share wakes the accounts that it concerns, because they may have got a zone or lost one")
  func shares() async throws {
    await watch.begin()
    let (ann, bob) = (await waiter("account-ann"), await waiter("account-bob"))
    let context = ModelContext(try ZoneStore.container(at: folder.path("server.store")))
    context.author = "another process"
    context.insert(ServerShare(zone: "trip", owner: "carol", root: "root", title: ""))
    let grant = ServerGrant(zone: "trip", account: "ann")
    context.insert(grant)
    try context.save()
    await ann.value
    #expect(await watch.wakeCount == 1)
    let again = await waiter("account-ann")
    context.delete(grant)
    try context.save()
    await again.value
    #expect(await watch.wakeCount == 2)
    #expect(await watch.count == 1)
    bob.cancel()
    await bob.value
    await watch.end()
  }
}
