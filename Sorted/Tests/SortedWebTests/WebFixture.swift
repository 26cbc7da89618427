import AsyncHTTPClient
import Foundation
import HTTPServing
import NIOCore
import NIOHTTP1
import Sorted
import SortedNetwork
import SortedSync
import SwiftData
import Testing

@testable import SortedWeb

/// A server over stores of its own, for as long as a test runs.
struct WebFixture: Sendable {
  let inbox: ModelContainer
  let own: ModelContainer
  let server: SortedWebServer
  let folder: URL
  let base: String

  static func run(
    accounts: Bool = false, names: [String] = [], tls: TLSFiles? = nil, proxies: [String] = [], upload: Int = 1 << 20,
    undoTime: TimeInterval = 3_600, burst: Int = 10_000, fetcher: LinkFetcher = LinkFetcher(client: HTTPLinkClient()),
    meaning: MeaningModel? = nil,
    fill: (ModelContext) throws -> Void = { try WebSample.fill($0) }, shared: SharedInbox? = nil,
    _ body: @Sendable @escaping (WebFixture) async throws -> Void
  ) async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("sorted-web-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let inbox = try shared?.container ?? SortedContainer.open(folder.appendingPathComponent("inbox.store"))
    try fill(ModelContext(inbox))
    let own = try WebSchema.open(folder.appendingPathComponent("web.store"))
    var options = WebOptions(
      port: 0, hasAccounts: accounts, files: folder.appendingPathComponent("files"), maximumUpload: upload,
      names: names, tls: tls, trustedProxies: proxies, undoTime: undoTime, burst: burst)
    options.meaning = meaning
    let sync: SharedInboxCoordinator? = if let shared { await SharedInboxCoordinator(shared) } else { nil }
    let server = try await SortedWebServer(inbox: inbox, own: own, options: options, sync: sync, fetcher: fetcher)
    let (ports, port) = AsyncStream.makeStream(of: Int.self)
    let syncing = Task { await sync?.run(interval: 0.1) }
    defer { syncing.cancel() }
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await server.run(signals: false) { port.yield($0) } }
      group.addTask {
        var iterator = ports.makeAsyncIterator()
        let number = try #require(await iterator.next())
        try await body(
          WebFixture(
            inbox: inbox, own: own, server: server, folder: folder,
            base: "\(tls == nil ? "http" : "https")://127.0.0.1:\(number)"))
      }
      // The server ends when it is cancelled; what the test throws is thrown here.
      do { try await group.next() } catch {
        group.cancelAll()
        throw error
      }
      group.cancelAll()
      while let _ = try? await group.next() {}
    }
  }

  /// The owner's browser.
  func owner() async throws -> Browser {
    var browser = Browser(base: base)
    let answer = try await browser.get("/?token=\(server.makeToken())")
    #expect(answer.status == 303)
    return browser
  }

  /// Somebody's browser, with an account of theirs.
  func member(_ name: String) async throws -> Browser {
    var browser = Browser(base: base)
    let answer = try await browser.send(
      "/sign-up", ["name": name, "password": "correct horse \(name)"], withToken: false)
    #expect(answer.status == 303, "\(answer.text)")
    return browser
  }

  func context() -> ModelContext { ModelContext(inbox) }
}

/// A browser that keeps its cookie and follows nothing.
struct Browser: Sendable {
  struct Answer: Sendable {
    let status: Int
    let headers: HTTPHeaders
    let body: Data

    var text: String { String(decoding: body, as: UTF8.self) }
    subscript(header: String) -> String? { headers.first(name: header) }
  }

  /// It follows nothing: where an answer leads is part of what is tested. It lives as long as the tests.
  private static let client = HTTPClient(
    eventLoopGroupProvider: .singleton,
    configuration: .init(
      redirectConfiguration: .disallow, timeout: .init(connect: .seconds(300), read: .seconds(300))))

  let base: String
  var cookie: String?
  /// The cookie of the language that the settings chose.
  var language: String?
  var formToken: String?

  init(base: String) { self.base = base }

  mutating func get(_ path: String, headers: [String: String] = [:]) async throws -> Answer {
    try await request("GET", path, headers, nil)
  }

  /// Sends a form, with the token of its page.
  mutating func send(
    _ path: String, _ fields: [String: String] = [:], withToken: Bool = true, headers: [String: String] = [:]
  ) async throws -> Answer {
    var fields = fields
    if withToken { fields["form"] = try await token() }
    let body = fields.map { "\(Self.escaped($0))=\(Self.escaped($1))" }.joined(separator: "&")
    let type = ["Content-Type": "application/x-www-form-urlencoded"]
    return try await request("POST", path, headers.merging(type) { first, _ in first }, Data(body.utf8))
  }

  /// Sends a form with files.
  mutating func upload(_ path: String, _ fields: [String: String], files: [(String, Data)]) async throws -> Answer {
    var body = Data()
    var fields = fields
    fields["form"] = try await token()
    for (name, value) in fields {
      body += Data("--edge\r\nContent-Disposition: form-data; name=\"\(name)\"\r\n\r\n\(value)\r\n".utf8)
    }
    for (name, bytes) in files {
      let head = "--edge\r\nContent-Disposition: form-data; name=\"file\"; filename=\"\(name)\"\r\n"
      body += Data((head + "Content-Type: image/png\r\n\r\n").utf8) + bytes + Data("\r\n".utf8)
    }
    body += Data("--edge--\r\n".utf8)
    return try await request("POST", path, ["Content-Type": "multipart/form-data; boundary=edge"], body)
  }

  mutating func token() async throws -> String {
    if let formToken { return formToken }
    let page = try await get("/settings")
    let match = try #require(page.text.firstMatch(of: /name="form" value="([^"]+)"/), "\(page.text)")
    formToken = String(match.1)
    return String(match.1)
  }

  mutating func request(
    _ method: String, _ path: String, _ headers: [String: String], _ body: Data?
  ) async throws -> Answer {
    var request = HTTPClientRequest(url: base + path)
    request.method = HTTPMethod(rawValue: method)
    for (name, value) in headers { request.headers.add(name: name, value: value) }
    let cookies = [cookie, language].compactMap { $0 }.joined(separator: "; ")
    if !cookies.isEmpty { request.headers.add(name: "Cookie", value: cookies) }
    if let body { request.body = .bytes(ByteBuffer(bytes: body)) }
    let response = try await Self.client.execute(request, timeout: .seconds(300))
    let bytes = try await response.body.collect(upTo: 64 << 20)
    for set in response.headers["Set-Cookie"] {
      let pair = String(set.prefix { $0 != ";" })
      if pair.hasPrefix("language=") { language = pair == "language=" ? nil : pair } else { cookie = pair }
    }
    return Answer(status: Int(response.status.code), headers: response.headers, body: Data(bytes.readableBytesView))
  }

  /// The events of a page, until the body ends.
  func events(
    thread: String? = nil, language: String? = nil, _ body: (inout Events) async throws -> Void
  ) async throws {
    var request = HTTPClientRequest(url: base + "/events" + (thread.map { "?threads=\($0)" } ?? ""))
    if let cookie { request.headers.add(name: "Cookie", value: cookie) }
    if let language { request.headers.add(name: "Accept-Language", value: language) }
    let response = try await Self.client.execute(request, timeout: .seconds(300))
    #expect(response.status == .ok)
    var events = Events(response.body.makeAsyncIterator())
    // The hub tells of other readers 300 ms after a browser came, which may be before all is watched. No page shows it otherwise.
    #expect(try await events.next("hello", keeping: "presence") != nil)
    try await body(&events)
  }

  struct Events {
    private var iterator: HTTPClientResponse.Body.AsyncIterator
    private var text = ""

    init(_ iterator: HTTPClientResponse.Body.AsyncIterator) { self.iterator = iterator }

    /// The data of the next event of a kind that has a text; others are passed over. Nil where the stream ended.
    ///
    /// Heartbeats keep the connection open, so the client's timeouts do not end a wait for an event that never comes.
    /// - Parameter kept: the kind of the events that a later call gets although they came before.
    /// - Throws: ``Missing`` after 500 seconds.
    mutating func next(
      _ name: String, containing words: String = "", keeping kept: String? = nil
    ) async throws -> String? {
      let start = ContinuousClock.now
      var others: [String] = []
      var early = ""
      defer { text = early + text }
      while start.duration(to: .now) < .seconds(500) {
        while let end = text.range(of: "\n\n") {
          let event = text[..<end.lowerBound]
          text.removeSubrange(..<end.upperBound)
          let lines = event.split(separator: "\n")
          let data = lines.filter { $0.hasPrefix("data: ") }.map { $0.dropFirst(6) }.joined(separator: "\n")
          if lines.contains("event: \(name)"), words.isEmpty || data.contains(words) { return data }
          if let kept, lines.contains("event: \(kept)") { early += event + "\n\n" }
          others.append(String(event.prefix(80)))
        }
        guard let chunk = try await iterator.next() else { return nil }
        text += String(buffer: chunk)
      }
      throw Missing(event: name, words: words, others: others.suffix(20))
    }

    /// An event that never came, and what came instead.
    struct Missing: Error {
      let event: String
      let words: String
      let others: [String]
    }
  }

  static func escaped(_ text: String) -> String {
    text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
  }
}

extension RateLimiter<String> {
  /// Lets no more time pass for the limiter, whose time never goes back. It then gives as many attempts on a busy machine as on an idle
  /// one.
  func stopClock() { _ = take("", at: .now + .seconds(86_400)) }
}
