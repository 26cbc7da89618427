import Foundation
import Sorted
import SwiftData
import Testing

@testable import SortedWeb

@Suite("Messages as they are shown") struct MessageTextTests {
  private func html(_ text: String) -> String {
    MessageText(people: ["ann", "bob"], reader: "ann").html(text)
  }

  @Test("Marks become emphasis, code, quotes, links and mentions")
  func marks() {
    #expect(
      html("**bold** and *it* and _it_ and ~~no~~")
        == "<strong>bold</strong> and <em>it</em> and <em>it</em> and <s>no</s>")
    #expect(html("`a < b`") == "<code>a &lt; b</code>")
    #expect(html("a\n```\nx * y * z\n```\nb") == "a<pre>x * y * z</pre>b")
    #expect(html("> said\n> twice\nand I") == "<blockquote>said\ntwice</blockquote>and I")
    #expect(html("see https://example.org/a_b_c?d=1&e=2.").contains("href=\"https://example.org/a_b_c?d=1&amp;e=2\""))
    #expect(html("@bob, @ann and @nobody").contains("<span class=\"mention\">@bob</span>"))
    #expect(html("@ann") == "<span class=\"mention you\">@ann</span>")
  }

  @Test("A line of a list has a text without its marks")
  func lines() {
    for (text, line) in [
      ("**bold** _it_ *it* ~~no~~ `a < b`", "bold it it no a < b"), ("> said\nand I", "said\nand I"),
      ("a\n```\nx * y\n```", "a\nx * y"), ("snake_case & 2 ** 3", "snake_case & 2 ** 3"),
      ("https://example.org/a_b_c?d=1&e=2", "https://example.org/a_b_c?d=1&e=2"), (" a < b & c\n", "a < b & c"),
      ("*it* \"<b>\" &amp; 'x'", "it \"<b>\" &amp; 'x'"), ("```\n\u{338}x > y\n```", "\u{338}x > y"),
    ] {
      #expect(MessageText.plain(text) == line)
    }
  }

  @Test("What is no mark stays as it was typed")
  func plain() {
    for text in ["2 * 3 * 4", "snake_case_name", "**", "a ** b **", "`", "```\nno end", "ann@bob", "x_1_", ""] {
      #expect(!html(text).contains("<em>") && !html(text).contains("<strong>"), "\(text)")
      #expect(html(text) == MessageText.escaped(text), "\(text)")
    }
  }

  @Test("No text becomes a tag or an attribute, and hostile ones take no time", arguments: SecurityTests.smuggled)
  func hostile(_ text: String) {
    let shown = html(text + " **" + text + "** `" + text + "` https://x.y/" + text)
    let tags = shown.matches(of: /<\/?([a-z]+)/).map { String($0.1) }
    #expect(Set(tags).isSubset(of: ["strong", "em", "s", "code", "a", "pre", "blockquote", "span"]))
    #expect(!shown.hasSignWithMark)
    #expect(!shown.contains("javascript:alert") || !shown.contains("href=\"javascript"))
    #expect(html(String(repeating: "**a ", count: 5_000)).count > 10_000)
  }

  /// A rule whose work grows with the square of the text needs minutes here.
  @Test(
    "The longest hostile text is read in time that its length bounds", .timeLimit(.minutes(1)),
    arguments: [
      "@" + String(repeating: "é", count: 19_999), "http://a.b" + String(repeating: ")", count: 19_990),
      String(repeating: "http://[", count: 2_500), String(repeating: "@a", count: 10_000),
      String(repeating: "*_", count: 10_000), String(repeating: "`` ", count: 6_666),
      String(repeating: "```\n", count: 5_000), String(repeating: "> ~~", count: 5_000),
    ])
  func longest(_ text: String) {
    let names = (0..<500).map { String(repeating: "é", count: 60) + "\($0)" }
    let reader = MessageText(people: Set(names), reader: "ann")
    #expect(!reader.html(text).isEmpty)
    _ = MessageText.plain(text)
    _ = MessageText.firstLink(of: text)
  }

  @Test("A long name and a long link are found, and a link without end is text")
  func bounds() {
    let name = String(repeating: "é", count: 64)
    #expect(MessageText(people: [name], reader: "").html("@\(name)x").contains("@\(name)</span>x"))
    #expect(html("(http://a.b/c)").hasSuffix(">http://a.b/c</a>)"))
    #expect(html("http://a.b/(c).").hasSuffix(">http://a.b/(c)</a>."))
    #expect(html("http://[a *b*") == "http://[a <em>b</em>")
    let address = "https://a.b/" + String(repeating: "c", count: 4_000)
    #expect(html(address + " d").contains(">\(address)</a> d"))
    #expect(html("https://a.b/" + String(repeating: "c", count: 5_000)).hasPrefix("https://a.b/c"))
  }

  @Test("A search is read as words, phrases and conditions")
  func query() throws {
    let calendar = Calendar(identifier: .gregorian)
    let query = try MessageQuery(
      "from:bob \"two words\" one in:festival before:2026-02-01 has:file", calendar: calendar)
    #expect(query.terms.map(\.text) == ["two words", "one"] && query.terms.map(\.isPhrase) == [true, false])
    #expect(query.words == ["two", "words", "one"])
    #expect(query.sender == "bob" && query.conversation == "festival" && query.hasFile)
    #expect(query.before == calendar.date(from: DateComponents(year: 2026, month: 2, day: 1)))
    #expect(try MessageQuery("").isEmpty)
    for text in ["before:tomorrow", "has:money", "a b c d e f g h i j k l m n o p q"] {
      #expect(throws: DataLayerError.self) { try MessageQuery(text) }
    }
  }

  @Test("Words are found in any order, by whom, where, when and with files, page by page")
  func search() async throws {
    try await WebFixture.run { web in
      var browser = try await web.owner()
      func hits(_ query: String) async throws -> Int {
        try await browser.get("/search?q=\(Browser.escaped(query))").text.matches(of: /class="card hit-link"/).count
      }
      #expect(try await hits("tape archive") == 1)
      #expect(try await hits("\"tape archive\"") == 0)
      #expect(try await hits("archive from:ines") == 1)
      #expect(try await hits("archive from:me") == 0)
      #expect(try await hits("from:ines in:festival") > 10)
      #expect(try await hits("archive before:2020-01-01") == 0)
      #expect(try await hits("has:file") == 0)
      let studio = Slug.encode("sample/studio")
      _ = try await browser.upload(
        "/c/\(studio)/send", ["key": UUID().uuidString, "text": "The list"], files: [("a.txt", Data("x".utf8))])
      #expect(try await hits("has:file") == 1)
      let context = web.context()
      let inbox = InboxService(context: context)
      let conversation = try inbox.conversation("sample/john")
      for number in 0..<120 { try inbox.send("needle \(number)", to: conversation) }
      try context.save()
      var path: String? = "/search?q=needle"
      var found: Set<String> = []
      while let next = path {
        let page = try await browser.get(next).text
        found.formUnion(page.matches(of: /\?at=([^&]+)&/).map { String($0.1) })
        path = page.firstMatch(of: /class="button more" href="([^"]+)"/).map {
          String($0.1).replacing("&amp;", with: "&")
        }
      }
      #expect(found.count == 120)
    }
  }

  @Test("Answers, reactions, pins and forwarded messages are kept and shown")
  func talk() async throws {
    try await WebFixture.run { web in
      var browser = try await web.owner()
      let festival = Slug.encode("sample/festival")
      let first = Slug.encode("sample/festival/0")
      let key = UUID().uuidString
      _ = try await browser.send(
        "/c/\(festival)/send", ["key": key, "text": "To the **first**", "reply": first])
      let page = try await browser.get("/c/\(festival)").text
      #expect(page.contains("data-jump=\"\(first)\""))
      #expect(page.contains("To the <strong>first</strong>"))
      let message = "/c/\(festival)/m/\(Slug.encode(key))"
      _ = try await browser.send("\(message)/react", ["emoji": "👍"])
      #expect(try InboxService(context: web.context()).message(key).reactions == ["me": "👍"])
      #expect(try await browser.send("\(message)/react", ["emoji": "text"]).status == 400)
      // One letter for Swift, and any number of bytes.
      let marks = String(repeating: "\u{301}", count: 20_000)
      #expect(try await browser.send("\(message)/react", ["emoji": "👍" + marks]).status == 400)
      #expect(
        try await browser.upload("\(message)/react", ["emoji": "👍" + String(repeating: marks, count: 8)], files: [])
          .status == 413)
      _ = try await browser.send("\(message)/react", ["emoji": ""])
      #expect(try InboxService(context: web.context()).message(key).reactions == ["me": ""])
      _ = try await browser.send("\(message)/pin", ["pinned": "1"])
      #expect(try await browser.get("/c/\(festival)").text.contains("aria-label=\"Pinned messages\""))
      let john = Slug.encode("sample/john")
      _ = try await browser.send("\(message)/forward", ["to": john, "key": UUID().uuidString])
      #expect(try await browser.get("/c/\(john)").text.contains("To the <strong>first</strong>"))
      // A message of another conversation is not answered here.
      let strange = try await browser.send(
        "/c/\(john)/send", ["key": UUID().uuidString, "text": "x", "reply": first])
      #expect(strange.status == 404)
    }
  }

  @Test("A long file name keeps its end")
  func fileNames() {
    let name = FileCabinet.safeName(String(repeating: "long ", count: 60) + ".tar.jpeg")
    #expect(name.hasSuffix(".jpeg") && name.count <= 120)
    #expect(FileCabinet.safeName("../../a.txt") == "a.txt")
  }
}
