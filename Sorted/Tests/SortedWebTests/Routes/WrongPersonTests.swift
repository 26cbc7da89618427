import Foundation
import Sorted
import SwiftData
import Testing

@testable import SortedWeb

/// Asks each route as people whose the data is not. The routes are those that the router is built from, so a new route is covered
/// when it is written.
@Suite("The wrong person", .serialized, .timeLimit(.minutes(20))) struct WrongPersonTests {
  /// Everybody who may not see what is ann's and the owner's, and why.
  private static let people: [(name: String?, why: String)] = [
    (nil, "has no session"), ("eve", "takes part in nothing"), ("bob", "left the conversation"),
    ("carol", "is blocked"),
  ]

  /// The rows of ann and the owner, to see that nobody else changed them.
  private static func rows(_ world: RouteWorld) throws -> [String] {
    let (inbox, own) = (ModelContext(world.inbox), ModelContext(world.own))
    let group = RouteWorld.group
    let conversations = try inbox.fetch(
      FetchDescriptor<ConversationEntity>(predicate: #Predicate { $0.id == group })
    ).map { "\($0.id) \($0.participantIDs) \($0.displayName ?? "") \($0.isPinned) \($0.pinnedMessageIDs)" }
    let messages = try inbox.fetch(
      FetchDescriptor<MessageEntity>(
        predicate: #Predicate { $0.conversationID == group }, sortBy: [SortDescriptor(\.id)])
    ).map { "\($0.id) \($0.text) \($0.reactions) \($0.readBy) \($0.category?.rawValue ?? "")" }
    let users = try inbox.fetch(
      FetchDescriptor<UserEntity>(
        predicate: #Predicate { $0.id == "ann" || $0.id == "me" }, sortBy: [SortDescriptor(\.id)])
    ).map { "\($0.id) \($0.displayName) \($0.photoURL ?? "") \($0.enableFAQ)" }
    let answers = try inbox.fetch(FetchDescriptor<FAQEntity>(sortBy: [SortDescriptor(\.id)])).filter {
      ["ann", "me"].contains($0.user?.id)
    }.map { "\($0.id) \($0.answer) \($0.isEnabled) \($0.usageCount)" }
    let places = try own.fetch(FetchDescriptor<PlaceEntity>(sortBy: [SortDescriptor(\.id)])).filter {
      ["ann", "me"].contains($0.userID)
    }.map { "\($0.id) \($0.draft) \($0.isAdmin)" }
    let sessions = try own.fetch(FetchDescriptor<SessionEntity>(sortBy: [SortDescriptor(\.tokenDigest)])).filter {
      ["ann", "me"].contains($0.userID)
    }.map(\.tokenDigest)
    var others = try own.fetch(FetchDescriptor<DeletedMessageEntity>()).map(\.id)
    others += try own.fetch(FetchDescriptor<InvitationEntity>()).filter { $0.inviterID == "ann" }.map(\.id)
    others += try own.fetch(FetchDescriptor<RetentionEntity>()).map(\.userID)
    others += try own.fetch(FetchDescriptor<AccountEntity>()).filter { $0.userID == "ann" }.map(\.passwordHash)
    var rows = conversations + messages
    rows += users + answers
    rows += places + sessions
    return rows + others
  }

  @Test("No route tells or changes what is another person's", arguments: people)
  func routes(_ person: (name: String?, why: String)) async throws {
    try await RouteWorld.with { world in
      var secrets = [Data(RouteWorld.secret.utf8), RouteWorld.picture]
      if person.name != "carol" { secrets.append(Data(RouteWorld.name.utf8)) }
      var requests = 0
      for route in world.routes {
        let before = try Self.rows(world)
        var call = try world.call(route)
        // The link of an invitation is for whoever has it, and the name of a picture is for whoever was shown it.
        if call.parameters["token"] != nil { call.parameters["token"] = "\(Secret.random()).\(Slug.encode("x"))" }
        // The password is what only ann has.
        if call.form["password"] != nil { call.form["password"] = Data("wrong password".utf8) }
        if call.parameters["picture"] != nil { call.parameters["picture"] = PictureCabinet.newName(of: "ann") }
        var hasChanged = false
        for call in try [call] + Self.variants(call, world) {
          requests += 1
          let answer = try await world.send(call, as: person.name)
          hasChanged = hasChanged || route.method == .post && answer.status < 400
          let what = "\(route.method) \(call.path) as \(person.name ?? "nobody"), who \(person.why): \(answer.status)"
          for secret in secrets { #expect(answer.body.range(of: secret) == nil, "\(what)") }
          #expect(!answer.headers.contains { $0.value.contains(RouteWorld.secret) }, "\(what)")
          #expect(answer.status < 500, "\(what)")
          switch (route.audience, person.name) {
          case (.people, nil), (.owner, nil):
            #expect(answer.status == 401 || answer["Location"]?.hasPrefix("/sign-in") == true, "\(what)")
          case (.owner, _?): #expect(answer.status == 403, "\(what)")
          default: break
          }
        }
        #expect(try Self.rows(world) == before, "\(route.method) \(route.path) as \(person.name ?? "nobody")")
        if hasChanged { try world.fill() }
      }
      print("wrong person, who \(person.why): \(world.routes.count) routes, \(requests) requests")
    }
  }

  /// The same with each identifier of ann and the owner in each field that may hold one, and with another conversation of the
  /// person's own around a message of theirs.
  private static func variants(_ call: RouteWorld.Call, _ world: RouteWorld) throws -> [RouteWorld.Call] {
    var variants = [call]
    // Without a filter that leaves out most of it.
    variants[0].query = call.query.filter { $0.key == "q" }
    let ids = [RouteWorld.group, RouteWorld.message, RouteWorld.deleted, RouteWorld.answer, RouteWorld.ownersAnswer]
    for field in ["after", "at", "before", "edit", "reply"] where call.route.query.contains(field) {
      for id in ids {
        var variant = call
        variant.query[field] = Data(Slug.encode(id).utf8)
        variants.append(variant)
        // In a conversation that carol has.
        guard call.parameters["conversation"] != nil else { continue }
        variant.parameters["conversation"] = Slug.encode(RouteWorld.talk)
        variants.append(variant)
      }
    }
    if call.parameters["conversation"] != nil {
      var variant = call
      variant.parameters["conversation"] = Slug.encode(RouteWorld.talk)
      if call.route.form.contains("reply") { variant.form["reply"] = Data(Slug.encode(RouteWorld.message).utf8) }
      variants.append(variant)
    }
    return variants
  }

  @Test("The person whose it is gets it, so the texts are there to be found")
  func right() async throws {
    try await RouteWorld.with { world in
      var found = 0
      for route in world.routes where route.method == .get {
        var call = try world.call(route)
        call.query = call.query.filter { $0.key == "q" }
        let answer = try await world.send(call, as: "ann")
        if answer.body.range(of: Data(RouteWorld.secret.utf8)) != nil { found += 1 }
      }
      // The list, the conversation, the search, the palette, the bin, the answers, the person and the settings.
      #expect(found >= 8)
    }
  }
}
