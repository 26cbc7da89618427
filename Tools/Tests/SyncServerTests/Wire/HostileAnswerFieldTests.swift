import Foundation
import SyncProtocol
import Testing

@testable import SwiftDataSync
@_spi(Wire) @testable import SyncServer

/// B4: no answer stops the client, whatever numbers and texts it has. The cases come from the routes.
@Suite("B4: each field of each answer with each hostile value", .serialized, .timeLimit(.minutes(20)))
struct HostileAnswerFieldTests {
  @Test("is what the value means to the client, or an error that it throws")
  func fields() async throws {
    let world = try await WireWorld()
    let client = WireClient(transport: WireTransport(world.service), world: world)
    try await client.prepare()
    var (fields, answers, refused) = (0, 0, 0)
    let routes = SyncRoute.all.filter { $0.access != .anonymous }
    for route in routes {
      client.transport.reset()
      try await client.use(route)
      let real = try #require(client.transport.seen[route.name], "the client did not ask \(route.name)")
      for (_, body) in try Self.alterations(of: route, real, &fields) {
        client.transport.change(route) { SyncReply(status: $0.status, body: body) }
        answers += 1
        do { try await client.use(route) } catch { refused += 1 }
        client.transport.reset()
      }
      for status in [100, 301, 400, 500, 999] {
        client.transport.change(route) { _ in SyncReply(status: status, body: Data("<html>".utf8)) }
        answers += 1
        do { try await client.use(route) } catch { refused += 1 }
        client.transport.reset()
      }
      // The client goes on with good answers.
      try await client.use(route)
    }
    print("sync answers: \(routes.count) routes, \(fields) fields, \(answers) answers, \(refused) refused")
    #expect(fields > 60 && refused > answers / 4)
  }

  @Test(
    "of a refusal is an error that the client throws",
    arguments: ["POST /log/pull", "POST /log/push", "POST /log/wait", "GET /shares"])
  func failures(_ name: String) async throws {
    let route = try #require(SyncRoute.all.first { $0.name == name })
    let world = try await WireWorld()
    let client = WireClient(transport: WireTransport(world.service), world: world)
    try await client.prepare()
    let failure = SyncFailure(.unavailable, "again", time: 1, retryAfter: 0.001)
    let json = try WireJSON(try SyncWire.encode(failure))
    for path in json.leaves {
      for value in WireValues.answers {
        let body = json.replacing(path[...], value).bytes
        client.transport.change(route) { _ in SyncReply(status: 400, body: body) }
        do { try await client.use(route) } catch {}
        client.transport.reset()
      }
    }
    try await client.use(route)
  }

  /// Answers with one field changed, and answers that are no messages.
  private static func alterations(
    of route: SyncRoute, _ real: Data, _ fields: inout Int
  ) throws -> [(name: String, body: Data)] {
    var all = WireValues.allBodies.map { ("body", $0) }
    fields += 1
    guard case .message(let type) = route.answer else { return all }
    let json = try WireJSON(real).merging(try WireJSON(try example(of: type)))
    for path in json.leaves {
      fields += 1
      let isTransaction = ["entries", "loads"].contains(path.first)
      for value in WireValues.answers + (isTransaction ? WireValues.allJSON.suffix(WireValues.transactions.count) : [])
      {
        all.append((path.joined(separator: "."), json.replacing(path[...], value).bytes))
      }
    }
    return all
  }

  /// An answer of a type with a value in each field.
  private static func example(of type: any (Codable & Sendable).Type) throws -> Data {
    let list = SyncLog.ZoneList(
      version: "v",
      zones: [
        SyncLog.ReadableZone(
          name: .share("1"), owner: "a", isWritable: true, root: RecordName("r"), keyGeneration: 1, needsKeys: false)
      ], invitations: 1)
    let share = ShareInfo(
      zone: "share-1", owner: "a", root: RecordName("r"), title: "t", permission: .readOnly, hasAccepted: true,
      participants: [.init(account: "b", permission: .readOnly, hasAccepted: true, publicKey: Data(count: 32))],
      ownerKey: Data(count: 32))
    var pull = SyncLog.PullResponse(cursor: 1, latest: 1, time: 1)
    pull.epochs = [SyncLog.Epoch(name: UUID(), start: 0)]
    pull.list = list
    pull.entries = [SyncLog.Entry(commit: 1, parts: [.share("1"): .change([.a: .born()])], id: UUID())]
    pull.loads = [SyncLog.ZoneLoad(zone: .share("1"), isStart: true, entries: pull.entries, position: "p")]
    pull.taken = [UUID()]
    let keys = ZoneKeys(
      generation: 2, ownerKey: Data(count: 32), wrapped: Data(count: 80), wrappedGeneration: 2, isWrappedByOwner: true,
      previous: [Data(count: 80)], isStale: false,
      participants: [AccountKey(account: "b", key: Data(count: 32), generation: 1)])
    let examples: [any Encodable] = [
      pull,
      SyncLog.PushResponse(
        taken: 1, repeated: [UUID()], refusal: SyncFailure(.moved, "m", time: 1, retryAfter: 1), time: 1),
      SyncLog.WaitResponse(isChanged: true), share, SharesResponse(version: "v", shares: [share]),
      InviteResponse(link: "l"), keys,
      AssetState(size: 1, isComplete: true), Done(),
    ]
    guard let found = examples.first(where: { Swift.type(of: $0) == type }) else {
      throw SyncFailure(.notFound, "\(type) has no example in HostileAnswerFieldTests.swift")
    }
    let missing = WireJSON.missing(in: found)
    #expect(missing.isEmpty, "the example of \(type) has no value in \(missing)")
    return try SyncWire.encode(found)
  }
}
