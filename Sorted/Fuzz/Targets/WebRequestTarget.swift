import Foundation
import Sorted
import SortedWeb
import SwiftData
import Synchronization

/// A request to Sorted's web server from a browser of its owner: a line with method and target, lines with headers up to an empty
/// one, and the body. The target adds the cookie and the token of the session, so that a request goes behind them.
enum WebRequestTarget {
  /// The routes, for the test that each has an input.
  static func routes() async throws -> [(method: String, path: String)] { try await Host.shared().server.routeNames }

  static func run(_ bytes: Data) async throws { try await Host.shared().run(bytes) }

  /// A server whose stores are as they were every 64 requests.
  private actor Host {
    let server: SortedWebServer
    private let inbox: ModelContainer
    private let own: ModelContainer
    private var answers: RequestAnswers
    private var session: (cookie: String, token: String)?
    private var count = 0

    private static let made = Task { try await Host() }
    static func shared() async throws -> Host { try await made.value }

    private init() async throws {
      inbox = try SortedContainer.inMemory()
      own = try WebSchema.inMemory()
      let folder = FileManager.default.temporaryDirectory.appendingPathComponent("fuzz-web-\(UUID().uuidString)")
      server = try await SortedWebServer(
        inbox: inbox, own: own,
        options: WebOptions(hasAccounts: true, files: folder, maximumUpload: 1 << 16, burst: 1_000_000))
      answers = server.answers
    }

    func run(_ bytes: Data) async throws {
      if count.isMultiple(of: 64) { try fill() }
      count += 1
      let session = try await signedIn()
      let (head, rest) = bytes.headAndBody
      let words = head.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      var (headers, body) = Self.headers(rest)
      headers.append(("Cookie", session.cookie))
      let type = headers.first { $0.0.lowercased() == "content-type" }?.1 ?? ""
      if type.isEmpty { headers.append(("Content-Type", "application/x-www-form-urlencoded")) }
      if type.hasPrefix("multipart") {
        let part = "--edge\r\nContent-Disposition: form-data; name=\"form\"\r\n\r\n\(session.token)\r\n"
        body = Data(part.utf8) + body
      } else {
        body = Data("form=\(session.token)&".utf8) + body
      }
      let answer = try await answers.answer(
        words[0], words.count > 1 ? words[1] : "", headers: headers, body: body,
        remote: "10.0.\(count >> 8 & 255).\(count & 255)")
      if answer.status >= 500 { broken("\(answer.status): \(String(decoding: answer.body, as: UTF8.self))") }
      if answer.status >= 400 { throw Refused() }
    }

    private struct Refused: Error {}

    private static func headers(_ bytes: Data) -> (headers: [(String, String)], body: Data) {
      var headers: [(String, String)] = []
      var rest = bytes
      while true {
        let (line, next) = rest.headAndBody
        guard let colon = line.firstIndex(of: ":") else { return (headers, line.isEmpty ? next : rest) }
        let value = line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
        headers.append((String(line[..<colon]), value))
        rest = next
      }
    }

    /// The session of the owner, who signs in again after a request that ended it.
    private func signedIn() async throws -> (cookie: String, token: String) {
      if let session {
        let answer = try await answers.answer("GET", "/session", headers: [("Cookie", session.cookie)])
        if answer.status == 200 { return session }
      }
      let remote = "10.1.\(count >> 8 & 255).\(count & 255)"
      let entry = try await answers.answer("GET", "/?token=\(server.makeToken())", remote: remote)
      guard let cookie = entry["Set-Cookie"].map({ String($0.prefix { $0 != ";" }) }) else { broken("no session") }
      let answer = try await answers.answer("GET", "/session", headers: [("Cookie", cookie)])
      let token = try JSONDecoder().decode([String: String].self, from: answer.body)["token"] ?? ""
      session = (cookie, token)
      return (cookie, token)
    }

    private func fill() throws {
      let (inbox, own) = (ModelContext(inbox), ModelContext(own))
      try inbox.delete(model: ConversationEntity.self)
      try inbox.delete(model: UserEntity.self)
      try inbox.delete(model: FAQEntity.self)
      try inbox.save()
      for type in WebSchema.models where type != SessionEntity.self && type != SiteEntity.self {
        try Self.clear(type, own)
      }
      try own.save()
      let conversation = ConversationEntity(id: "c", participantIDs: ["me", "ann"], displayName: "Talk", isGroup: true)
      inbox.insert(conversation)
      for number in 1...3 {
        let message = MessageEntity(
          id: "m\(number)", conversationID: "c", senderID: number == 2 ? "ann" : "me",
          text: "*message* \(number) https://example.org", status: .sent, syncStatus: .synced)
        conversation.messages.append(message)
        conversation.updateWithMessage(message)
      }
      let user = UserEntity(id: "me", email: "", displayName: "Me")
      user.faqs = [FAQEntity(id: "a", category: .other, questionPattern: "What?", answer: "That.")]
      inbox.insert(user)
      try inbox.save()
    }

    private static func clear<T: PersistentModel>(_ type: T.Type, _ context: ModelContext) throws {
      try context.delete(model: type)
    }
  }
}
