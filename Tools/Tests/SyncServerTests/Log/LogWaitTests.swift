import Foundation
import SyncProtocol
import Testing

@_spi(Wire) @testable import SyncServer

/// A request that waits is woken by a change that concerns its account.
@Suite("Waits for the log", .timeLimit(.minutes(5))) struct LogWaitTests {
  @Test("A push to a share wakes the owner, and the owner's own zone does not wake a participant")
  func push() async throws {
    let world = try await WireWorld()
    func send<Message: Encodable, Answer: Decodable>(
      _ person: WireWorld.Person, _ path: String, _ message: Message, _ type: Answer.Type
    ) async throws -> Answer {
      let (status, answer) = await world.service.answer(
        "POST", "/v2/log/\(path)", headers: try await world.headers(person), body: try SyncWire.encode(message))
      try #require(status == 200)
      return try SyncWire.decode(type, from: answer)
    }
    func wait(_ person: WireWorld.Person) async throws -> SyncLog.WaitRequest {
      let pull = SyncLog.PullRequest(cursor: 0, epoch: world.epoch, known: [])
      let answer = try await send(person, "pull", pull, SyncLog.PullResponse.self)
      return SyncLog.WaitRequest(
        cursor: answer.cursor, epoch: world.epoch, version: try #require(answer.list).version, seconds: 60)
    }
    func push(_ person: WireWorld.Person, _ zone: ZoneName) async throws {
      let push = SyncLog.PushRequest(
        cursor: 1, epoch: world.epoch, transactions: [SyncLog.Transaction(id: UUID(), parts: [zone: [.b: .born()]])])
      #expect(try await send(person, "push", push, SyncLog.PushResponse.self).refusal == nil)
    }
    let (anns, bobs) = (try await wait(.ann), try await wait(.bob))
    async let ann = send(.ann, "wait", anns, SyncLog.WaitResponse.self)
    async let bob = send(.bob, "wait", bobs, SyncLog.WaitResponse.self)
    while await world.service.watch.count < 2 { await Task.yield() }
    try await push(.cat, world.own(.cat))
    #expect(await world.service.watch.count == 2)
    try await push(.ann, world.own(.ann))
    #expect(try await ann.isChanged)
    #expect(await world.service.watch.wakeCount == 1)
    try await push(.cat, world.share)
    #expect(try await bob.isChanged)
    #expect(await world.service.watch.wakeCount == 2)
  }
}
