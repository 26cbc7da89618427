import Foundation
import Logging
import Sorted
import SortedNetwork
import SwiftData
import Synchronization
import Testing

@testable import SortedWeb

/// A server without a network, whose routes are asked one after the other, and people with sessions.
///
/// The owner is `me`. `ann` has something of everything. `eve` shares nothing with the two, `bob` left ann's group, and ann blocked
/// `carol`, with whom she has a talk of two.
final class RouteWorld: Sendable {
  /// What every text of ann and the owner has, so that a search finds all of them.
  static let word = "zebra"
  /// What nobody but ann and the owner may read.
  static let secret = "SECRET4217"
  /// The name of ann, which people may read who share a conversation with her.
  static let name = "ANNSNAME7781"

  static let group = "group"
  static let talk = "talk"
  static let message = "group/1"
  /// A message that ann deleted for everybody, and one that she deleted for herself.
  static let (deleted, hidden) = ("group/2", "group/3")
  static let (answer, ownersAnswer) = ("answer", "owners-answer")
  static let file = "AAAAAAAA-0000-4000-8000-000000000001"
  /// A pixel.
  static let picture =
    Data(
      base64Encoded: "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==")
    ?? Data()

  let folder: URL
  let inbox: ModelContainer
  let own: ModelContainer
  let server: SortedWebServer
  let answers: RequestAnswers
  private let requests = Atomic(0)

  var routes: [Route] { Routes(site: server.site).all }

  /// Makes a server for as long as the body runs.
  static func with(inFiles: Bool = false, _ body: (RouteWorld) async throws -> Void) async throws {
    let world = try await RouteWorld(inFiles: inFiles)
    do { try await body(world) } catch {
      await world.end()
      throw error
    }
    await world.end()
  }

  private init(inFiles: Bool) async throws {
    folder = FileManager.default.temporaryDirectory.appendingPathComponent("routes-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    inbox =
      try inFiles ? SortedContainer.open(folder.appendingPathComponent("inbox.store")) : SortedContainer.inMemory()
    own = try inFiles ? WebSchema.open(folder.appendingPathComponent("web.store")) : WebSchema.inMemory()
    let options = WebOptions(
      hasAccounts: true, files: folder.appendingPathComponent("files"), maximumUpload: 1 << 20, burst: 1_000_000)
    server = try await SortedWebServer(
      inbox: inbox, own: own, options: options, sync: nil, fetcher: LinkFetcher(client: HTTPLinkClient()))
    answers = server.answers
    try fill()
  }

  private func end() async {
    await server.site.hub.finish()
    try? FileManager.default.removeItem(at: folder)
  }

  // MARK: - What is there

  /// Makes everything as it was at the beginning.
  func fill() throws {
    let (inbox, own) = (ModelContext(inbox), ModelContext(own))
    try inbox.delete(model: ConversationEntity.self)
    try inbox.delete(model: UserEntity.self)
    try inbox.delete(model: FAQEntity.self)
    try inbox.delete(model: MessageEntity.self)
    try own.delete(model: PlaceEntity.self)
    try own.delete(model: SessionEntity.self)
    try own.delete(model: AccountEntity.self)
    try own.delete(model: InvitationEntity.self)
    try own.delete(model: DeletedMessageEntity.self)
    try own.delete(model: HiddenMessageEntity.self)
    try own.delete(model: BlockEntity.self)
    try own.delete(model: LookEntity.self)
    try own.delete(model: RetentionEntity.self)
    try inbox.save()
    try own.save()
    let files = server.site.files.folder
    for name in try FileManager.default.contentsOfDirectory(atPath: files.path) where UUID(uuidString: name) != nil {
      try FileManager.default.removeItem(at: files.appendingPathComponent(name))
    }
    try fillInbox(inbox)
    try fillOwn(own)
    try inbox.save()
    try own.save()
  }

  private func text(_ what: String) -> String { "\(Self.word) \(what) \(Self.secret)" }

  private func fillInbox(_ context: ModelContext) throws {
    let group = ConversationEntity(
      id: Self.group, participantIDs: ["ann", "me", invitationID], displayName: text("group"), isGroup: true)
    let talk = ConversationEntity(id: Self.talk, participantIDs: ["ann", "carol"])
    for conversation in [group, talk] { context.insert(conversation) }
    func add(_ id: String, _ sender: String, _ words: String, to conversation: ConversationEntity) -> MessageEntity {
      let message = MessageEntity(
        id: id, conversationID: conversation.id, senderID: sender, text: words,
        createdAt: Date().addingTimeInterval(-60), status: .delivered, syncStatus: .synced)
      conversation.messages.append(message)
      conversation.updateWithMessage(message)
      return message
    }
    let first = add(Self.message, "ann", text("message"), to: group)
    let file = server.site.files.folder.appendingPathComponent(Self.file)
    try Self.picture.write(to: file)
    first.attachments = [
      AttachmentEntity(
        id: Self.file, type: .image, localURL: file.absoluteString, fileSize: Int64(Self.picture.count),
        mimeType: "image/png", fileName: "\(Self.secret).png")
    ]
    let deleted = add(Self.deleted, "ann", text("deleted"), to: group)
    let hidden = add(Self.hidden, "me", text("hidden"), to: group)
    hidden.replyToID = first.id
    _ = add("talk/1", "carol", "\(Self.word) said to ann", to: talk)
    let own = ModelContext(own)
    own.insert(
      DeletedMessageEntity(
        id: deleted.id, userID: "ann", conversationID: group.id,
        contents: try JSONEncoder().encode(MessageCopy(deleted))))
    try own.save()
    try InboxService(context: context).deleteForEverybody(deleted, by: "ann")
    for (id, answer) in [("ann", Self.answer), ("me", Self.ownersAnswer)] {
      let user = UserEntity(
        id: id, email: "\(Self.secret)@example.com", displayName: id == "ann" ? Self.name : text("name of the owner"))
      user.faqs = [
        FAQEntity(id: answer, category: .other, questionPattern: text("question"), answer: text("answer"))
      ]
      context.insert(user)
    }
    let name = try server.site.pictures.store(Self.picture, of: "ann")
    try context.fetch(FetchDescriptor<UserEntity>(predicate: #Predicate { $0.id == "ann" })).first?.photoURL = name
  }

  private func fillOwn(_ context: ModelContext) throws {
    for name in ["ann", "bob", "carol", "eve"] {
      context.insert(AccountEntity(userID: name, passwordHash: Self.passwordHash))
    }
    for user in ["ann", "bob", "carol", "eve", "me"] {
      for token in [Self.cookie(user), Self.cookie("other of \(user)")] {
        context.insert(
          SessionEntity(
            tokenDigest: Secret.digest(token), userID: user, isOwner: user == "me", expiresAt: .distantFuture,
            agent: Self.secret))
      }
      let place = PlaceEntity(userID: user, conversationID: Self.group)
      if user == "ann" || user == "me" { place.draft = text("draft") }
      context.insert(place)
    }
    let invitation = InvitationEntity(inviterID: "ann", name: "\(Self.secret)guest", conversationID: Self.group)
    invitation.id = invitationID
    context.insert(invitation)
    context.insert(HiddenMessageEntity(userID: "ann", conversationID: Self.group, messageID: Self.hidden))
    context.insert(BlockEntity(userID: "ann", blockedID: "carol"))
  }

  private var invitationID: String { "\(InvitationEntity.prefix)guest:1" }

  /// The password is `correct horse`.
  private static let passwordHash = (try? PasswordHash(of: "correct horse").text) ?? ""

  // MARK: - Requests

  /// The cookie of a session: as long as a real one.
  static func cookie(_ user: String) -> String { String(Secret.digest(user).prefix(43)) }

  /// What fills the variable parts of a path.
  func parameter(_ name: String, of route: Route) throws -> String {
    switch name {
    case "conversation": return Slug.encode(Self.group)
    case "message":
      return Slug.encode(route.path.hasSuffix("/restore") ? Self.hidden : Self.message)
    case "answer": return Slug.encode(Self.answer)
    case "file": return route.audience == .everybody ? "app.css" : Slug.encode(Self.file)
    case "person":
      // These routes refuse people who name themselves, so the person is another one than the one who asks.
      if route.path.hasPrefix("c/") { return Slug.encode("me") }
      return Slug.encode(route.path.hasSuffix("block") ? "carol" : "ann")
    case "picture":
      let ann = try ModelContext(inbox).fetch(FetchDescriptor<UserEntity>(predicate: #Predicate { $0.id == "ann" }))
      return try #require(ann.first?.photoURL?.split(separator: "/").last.map(String.init))
    case "session":
      return String(Secret.digest(Self.cookie("other of \(route.audience == .owner ? "me" : "ann")")).prefix(16))
    case "token": return "\(Secret.code(invitationID, server.site.secret)).\(Slug.encode(invitationID))"
    case "name": return "app.css"
    default:
      Issue.record("RouteWorld has no example of the part :\(name) of \(route.path)")
      return "x"
    }
  }

  /// Values with which a route does what it is for.
  func example(_ field: String, of route: Route) -> String? {
    switch (field, route.path) {
    case (_, "settings/switches"): return "1"
    // They are other ways to use the route.
    case ("save", _), ("invite", _), ("token", _), ("part", _), ("before", _), ("at", _), ("edit", "c/:conversation"),
      ("reply", "c/:conversation"), ("mute", _), ("archive", _), ("accept", _), ("end", _), ("remove", _):
      return nil
    case ("after", "c/:conversation"), ("reply", _): return Slug.encode(Self.message)
    case ("after", "/"): return Slug.encode(Self.group)
    case ("after", _): return Slug.encode(Self.message)
    case ("edit", _): return Slug.encode(Self.answer)
    case ("from", _), ("to", "c/:conversation"): return nil
    case ("to", _): return Slug.encode(Self.group)
    case ("name", "sign-in"), ("name", "sign-up"): return route.path == "sign-in" ? "ann" : "new"
    case ("password", _), ("old", _): return "correct horse"
    case ("new", _): return "battery staple"
    case ("people", _): return "eve"
    case ("pin", _), ("pinned", _), ("enabled", _), ("blocked", _), ("admin", _): return "1"
    case ("return", _): return "/settings"
    case ("key", _): return UUID().uuidString
    case ("q", _): return Self.word
    case ("by", _): return "words"
    case ("threads", _): return "\(Slug.encode(Self.group)):1:"
    case ("category", "answers"), ("category", "answers/:answer/edit"): return "Other"
    case ("category", _): return "fan"
    case ("filter", _): return "all"
    case ("opportunity", _): return "0"
    case ("sentiment", _): return "positive"
    case ("sort", _): return "latest"
    case ("upTo", _): return "1"
    case ("emoji", _): return "👍"
    case ("kind", _): return "fan"
    case ("theme", _): return "dark"
    case ("language", _): return "en"
    case ("keep", _), ("days", _): return "100"
    case ("text", _), ("question", _), ("answer", _), ("name", _), ("email", _): return "x"
    default:
      Issue.record("RouteWorld has no example of the field \(field) of \(route.path)")
      return "x"
    }
  }

  /// The files of a route's form.
  func files(of route: Route) -> [(String, Data)] { route.path == "settings/picture" ? [("me.png", Self.picture)] : [] }

  /// A request of a route. Values are bytes, because a browser need not send UTF-8.
  struct Call: Sendable {
    var route: Route
    var parameters: [String: String] = [:]
    var query: [String: Data] = [:]
    var form: [String: Data] = [:]
    var files: [(String, Data)] = []
    var headers: [(String, String)] = []

    var path: String {
      "/"
        + route.path.split(separator: "/").map { part in
          part.hasPrefix(":") ? parameters[String(part.dropFirst())] ?? "" : String(part)
        }.joined(separator: "/")
    }
  }

  /// A request with which a route does what it is for.
  func call(_ route: Route) throws -> Call {
    var call = Call(route: route, files: files(of: route))
    for name in route.parameters { call.parameters[name] = try parameter(name, of: route) }
    for name in route.query { call.query[name] = example(name, of: route).map { Data($0.utf8) } }
    for name in route.form { call.form[name] = example(name, of: route).map { Data($0.utf8) } }
    return call
  }

  /// Sends a request from a browser of a person; nil is a stranger's.
  func send(_ call: Call, as user: String?) async throws -> RequestAnswers.Answer {
    var headers = call.headers
    if let user { headers.append(("Cookie", "sorted-80=\(Self.cookie(user))")) }
    var target = call.path
    let query = call.query.map { "\(Self.escaped(Data($0.utf8)))=\(Self.escaped($1))" }
    if !query.isEmpty { target += "?" + query.joined(separator: "&") }
    var body = Data()
    if call.route.method == .post {
      var form = call.form
      if let user, form[Route.token] == nil {
        form[Route.token] = Data(Secret.formToken(of: Self.cookie(user)).utf8)
      }
      body = call.files.isEmpty ? Self.encoded(form) : Self.multipart(form, call.files)
      if !headers.contains(where: { $0.0 == "Content-Type" }) {
        headers.append(
          (
            "Content-Type",
            call.files.isEmpty ? "application/x-www-form-urlencoded" : "multipart/form-data; boundary=edge"
          ))
      }
    }
    // Each from another address, so that the limits of guests do not end the test.
    let number = requests.wrappingAdd(1, ordering: .relaxed).newValue
    return try await answers.answer(
      call.route.method.rawValue, target, headers: headers, body: body,
      remote: "10.\(number >> 16 & 255).\(number >> 8 & 255).\(number & 255)")
  }

  private static func encoded(_ form: [String: Data]) -> Data {
    Data(form.map { "\(escaped(Data($0.utf8)))=\(escaped($1))" }.joined(separator: "&").utf8)
  }

  private static func multipart(_ form: [String: Data], _ files: [(String, Data)]) -> Data {
    var body = Data()
    for (name, value) in form {
      body += Data("--edge\r\nContent-Disposition: form-data; name=\"\(name)\"\r\n\r\n".utf8)
      body += value + Data("\r\n".utf8)
    }
    for (name, bytes) in files {
      body += Data("--edge\r\nContent-Disposition: form-data; name=\"file\"; filename=\"\(name)\"\r\n\r\n".utf8)
      body += bytes + Data("\r\n".utf8)
    }
    return body + Data("--edge--\r\n".utf8)
  }

  /// Percent-encodes all bytes but letters and digits.
  static func escaped(_ bytes: Data) -> String {
    var text: [UInt8] = []
    text.reserveCapacity(bytes.count)
    let digits = Array("0123456789ABCDEF".utf8)
    for byte in bytes {
      switch byte {
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F: text.append(byte)
      default: text += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
    }
    return String(decoding: text, as: UTF8.self)
  }
}
