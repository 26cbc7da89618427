import Foundation
import HTTPServing
import Hummingbird
import NIOCore
import Sorted
import SortedNetwork
import SwiftData
import Synchronization
import Testing

@testable import SortedWeb

@Suite("Previews of links") struct PreviewTests {
  // MARK: - Addresses

  @Test(
    "Addresses of this machine, of private networks and of reserved blocks are not public",
    arguments: [
      "127.0.0.1", "127.255.1.2", "0.0.0.0", "10.1.2.3", "100.64.0.1", "169.254.169.254", "172.16.0.1",
      "172.31.255.255",
      "192.0.0.1", "192.0.2.1", "192.88.99.1", "192.168.1.1", "198.18.0.1", "198.51.100.7", "203.0.113.9", "224.0.0.1",
      "255.255.255.255", "::", "::1", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "::7f00:1", "fe80::1", "fc00::1",
      "fd12::1",
      "ff02::1", "64:ff9b::7f00:1", "2001::1", "2001:db8::1", "2002:7f00:1::", "3fff::1",
    ])
  func reserved(_ text: String) throws {
    #expect(!PublicAddress.isPublic(try SocketAddress(ipAddress: text, port: 80)))
  }

  @Test(
    "Addresses of the internet are public",
    arguments: [
      "1.1.1.1", "100.63.0.1", "172.32.0.1", "192.0.1.1", "193.0.0.1", "223.255.255.255", "2606:4700::1111",
      "::ffff:1.1.1.1",
    ])
  func open(_ text: String) throws {
    #expect(PublicAddress.isPublic(try SocketAddress(ipAddress: text, port: 443)))
  }

  @Test(
    "A link that is not of the public web is not fetched",
    arguments: [
      ("http://127.0.0.1/", LinkFetcher.Failure.forbiddenAddress), ("http://localhost/", .forbiddenAddress),
      ("http://LOCALHOST/", .forbiddenAddress), ("http://0x7f.1/", .forbiddenAddress),
      ("http://2130706433/", .forbiddenAddress), ("http://169.254.169.254/latest", .forbiddenAddress),
      ("http://1.1.1.1:22/", .forbiddenAddress), ("http://[::1]/", .notAWebAddress),
      ("ftp://1.1.1.1/", .notAWebAddress),
      ("file:///etc/passwd", .notAWebAddress), ("http://user:secret@1.1.1.1/", .notAWebAddress),
      ("http://", .notAWebAddress),
    ] as [(String, LinkFetcher.Failure)])
  func refused(_ link: String, _ failure: LinkFetcher.Failure) async {
    await #expect(throws: failure) { _ = try await LinkFetcher(client: HTTPLinkClient()).page(link) }
  }

  // MARK: - A server

  /// Pages on this machine.
  static func withServer(_ body: @Sendable @escaping (_ port: Int, _ asked: Counter) async throws -> Void)
    async throws
  {
    let asked = Counter()
    let router = Router()
    router.get("page") { _, _ in
      asked.add()
      return html(
        "<html><head><title>Plain</title><meta property=\"og:title\" content=\"Harbour &amp; <b>lights\"></head>")
    }
    router.get("to/:place") { _, context in
      Response(
        status: .found, headers: [.location: try context.parameters.require("place").removingPercentEncoding ?? ""])
    }
    router.get("loop") { _, _ in Response(status: .found, headers: [.location: "/loop"]) }
    router.get("picture") { _, _ in
      Response(status: .ok, headers: [.contentType: "image/png"], body: .init(byteBuffer: .init(string: "x")))
    }
    router.get("face.png") { _, _ in
      asked.add()
      return image(Data(base64Encoded: pixel)!)
    }
    router.get("liar.png") { _, _ in
      asked.add()
      return image(Data("<svg onload='alert(1)'></svg>".utf8))
    }
    router.get("huge.png") { _, _ in
      asked.add()
      return image(Data(base64Encoded: pixel)! + Data(count: PictureCabinet.maximumBytes))
    }
    router.get("slow") { _, _ in
      try await Task.sleep(for: .seconds(60))
      return html("late")
    }
    router.get("endless") { _, _ in
      Response(
        status: .ok, headers: [.contentType: "text/html"],
        body: .init { writer in
          try await writer.write(ByteBuffer(string: "<title>Endless</title>"))
          while true { try await writer.write(ByteBuffer(repeating: 0x20, count: 64 << 10)) }
        })
    }
    let (ports, port) = AsyncStream.makeStream(of: Int.self)
    var application = Application(
      router: router, server: .endingAccepted(), configuration: .init(address: .hostname("127.0.0.1", port: 0)),
      onServerRunning: { port.yield($0.localAddress?.port ?? 0) })
    application.logger.logLevel = .critical
    let server = application
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        defer { port.finish() }
        try? await server.runService(gracefulShutdownSignals: [])
      }
      var iterator = ports.makeAsyncIterator()
      let number = try #require(await iterator.next())
      defer { group.cancelAll() }
      try await body(number, asked)
    }
  }

  /// A picture of one pixel.
  static let pixel =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

  private static func image(_ bytes: Data) -> Response {
    Response(status: .ok, headers: [.contentType: "image/png"], body: .init(byteBuffer: .init(bytes: bytes)))
  }

  private static func html(_ text: String) -> Response {
    Response(
      status: .ok, headers: [.contentType: "text/html; charset=utf-8"], body: .init(byteBuffer: .init(string: text)))
  }

  /// Takes one port of this machine for a public address.
  static func fetcher(_ port: Int) -> LinkFetcher {
    LinkFetcher(client: HTTPLinkClient(), timeout: .seconds(600), isAllowed: { $0.port == port })
  }

  @Test("A page is fetched, redirects are followed and checked, and too many are refused")
  func fetching() async throws {
    try await Self.withServer { port, _ in
      let (base, fetcher) = ("http://127.0.0.1:\(port)", Self.fetcher(port))
      #expect(PageHead(try await fetcher.page("\(base)/page").html).title == "Harbour & <b>lights")
      let (address, _) = try await fetcher.page("\(base)/to/%2Fpage")
      #expect(address.path == "/page")
      // The redirect leads to another port, which is not allowed.
      await #expect(throws: LinkFetcher.Failure.forbiddenAddress) {
        _ = try await fetcher.page("\(base)/to/http%3A%2F%2F127.0.0.1%3A1%2F")
      }
      await #expect(throws: LinkFetcher.Failure.notAWebAddress) {
        _ = try await fetcher.page("\(base)/to/file%3A%2F%2F%2Fetc%2Fpasswd")
      }
      await #expect(throws: LinkFetcher.Failure.tooManyRedirects) { _ = try await fetcher.page("\(base)/loop") }
      await #expect(throws: LinkFetcher.Failure.notAPage) { _ = try await fetcher.page("\(base)/picture") }
      await #expect(throws: LinkFetcher.Failure.notAPage) { _ = try await fetcher.page("\(base)/nothing") }
    }
  }

  @Test("A page without an end is read up to the limit, and a server that does not answer is left")
  func limits() async throws {
    try await Self.withServer { port, _ in
      var fetcher = Self.fetcher(port)
      let endless = try await fetcher.page("http://127.0.0.1:\(port)/endless").html
      #expect(endless.utf8.count == LinkFetcher.maximumBytes && PageHead(endless).title == "Endless")
      fetcher.timeout = .milliseconds(200)
      await #expect(throws: (any Error).self) { _ = try await fetcher.page("http://127.0.0.1:\(port)/slow") }
    }
  }

  // MARK: - In the pages

  @Test("A reader who allows previews gets one that is fetched once; others get none, and nothing is fetched for them")
  func pages() async throws {
    try await Self.withServer { port, asked in
      try await WebFixture.run(accounts: true, fetcher: Self.fetcher(port)) { web in
        var owner = try await web.owner()
        let context = web.context()
        let inbox = InboxService(context: context)
        let conversation = try inbox.conversation("sample/john")
        let link = "http://127.0.0.1:\(port)/page?a=1&b=2"
        let id = try inbox.send("See \(link).", to: conversation).id
        let plain = try inbox.send("No link", to: conversation).id
        try context.save()
        func path(_ id: String) -> String { "/c/\(Slug.encode("sample/john"))/m/\(Slug.encode(id))/preview" }
        #expect(try await owner.get(path(id)).status == 204)
        #expect(try await !owner.get("/").text.contains("data-previews"))
        #expect(asked.count == 0)
        _ = try await owner.send("/settings/switches", ["previews": "1"])
        #expect(try await owner.get("/").text.contains("data-previews=\"yes\""))
        for _ in 0..<2 {
          let card = try await owner.get(path(id))
          #expect(card.status == 200 && card.text.contains("Harbour &amp; &lt;b&gt;lights"))
          #expect(card.text.contains("a=1&amp;b=2"))
        }
        #expect(asked.count == 1)
        #expect(try await owner.get(path(plain)).status == 204)
        var stranger = try await web.member("mallory")
        _ = try await stranger.send("/settings/switches", ["previews": "1"])
        #expect(try await stranger.get(path(id)).status == 404)
      }
    }
  }

  @Test("A server without a client offers no previews")
  func withoutClient() async throws {
    for (fetcher, offers) in [(LinkFetcher(client: HTTPLinkClient()), true), (.offline, false)] {
      try await WebFixture.run(fetcher: fetcher) { web in
        var owner = try await web.owner()
        #expect(try await owner.get("/settings").text.contains("name=\"previews\"") == offers)
        _ = try await owner.send("/settings/switches", ["previews": "1"])
        #expect(try await owner.get("/").text.contains("data-previews=\"yes\"") == offers)
      }
    }
  }

  @Test("The head of a page is read whatever its quotes, its order and its faults")
  func heads() {
    let page = PageHead(
      """
      <!doctype html><TITLE>\n A  title </TITLE><meta content='What it&#39;s about &#x2014; all' name=Description>
      <meta property="og:site_name" content="Pier"><meta name="broken content="x"><body><title>No</title>
      """)
    #expect(page.title == "A title")
    #expect(page.summary == "What it's about — all")
    #expect(page.site == "Pier")
    #expect(PageHead("").title == "" && PageHead("<title").title == "" && PageHead("<<<>>><title>a").title == "a")
    #expect(
      PageHead("<title>\(String(repeating: "long ", count: 100))</title>").title.count <= PageHead.maximumTitle + 1)
    #expect(
      MessageText.firstLink(of: "see https://a.example/?a=1&b=%22, or http://b.example")
        == "https://a.example/?a=1&b=%22")
    #expect(MessageText.firstLink(of: "see javascript:alert(1)") == nil)
  }
}

/// A count that tasks share.
final class Counter: Sendable {
  private let value = Mutex(0)
  var count: Int { value.withLock { $0 } }
  func add() { value.withLock { $0 += 1 } }
}
