import Foundation
import Sorted
import SwiftData
import Testing

@testable import SortedWeb

@Suite("Pictures of people") struct PictureTests {
  /// A picture of one pixel.
  private static let png = Data(
    base64Encoded: "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==")!

  private static func address(_ page: Browser.Answer) -> String? {
    page.text.firstMatch(of: /<img src="(\/pictures\/[^"]+)"/).map { String($0.1) }
  }

  private static func files(_ web: WebFixture) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: web.folder.appendingPathComponent("files").path)
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
        ("a.png", Self.png + Data(count: PictureController.maximumBytes), 413),
      ] {
        #expect(try await browser.upload("/settings/picture", [:], files: [(name, bytes)]).status == status, "\(name)")
      }
      #expect(try await browser.upload("/settings/picture", [:], files: []).status == 400)
      #expect(try await Self.address(browser.get("/settings")) == address)
      #expect(try Self.files(web).count == 1)
    }
  }

  @Test("A picture of another server is not shown, and no other file is given out as a picture")
  func foreign() async throws {
    try await WebFixture.run { web in
      let context = web.context()
      context.insert(
        UserEntity(id: "ann", email: "", displayName: "Ann", photoURL: "https://pictures.example/ann.png"))
      let attached = try FileCabinet(folder: web.folder.appendingPathComponent("files")).store([
        Form.File(name: "a.png", bytes: Self.png)
      ])[0]
      context.insert(UserEntity(id: "eve", email: "", displayName: "Eve", photoURL: "/pictures/../inbox.store"))
      try context.save()
      var browser = try await web.owner()
      for page in ["/", "/settings"] {
        let text = try await browser.get(page).text
        #expect(!text.contains("pictures.example") && !text.contains("/pictures/"))
      }
      #expect(try await browser.get("/pictures/\(attached.id)").status == 404)
      #expect(try await browser.get("/pictures/..%2Finbox.store").status == 404)
    }
  }
}
