import Foundation
import SyncProtocol
import Testing

@_spi(Wire) @testable import SyncServer

/// Each route as each person who may not use it. The cases come from the routes.
@Suite("Each route as the wrong person", .serialized, .timeLimit(.minutes(20)))
struct WrongPersonTests {
  private typealias Person = WireWorld.Person

  /// Who may use a route for the share. An allowed request may still be refused for what it asks.
  private static func allowed(_ access: SyncRoute.Access) -> Set<Person> {
    switch access {
    case .anonymous: Set(Person.allCases)
    case .account: Set(Person.allCases).subtracting([.nobody, .forger])
    case .reader: [.ann, .bob, .cat]
    case .writer: [.ann, .cat]
    case .owner: [.ann]
    case .invited: [.bob, .cat, .dan]
    // The example names Bob.
    case .ownerOrSelf: [.ann, .bob]
    }
  }

  /// What a person may not see.
  private static func secrets(_ person: Person) -> [String] {
    switch person {
    case .ann, .bob, .cat: []
    case .dan: WireWorld.contents
    case .eve, .mal, .nobody, .forger: WireWorld.contents + WireWorld.listing
    }
  }

  @Test("gets no data of another account, and changes none", arguments: TestStore.available)
  func wrong(_ store: TestStore) async throws {
    var count = 0
    for route in SyncRoute.all {
      let world = try await WireWorld(store)
      let example = try WireExample(route, world)
      let before = try await world.annsData()
      for person in Person.allCases where person != example.person {
        let isAllowed = Self.allowed(route.access).contains(person)
        // What others may do with the share changes it. They are asked as if the zone were theirs.
        let zones = isAllowed ? [] : [world.zone]
        for zone in zones + ["private", "account-", world.own(.ann).text, "\(world.own(.ann).text)%2F"] {
          count += 1
          try await ask(route, example, person, zone, world)
        }
      }
      #expect(try await world.annsData() == before, "\(route.name)")
      let (status, answer) = await world.service.answer(
        route.method, example.target(route), headers: try await world.headers(example.person), body: example.body)
      #expect(status == 200, "\(route.name): \(String(decoding: answer, as: UTF8.self))")
    }
    print("sync requests of wrong persons on \(store): \(SyncRoute.all.count) routes, \(count) requests")
    #expect(count > 300)
  }

  private func ask(
    _ route: SyncRoute, _ example: WireExample, _ person: Person, _ zone: String, _ world: WireWorld
  ) async throws {
    let (status, answer) = await world.service.answer(
      route.method, example.target(route, changing: (true, "zone", zone)), headers: try await world.headers(person),
      body: try example.body(of: person))
    let label =
      "\(person): \(route.name) with \(zone): \(status) \(String(decoding: answer.prefix(200), as: UTF8.self))"
    let isOpen = route.access == .anonymous
    if [.nobody, .forger].contains(person), !isOpen { #expect(status == 401, "\(label)") }
    if !Self.allowed(route.access).contains(person), zone == world.zone {
      #expect([401, 403, 404].contains(status), "\(label)")
    }
    for secret in Self.secrets(person) { #expect(!Self.has(answer, secret), "\(label) has \(secret)") }
    if [.eve, .mal, .nobody, .forger].contains(person) {
      #expect(answer.range(of: WireWorld.publicKey(.ann).base64EncodedData()) == nil, "\(label) has a key")
    }
  }

  /// Whether an answer has a text, as it is or somewhere in bytes in base64.
  private static func has(_ answer: Data, _ secret: String) -> Bool {
    let inBase64 = (0..<3).map { shift -> Data in
      let text = (Data(count: shift) + Data(secret.utf8)).base64EncodedString()
      // The first and the last characters depend on the bytes around.
      return Data(text.utf8.dropFirst([0, 2, 3][shift]).dropLast(4))
    }
    return ([Data(secret.utf8)] + inBase64).contains { answer.range(of: $0) != nil }
  }

  @Test("The log of a share has the secret that the test looks for, in the form that it looks for")
  func secrets() async throws {
    let world = try await WireWorld()
    let pull = SyncLog.PullRequest(cursor: 0, epoch: world.epoch, known: [])
    let (_, log) = await world.service.answer(
      "POST", "/v2/log/pull", headers: try await world.headers(.bob), body: try SyncWire.encode(pull))
    #expect(Self.has(log, "secret-text"))
    let (_, keys) = await world.service.answer(
      "GET", "/v2/shares/\(world.zone)/keys", headers: try await world.headers(.bob))
    #expect(Self.has(keys, "secret-key") && !Self.has(keys, "other-key"))
  }
}
