import Foundation
import SyncProtocol
import Testing
import UntrustedInput

@_spi(Wire) @testable import SyncServer

/// A request that waits is woken by a change that concerns its account.
@Suite("Waits for the log", .timeLimit(.minutes(5))) struct LogWaitTests {
  /// Sends a message as a person.
  private static func send<Message: Encodable, Answer: Decodable>(
    _ world: WireWorld, _ person: WireWorld.Person, _ path: String, _ message: Message, _ type: Answer.Type
  ) async throws -> Answer {
    let (status, answer) = await world.service.answer(
      "POST", "/v2/\(path)", headers: try await world.headers(person), body: try SyncWire.encode(message))
    try #require(status == 200)
    return try SyncWire.decode(type, from: answer)
  }

  /// A request that waits for what follows the newest commit.
  private static func wait(_ world: WireWorld, _ person: WireWorld.Person) async throws -> SyncLog.WaitRequest {
    let pull = SyncLog.PullRequest(cursor: 0, epoch: world.epoch, known: [])
    let answer = try await send(world, person, "log/pull", pull, SyncLog.PullResponse.self)
    return SyncLog.WaitRequest(
      cursor: answer.cursor, epoch: world.epoch, version: try #require(answer.list).version, seconds: 60)
  }

  private static func push(
    _ world: WireWorld, _ person: WireWorld.Person, _ zone: ZoneName, _ registers: Registers = .born()
  ) async throws {
    let push = SyncLog.PushRequest(
      cursor: 1, epoch: world.epoch, transactions: [SyncLog.Transaction(id: UUID(), parts: [zone: [.b: registers]])])
    #expect(try await send(world, person, "log/push", push, SyncLog.PushResponse.self).refusal == nil)
  }

  @Test("A push to a share wakes the owner, and the owner's own zone does not wake a participant")
  func push() async throws {
    let world = try await WireWorld()
    let (anns, bobs) = (try await Self.wait(world, .ann), try await Self.wait(world, .bob))
    async let ann = Self.send(world, .ann, "log/wait", anns, SyncLog.WaitResponse.self)
    async let bob = Self.send(world, .bob, "log/wait", bobs, SyncLog.WaitResponse.self)
    while await world.service.watch.count < 2 { await Task.yield() }
    try await Self.push(world, .cat, world.own(.cat))
    #expect(await world.service.watch.count == 2)
    try await Self.push(world, .ann, world.own(.ann))
    #expect(try await ann.isChanged)
    #expect(await world.service.watch.wakeCount == 1)
    try await Self.push(world, .cat, world.share)
    #expect(try await bob.isChanged)
    #expect(await world.service.watch.wakeCount == 2)
  }

  @Test("A wait of a client whose cursor is beyond the log ends at once")
  func cursorBeyondLog() async throws {
    let world = try await WireWorld()
    var anns = try await Self.wait(world, .ann)
    anns.cursor = Untrusted(anns.cursor.clamped(to: SyncWire.sequenceNumbers) + 1)
    #expect(try await Self.send(world, .ann, "log/wait", anns, SyncLog.WaitResponse.self).isChanged)
  }

  @Test("The entry that forgets records wakes those who read the zone")
  func forget() async throws {
    let world = try await WireWorld(limits: LogFixture.limits)
    try await Self.push(world, .ann, world.share, .dead())
    let bobs = try await Self.wait(world, .bob)
    async let bob = Self.send(world, .bob, "log/wait", bobs, SyncLog.WaitResponse.self)
    while await world.service.watch.count < 1 { await Task.yield() }
    #expect(try await world.service.store.compactLog(world.zone).forgotten == 1)
    #expect(try await bob.isChanged)
    #expect(await world.service.watch.wakeCount == 1)
  }

  @Test("A change of a share wakes the accounts that it concerns")
  func share() async throws {
    let world = try await WireWorld()
    let (bobs, mals) = (try await Self.wait(world, .bob), try await Self.wait(world, .mal))
    async let bob = Self.send(world, .bob, "log/wait", bobs, SyncLog.WaitResponse.self)
    let mal = Task { try await Self.send(world, .mal, "log/wait", mals, SyncLog.WaitResponse.self) }
    while await world.service.watch.count < 2 { await Task.yield() }
    let invitation = InviteRequest(account: "bob", permission: .readWrite)
    _ = try await Self.send(world, .ann, "shares/\(world.zone)/invitations", invitation, InviteResponse.self)
    #expect(try await bob.isChanged)
    #expect(await world.service.watch.wakeCount == 1)
    #expect(await world.service.watch.count == 1)
    mal.cancel()
    #expect(try await !mal.value.isChanged)
  }
}
