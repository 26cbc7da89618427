import Foundation
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import Sorted
import SwiftData
import Testing

@testable import SortedWeb

@Suite("Files in a browser") struct WebAttachmentTests {
  private static let studio = Slug.encode("sample/studio")
  /// A picture of one pixel.
  private static let png = Data(
    base64Encoded:
      "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==")!

  private static func attach(
    _ browser: inout Browser, _ name: String, _ bytes: Data
  ) async throws -> Browser.Answer {
    try await browser.upload(
      "/c/\(studio)/send", ["key": UUID().uuidString, "text": ""], files: [(name, bytes)])
  }

  private static func files(_ web: WebFixture) throws -> [AttachmentEntity] {
    try web.context().fetch(FetchDescriptor<AttachmentEntity>(sortBy: [SortDescriptor(\.createdAt)]))
  }

  @Test("A picture is attached, shown in the thread, and served as what it is")
  func picture() async throws {
    try await WebFixture.run { web in
      var browser = try await web.owner()
      #expect(try await Self.attach(&browser, "cat.png", Self.png).status == 303)
      let file = try #require(try Self.files(web).first)
      #expect(file.mimeType == "image/png" && file.type == .image && file.fileSize == Int64(Self.png.count))
      #expect(file.message?.conversationID == "sample/studio")
      let page = try await browser.get("/c/\(Self.studio)")
      #expect(page.text.contains("alt=\"cat.png\""))
      let answer = try await browser.get("/files/\(Slug.encode(file.id))")
      #expect(answer.body == Self.png)
      #expect(answer["Content-Type"] == "image/png")
      #expect(answer["Content-Security-Policy"] == "default-src 'none'; sandbox")
      #expect(try await browser.get("/files/\(Slug.encode(file.id))/thumbnail").status == 200)
      var stranger = Browser(base: web.base)
      #expect(try await stranger.get("/files/\(Slug.encode(file.id))").status == 401)
    }
  }

  @Test(
    "A person has so many downloads at once, and so many bytes in memory; each that ends makes room",
    .timeLimit(.minutes(10)))
  func downloads() async throws {
    try await WebFixture.run { web in
      var browser = try await web.owner()
      let text = Data(repeating: 0x61, count: 300 << 10)
      #expect(try await Self.attach(&browser, "long.txt", text).status == 303)
      let path = "/files/\(Slug.encode(try #require(try Self.files(web).first).id))"
      for _ in 0..<70 {
        let answer = try await browser.get(path)
        #expect(answer.status == 200 && answer.body == text && answer["Content-Length"] == "\(text.count)")
      }
      do {
        // A client has all of a file before the server has noted that the download ended.
        var places: [TransferLimit.Place] = []
        while places.count < 64 {
          do {
            places.append(try web.server.site.downloads.take("me"))
          } catch is PageError {
            try await Task.sleep(for: .milliseconds(10))
          }
        }
        #expect(try await browser.get(path).status == 429)
        #expect(places.count == 64)
      }
      #expect(try await browser.get(path).status == 200)
      // A file that came with its message from another inbox is in no folder.
      let context = web.context()
      let attachment = AttachmentEntity(
        type: .document, localURL: "", fileSize: 5, mimeType: "text/plain", fileName: "a.txt")
      attachment.contents = Data("hello".utf8)
      try InboxService(context: context).message("sample/studio/0").attachments.append(attachment)
      try context.save()
      let copy = "/files/\(Slug.encode(attachment.id))"
      do {
        let place = try web.server.site.copies.take("me", 64 << 20)
        #expect(try await browser.get(copy).status == 429)
        withExtendedLifetime(place) {}
      }
      #expect(try await browser.get(copy).text == "hello")
    }
  }

  @Test("Names lead nowhere, and what is no picture is only ever downloaded")
  func hostileNames() async throws {
    try await WebFixture.run { web in
      var browser = try await web.owner()
      let names = [
        "../../../../tmp/evil.txt": "evil.txt", "..\\..\\boot.txt": "boot.txt", "a\u{202E}txt.exe.txt": "atxt.exe.txt",
        "<img src=x onerror=1>.txt": "<img src=x onerror=1>.txt", "quote\".txt": "quote\".txt",
        ".htaccess.txt": "htaccess.txt", "a; filename=b.txt": "a; filename=b.txt",
      ]
      for (name, kept) in names {
        let sent = name.replacing("\"", with: "%22")
        #expect(try await Self.attach(&browser, sent, Data("<script>1</script>".utf8)).status == 303, "\(name)")
        let file = try #require(try Self.files(web).last)
        #expect(file.fileName == kept)
        let url = try #require(file.localURL.flatMap { URL(string: $0) })
        #expect(url.deletingLastPathComponent().path == web.folder.appendingPathComponent("files").path)
        let answer = try await browser.get("/files/\(Slug.encode(file.id))")
        #expect(answer["Content-Type"] == "application/octet-stream")
        #expect(answer["Content-Disposition"]?.hasPrefix("attachment;") == true)
      }
      #expect(try await browser.get("/c/\(Self.studio)").text.matches(of: /<script/).count == 1)
    }
  }

  @Test("Programs, pages, empty and oversized files are refused, and nothing of them stays")
  func refused() async throws {
    try await WebFixture.run(upload: 1 << 20) { web in
      var browser = try await web.owner()
      let refused: [(String, Data, Int)] = [
        ("page.html", Data("<script>1</script>".utf8), 415), ("a.svg", Data("<svg onload=alert(1)>".utf8), 415),
        ("run.sh", Data("#!/bin/sh".utf8), 415), ("fake.png", Data("<script>".utf8), 415), ("none.txt", Data(), 400),
        ("large.txt", Data(repeating: 0x61, count: 1 << 20), 413),
      ]
      for (name, bytes, status) in refused {
        #expect(try await Self.attach(&browser, name, bytes).status == status, "\(name)")
      }
      let other = Slug.encode("no")
      let answer = try await browser.upload(
        "/c/\(other)/send", ["key": UUID().uuidString, "text": ""], files: [("cat.png", Self.png)])
      #expect(answer.status == 404)
      #expect(try Self.files(web).isEmpty)
      let kept = try FileManager.default.contentsOfDirectory(atPath: web.folder.appendingPathComponent("files").path)
        .filter { $0 != "pictures" }
      #expect(kept.isEmpty)
    }
  }

  @Test("A form that forwards a message twice copies its file once")
  func forwardedTwice() async throws {
    try await WebFixture.run { web in
      var browser = try await web.owner()
      #expect(try await Self.attach(&browser, "cat.png", Self.png).status == 303)
      let message = try #require(try Self.files(web).first?.message?.id)
      let form = ["to": Slug.encode("sample/john"), "key": UUID().uuidString]
      for _ in 0..<2 {
        let answer = try await browser.send("/c/\(Self.studio)/m/\(Slug.encode(message))/forward", form)
        #expect(answer.status == 303)
      }
      let kept = try FileManager.default.contentsOfDirectory(atPath: web.folder.appendingPathComponent("files").path)
        .filter { UUID(uuidString: $0) != nil }
      #expect(try Self.files(web).count == 2)
      #expect(kept.count == 2, "\(kept)")
    }
  }

  @Test("An attachment that names a file elsewhere on the machine does not open it")
  func elsewhere() async throws {
    try await WebFixture.run { web in
      var browser = try await web.owner()
      let context = web.context()
      let secret = web.folder.appendingPathComponent("inbox.store")
      for location in [secret.absoluteString, secret.path, "file://\(web.folder.path)/files/../inbox.store"] {
        let attachment = AttachmentEntity(
          type: .document, localURL: location, fileSize: 1, mimeType: "text/plain", fileName: "a.txt")
        try InboxService(context: context).message("sample/studio/0").attachments.append(attachment)
        try context.save()
        #expect(try await browser.get("/files/\(Slug.encode(attachment.id))").status == 404, "\(location)")
      }
    }
  }

  @Test("A file that a person takes back while it is on its way is no error of the server")
  func takenBack() async throws {
    struct Closed: Error {}
    let body = AsyncThrowingStream<ByteBuffer, any Error> { stream in
      stream.yield(ByteBuffer(string: "text=a"))
      stream.finish(throwing: Closed())
    }
    let request = Request(
      head: HTTPRequest(
        method: .post, scheme: "http", authority: "localhost", path: "/c/\(Self.studio)/send",
        headerFields: [.contentType: "application/x-www-form-urlencoded"]),
      body: RequestBody(asyncSequence: body))
    let context = WebContext(logger: Logger(label: "test"), remote: "127.0.0.1")
    await #expect(throws: PageError.incomplete) { try await Form(request, context, maximumUpload: 1 << 20) }
  }
}
