import Foundation
import Sorted
import SwiftData
import Testing

@testable import SortedWeb

@Suite("Pictures of people") struct PictureTests {
  private static let png = Data(base64Encoded: PreviewTests.pixel)!

  private static func address(_ page: Browser.Answer) -> String? {
    page.text.firstMatch(of: /<img src="(\/pictures\/[^"]+)"/).map { String($0.1) }
  }

  /// The names of the kept pictures.
  private static func files(_ web: WebFixture) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: web.folder.appendingPathComponent("files/pictures").path)
  }

  /// Writes the address of a person's picture, as a sync or another program would.
  private static func setAddress(_ address: String, of id: String, _ web: WebFixture) throws {
    let context = web.context()
    let known = try context.fetch(FetchDescriptor<UserEntity>(predicate: #Predicate { $0.id == id })).first
    let user = known ?? UserEntity(id: id, email: "", displayName: id)
    user.photoURL = address
    context.insert(user)
    try context.save()
  }

  @Test("A picture of one's own stands for its person on all pages, until it is removed")
  func shown() async throws {
    try await WebFixture.run(accounts: true) { web in
      var (ann, bob) = (try await web.member("ann"), try await web.member("bob"))
      #expect(try await ann.send("/new", ["people": "bob", "name": ""]).status == 303)
      #expect(try await bob.get("/").status == 200)
      let saved = try await ann.upload("/settings/picture", [:], files: [("me.png", Self.png)])
      #expect(saved.status == 303)
      let address = try #require(try await Self.address(ann.get("/settings")))
      let person = Slug.encode("ann")
      for page in ["/", "/people/\(person)"] {
        #expect(try await Self.address(bob.get(page)) == address, "\(page)")
      }
      let picture = try await bob.get(address)
      #expect(picture.status == 200 && picture["Content-Type"]?.hasPrefix("image/") == true)
      #expect(picture["Content-Security-Policy"] == FilesController.policy)
      // Another one takes its place, and nothing is left of the first.
      _ = try await ann.upload("/settings/picture", [:], files: [("me.png", Self.png)])
      #expect(try await bob.get(address).status == 404)
      let next = try #require(try await Self.address(bob.get("/")))
      #expect(next != address)
      #expect(try Self.files(web).count == 1)
      _ = try await ann.send("/settings/picture", ["remove": "1"])
      #expect(try await Self.address(bob.get("/")) == nil)
      #expect(try Self.files(web).isEmpty)
      #expect(try await bob.get(next).status == 404)
    }
  }

  @Test("What is no picture or too large is refused, and leaves the picture and no file behind")
  func refused() async throws {
    try await WebFixture.run(upload: 8 << 20) { web in
      var browser = try await web.owner()
      _ = try await browser.upload("/settings/picture", [:], files: [("me.png", Self.png)])
      let address = try #require(try await Self.address(browser.get("/settings")))
      for (name, bytes, status) in [
        ("a.txt", Data("no picture".utf8), 400), ("a.exe", Data([0x4D, 0x5A, 0, 1]), 415),
        ("a.png", Self.png + Data(count: PictureCabinet.maximumBytes), 413),
      ] {
        #expect(try await browser.upload("/settings/picture", [:], files: [(name, bytes)]).status == status, "\(name)")
      }
      #expect(try await browser.upload("/settings/picture", [:], files: []).status == 400)
      #expect(try await Self.address(browser.get("/settings")) == address)
      #expect(try Self.files(web).count == 1)
    }
  }

  @Test("A profile names no file that is not a picture of its person, and a replacement deletes no such file")
  func hostile() async throws {
    try await WebFixture.run(accounts: true) { web in
      var (ann, bob, mallory) = (
        try await web.member("ann"), try await web.member("bob"), try await web.member("mallory")
      )
      #expect(try await ann.send("/new", ["people": "bob mallory", "name": "Three"]).status == 303)
      _ = try await ann.upload("/settings/picture", [:], files: [("me.png", Self.png)])
      let annsPicture = try #require(try await Self.address(ann.get("/settings")))
      let group = try #require(try await bob.get("/").text.firstMatch(of: /id="c-([^"]+)"/)).1
      _ = try await bob.upload(
        "/c/\(group)/send", ["key": UUID().uuidString, "text": "look"], files: [("a.png", Self.png)])
      let attachment = try #require(
        try web.context().fetch(FetchDescriptor<AttachmentEntity>(predicate: #Predicate { $0.fileName == "a.png" }))
          .first)
      let file = try #require(attachment.localURL.flatMap(URL.init(string:)))
      for address in [
        annsPicture, "/pictures/\(attachment.id)", "/pictures/../\(attachment.id)", "/pictures/../../inbox.store",
        "/pictures/" + PictureCabinet.newName(of: "mallory") + "/../../\(attachment.id)",
      ] {
        try Self.setAddress(address, of: "mallory", web)
        #expect(try await Self.address(mallory.get("/settings")) == nil, "\(address)")
        #expect(try await Self.address(bob.get("/people/\(Slug.encode("mallory"))")) == nil, "\(address)")
        if address != annsPicture {
          #expect(try await bob.get(address.replacing("..", with: "%2E%2E")).status == 404, "\(address)")
        }
        #expect(try await mallory.upload("/settings/picture", [:], files: [("e.png", Self.png)]).status == 303)
        #expect(try await ann.get(annsPicture).status == 200, "\(address)")
        #expect(FileManager.default.fileExists(atPath: file.path), "\(address)")
      }
      #expect(try await ann.get("/files/\(Slug.encode(attachment.id))").status == 200)
    }
  }

  @Test("Pictures of earlier versions move to the folder of pictures; attachments and files of two profiles stay")
  func adopted() async throws {
    try await WebFixture.run { web in
      let files = try FileCabinet(folder: web.folder.appendingPathComponent("files"))
      let stored = try files.store(Array(repeating: Form.File(name: "a.png", bytes: Self.png), count: 3))
      let context = web.context()
      let conversation = try InboxService(context: context).conversation("sample/john")
      let message = try InboxService(context: context).send("look", to: conversation)
      let attachment = stored[1].attachment
      context.insert(attachment)
      attachment.message = message
      for (id, file) in [("ann", stored[0]), ("mallory", stored[1]), ("bob", stored[2]), ("cat", stored[2])] {
        context.insert(UserEntity(id: id, email: "", displayName: id, photoURL: "/pictures/\(file.id)"))
      }
      try context.save()
      // The next start of the server.
      _ = try await SortedWebServer(
        inbox: web.inbox, own: web.own, options: WebOptions(files: web.folder.appendingPathComponent("files")))
      let users = try web.context().fetch(FetchDescriptor<UserEntity>(sortBy: [SortDescriptor(\.id)]))
      #expect(users.filter { $0.picture != nil }.map(\.id) == ["ann"])
      var browser = try await web.owner()
      let address = try #require(users.first { $0.id == "ann" }?.picture)
      #expect(try await browser.get(address).body == Self.png)
      let kept = stored.map { FileManager.default.fileExists(atPath: $0.url.path) }
      #expect(kept == [false, true, true])
    }
  }

  // MARK: - Of other servers

  private static func images(_ page: Browser.Answer) -> Set<String> {
    Set(page.text.matches(of: /<img [^>]*src="([^"]+)"/).map { String($0.1) })
  }

  @Test(
    "The server fetches a picture of another server once, for readers who allow it, and serves it under its own name")
  func foreign() async throws {
    try await PreviewTests.withServer { port, asked in
      try await WebFixture.run(accounts: true, fetcher: PreviewTests.fetcher(port)) { web in
        var (ann, bob, carol) = (
          try await web.member("ann"), try await web.member("bob"), try await web.member("carol")
        )
        #expect(try await ann.send("/new", ["people": "bob", "name": ""]).status == 303)
        try Self.setAddress("http://127.0.0.1:\(port)/face.png", of: "bob", web)
        let person = "/people/\(Slug.encode("bob"))"
        let images = try await Self.images(ann.get("/")).union(Self.images(ann.get(person)))
        let address = try #require(images.first { $0.hasPrefix(person) })
        #expect(images == [address])
        // Without the switch nothing is fetched, and the initials stay.
        #expect(try await ann.get(address).status == 204)
        #expect(asked.count == 0)
        _ = try await ann.send("/settings/switches", ["previews": "1"])
        for _ in 0..<2 {
          let picture = try await ann.get(address)
          #expect(picture.status == 200 && picture["Content-Type"]?.hasPrefix("image/") == true)
          #expect(picture["Content-Security-Policy"] == FilesController.policy)
        }
        #expect(asked.count == 1)
        // A person without a conversation with him gets nothing.
        _ = try await carol.send("/settings/switches", ["previews": "1"])
        #expect(try await carol.get(address).status == 204)
        // A group's picture, which a sync wrote.
        #expect(try await ann.send("/new", ["people": "bob carol", "name": "Three"]).status == 303)
        let context = web.context()
        let group = try #require(
          try context.fetch(FetchDescriptor<ConversationEntity>(predicate: #Predicate { $0.displayName == "Three" }))
            .first)
        group.avatarURL = "http://127.0.0.1:\(port)/face.png?group"
        try context.save()
        let path = "/c/\(Slug.encode(group.id))/picture"
        let shown = try #require(try await Self.images(carol.get("/")).first { $0.hasPrefix(path) })
        #expect(try await carol.get(shown).status == 200)
        #expect(asked.count == 2)
        #expect(try await bob.get(shown).status == 204)
        var stranger = try await web.member("dave")
        _ = try await stranger.send("/settings/switches", ["previews": "1"])
        #expect(try await stranger.get(shown).status == 404)
      }
    }
  }

  @Test("What is no picture, too large, or at an address that is not public is not served, and not asked for again")
  func foreignRefused() async throws {
    try await PreviewTests.withServer { port, asked in
      try await WebFixture.run(fetcher: PreviewTests.fetcher(port)) { web in
        var owner = try await web.owner()
        _ = try await owner.send("/settings/switches", ["previews": "1"])
        let base = "http://127.0.0.1:\(port)"
        for link in [
          "\(base)/liar.png", "\(base)/huge.png", "\(base)/page", "\(base)/nothing", "http://127.0.0.1:1/face.png",
          "\(base)/to/http%3A%2F%2F127.0.0.1%3A1%2Fface.png",
        ] {
          let context = web.context()
          try InboxService(context: context).conversation("sample/john").avatarURL = link
          try context.save()
          let image = try #require(
            try await Self.images(owner.get("/")).first { $0.hasPrefix("/c/\(Slug.encode("sample/john"))/picture") })
          let before = asked.count
          for _ in 0..<2 { #expect(try await owner.get(image).status == 204, "\(link)") }
          #expect(asked.count <= before + 1, "\(link)")
        }
        // What is not of the web is no picture of another server, and of what our folder has nothing is given out.
        for link in ["file:///etc/passwd", "/pictures/\(UUID().uuidString)", "javascript:alert(1)"] {
          let context = web.context()
          try InboxService(context: context).conversation("sample/john").avatarURL = link
          try context.save()
          #expect(try await Self.images(owner.get("/")).isEmpty, "\(link)")
        }
        let name = try #require(try Self.files(web).first { $0.hasPrefix("foreign-") })
        #expect(try await owner.get("/pictures/\(name)").status == 404)
      }
    }
  }
}
