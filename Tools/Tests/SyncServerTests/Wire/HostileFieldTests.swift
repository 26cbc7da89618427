import Foundation
import SyncProtocol
import Testing

@_spi(Wire) @testable import SyncServer

/// B1 and B2: no request stops the server, whatever numbers and texts it has. The cases come from the routes.
@Suite("B1, B2: each field of each route with each hostile value", .serialized, .timeLimit(.minutes(20)))
struct HostileFieldTests {
  /// What one route was fed.
  struct Count {
    var fields = 0
    var requests = 0
  }

  @Test("gets a refusal with a reason, or what the value means, and never a 5xx", arguments: TestStore.available)
  func fields(_ store: TestStore) async throws {
    var all = Count()
    for route in SyncRoute.all {
      let count = try await feed(route, try await WireWorld(store), WireValues(store))
      (all.fields, all.requests) = (all.fields + count.fields, all.requests + count.requests)
    }
    print("sync requests on \(store): \(SyncRoute.all.count) routes, \(all.fields) fields, \(all.requests) requests")
    #expect(all.fields > 5 * SyncRoute.all.count && all.requests > 2 * all.fields)
  }

  private func feed(_ route: SyncRoute, _ world: WireWorld, _ values: WireValues) async throws -> Count {
    let example = try WireExample(route, world)
    let own = try await world.headers(example.person)
    var count = Count()
    func send(
      _ field: String, _ target: String, _ body: Data, _ headers: [String: String] = [:], _ value: some StringProtocol
    ) async {
      count.requests += 1
      let headers = own.merging(headers) { $1 }
      let (status, answer) = await world.service.answer(route.method, target, headers: headers, body: body)
      let text = String(decoding: answer.prefix(300), as: UTF8.self)
      let failure = try? SyncWire.decode(SyncFailure.self, from: answer)
      #expect(
        status < 500, "\(route.name), \(field) = \(value.prefix(60)): \(status) \(text)")
      if status >= 300 {
        #expect(failure?.message.isEmpty == false, "\(route.name), \(field) = \(value.prefix(60)): \(status) \(text)")
      }
    }
    func textFields() async {
      for part in route.path {
        guard case .parameter(let name) = part else { continue }
        count.fields += 1
        for value in values.texts {
          await send(name, example.target(route, changing: (true, name, value)), example.body, [:], value)
        }
      }
      for field in route.query {
        count.fields += 1
        for value in values.texts {
          await send(field.name, example.target(route, changing: (false, field.name, value)), example.body, [:], value)
        }
      }
      for header in [SyncWire.versionHeader, SyncWire.accountHeader, "Authorization"] {
        count.fields += 1
        for value in values.texts {
          await send(header, example.target(route), example.body, [header: value], value)
        }
      }
    }
    await textFields()
    switch route.request {
    case .none: break
    case .message:
      let json = try WireJSON(example.body)
      for path in json.leaves {
        count.fields += 1
        let name = path.joined(separator: ".")
        for value in values.json {
          let body = json.replacing(path[...], value).bytes
          await send(name, example.target(route), body, [:], String(decoding: value.prefix(60), as: UTF8.self))
        }
      }
      fallthrough
    case .bytes, .text:
      count.fields += 1
      for body in values.bodies + WireValues.transactions {
        await send("body", example.target(route), body, [:], String(decoding: body.prefix(60), as: UTF8.self))
      }
    }
    // The server lives, and answers the right request of a new world.
    let next = try await WireWorld()
    let fresh = try WireExample(route, next)
    let (status, answer) = await next.service.answer(
      route.method, fresh.target(route), headers: try await next.headers(fresh.person), body: fresh.body)
    #expect(status == 200, "\(route.name): \(String(decoding: answer, as: UTF8.self))")
    return count
  }

  private func send(
    _ world: WireWorld, _ method: String, _ path: String, _ body: Data
  ) async throws -> SyncFailure {
    let (status, answer) = await world.service.answer(
      method, path, headers: try await world.headers(.ann), body: body)
    let failure = try SyncWire.decode(SyncFailure.self, from: answer)
    #expect(status == failure.status)
    return failure
  }

  @Test(
    "B1: a part of an asset behind the end of all numbers is refused",
    arguments: ["9223372036854775807", "-9223372036854775808", "-1", "1"])
  func assetOffset(_ offset: String) async throws {
    let world = try await WireWorld()
    let path = "/v2/zones/\(world.own(.ann).text)/assets/\(ServerFixture.sha256("b"))?offset=\(offset)&total=1"
    #expect(try await send(world, "PUT", path, Data("b".utf8)).status == 400)
  }

  @Test("A part of an asset with less than its full size is refused: another client would ask for each byte of it")
  func assetPart() async throws {
    let world = try await WireWorld()
    let path = "/v2/zones/\(world.own(.ann).text)/assets/\(ServerFixture.sha256("bb"))?offset=0&total=2"
    #expect(try await send(world, "PUT", path, Data("b".utf8)).status == 400)
  }

  @Test("B1: a number that no integer holds is refused with the name of the field", arguments: ["offset", "total"])
  func assetNumber(_ name: String) async throws {
    let world = try await WireWorld()
    let query = ["offset": "0", "total": "1"].merging([name: "9223372036854775808"]) { $1 }
    let path =
      "/v2/zones/\(world.own(.ann).text)/assets/\(ServerFixture.sha256("b"))?offset=\(query["offset"]!)&total=\(query["total"]!)"
    let failure = try await send(world, "PUT", path, Data("b".utf8))
    #expect(failure.code == .invalid && failure.message.contains("`\(name)` is \"9223372036854775808\""))
  }

  @Test("B2: a generation that does not follow the newest one is refused", arguments: [Int.min, .max, -1, 0, 3])
  func generation(_ generation: Int) async throws {
    let world = try await WireWorld()
    let request = PutZoneKeysRequest(generation: generation, previous: nil, wrapped: [:])
    let failure = try await send(world, "POST", "/v2/shares/\(world.zone)/keys", try SyncWire.encode(request))
    #expect(failure.code == .keyConflict && failure.message.contains("generation \(generation) does not follow"))
  }

  @Test("A change that names an asset with another size is refused: the others could not read the log")
  func assetSize() async throws {
    let world = try await WireWorld()
    let asset = RegisterValue.asset(sha256: ExactText(ServerFixture.sha256("secret bytes")), size: 1 << 39)
    let push = SyncLog.PushRequest(
      cursor: 1, epoch: world.epoch,
      transactions: [SyncLog.Transaction(id: UUID(), parts: [world.share: [.b: .set(["x": asset])]])])
    let (status, answer) = await world.service.answer(
      "POST", "/v2/log/push", headers: try await world.headers(.ann), body: try SyncWire.encode(push))
    let refusal = try SyncWire.decode(SyncLog.PushResponse.self, from: answer).refusal
    #expect(status == 200 && refusal?.code == .invalid && refusal?.message.contains("has 12 bytes") == true)
  }
}
