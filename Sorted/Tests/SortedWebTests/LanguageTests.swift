import AssistModel
import Foundation
import Sorted
import Testing

@testable import SortedWeb

@Suite("The pages in English and in Hebrew") struct LanguageTests {
  private static let sources = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("../../Sources/SortedWeb").standardizedFileURL

  /// The texts that the files of a kind have, as the first group of a pattern.
  private static func texts(_ folder: String, _ kind: String, _ pattern: Regex<(Substring, Substring)>) throws -> Set<
    String
  > {
    let root = sources.appendingPathComponent(folder).path
    var texts: Set<String> = []
    for name in try FileManager.default.subpathsOfDirectory(atPath: root) where name.hasSuffix(kind) {
      let text = try String(contentsOfFile: "\(root)/\(name)", encoding: .utf8)
      texts.formUnion(text.matches(of: pattern).map { String($0.1) })
    }
    return texts
  }

  @Test("The catalogue has a translation of each text of the templates, the scripts and the phrases without values")
  func complete() throws {
    let templates = try Self.texts("Templates", ".mustache", /\[\[(.+?)\]\]/.dotMatchesNewlines())
    let scripts = try Self.texts("Assets/scripts", ".js", /\bt\("([^"]+)"/)
    let phrases = try Self.texts("", ".swift", /(?:translated: |\.invalid\(|: Phrase = )"([^"\\]+)"/)
    #expect(templates.count > 150 && scripts.count > 40 && phrases.count > 30)
    let table = try Catalogue.table(.hebrew)
    #expect(templates.union(scripts).union(phrases).subtracting(table.keys) == [])
  }

  @Test("A translation has the values and the tags of its text, and no English is left in it by mistake")
  func values() throws {
    for (key, text) in try Catalogue.table(.hebrew) {
      for pattern in [/\{\d\}/, /\{\{[^}]+\}\}/, /<[^>]+>/] {
        #expect(
          Set(key.matches(of: pattern).map { String($0.0) }) == Set(text.matches(of: pattern).map { String($0.0) }),
          "\(key)")
      }
      #expect(text != key && !text.isEmpty, "\(key)")
    }
  }

  @Test("Accept-Language chooses by weight, and English is for all other languages")
  func accepting() {
    #expect(Language(accepting: "") == .english)
    #expect(Language(accepting: "he-IL,he;q=0.9,en;q=0.8") == .hebrew)
    #expect(Language(accepting: "iw") == .hebrew)
    #expect(Language(accepting: "fr, en;q=0.5, he;q=0.7") == .hebrew)
    #expect(Language(accepting: "he;q=0, de") == .english)
    #expect(Language(accepting: ";;,,q=") == .english)
  }

  @Test("A phrase puts its values where its translation wants them, whatever they contain")
  func phrases() {
    let phrase: Phrase = "\("{2}") on \("x")"
    #expect(phrase.key == "{1} on {2}")
    #expect(Catalogue.text(phrase, in: .english) == "{2} on x")
    #expect(Catalogue.text(phrase, in: .hebrew) == "{2} ב־x")
    #expect(Catalogue.text("no such phrase {1}", in: .hebrew) == "no such phrase {1}")
  }

  @Test("The catalogue has what the services refuse and why a message is sorted as it is")
  func dataLayer() throws {
    let table = try Catalogue.table(.hebrew)
    #expect(Set(DataLayerText.keys).subtracting(table.keys) == [])
    #expect(Set(Trait.allCases.map(\.words)).subtracting(table.keys) == [])
    let sources = [
      "Search/MessageQuery", "Search/MessageSearch", "Services/InboxService", "Services/RetentionService",
      "Assist/AssistInbox",
    ]
    var count = 0
    for name in sources {
      let path = Self.sources.appendingPathComponent("../Sorted/\(name).swift").standardizedFileURL
      for match in try String(contentsOf: path, encoding: .utf8).matches(
        of: /invalidData\("((?:[^"\\]|\\.)+)"\)/)
      {
        var number = 0
        let key = match.1.replacing(/\\\([^)]*\)/) { _ in
          number += 1
          return "{\(number)}"
        }.replacing("\\\"", with: "\"")
        #expect(DataLayerText.keys.contains(key.prefix(1).uppercased() + key.dropFirst() + "."), "\(key)")
        count += 1
      }
    }
    #expect(count > 12)
  }

  @Test("Messages of the data layer are translated with their values, and a status of the sync stays")
  func dataLayerValues() {
    func hebrew(_ text: String) -> String { Language.$current.withValue(.hebrew) { DataLayerText.translated(text) } }
    #expect(hebrew("the server has no conversation a") == "בשרת אין conversation a")
    #expect(
      hebrew("UNAVAILABLE: http://a:1/b cannot be reached: refused: x")
        == "UNAVAILABLE: אי אפשר להגיע אל http://a:1/b: refused: x")
    #expect(hebrew("the server has other news") == "the server has other news")
    #expect(
      PageError(DataLayerError.invalidData("the message is ann's; only who wrote it can change it"))?.detail
        == "The message is \("ann")'s; only who wrote it can change it.")
    #expect(PageError(DataLayerError.invalidData("something new"))?.detail == "Something new.")
  }

  @Test("Every page has the browser's language and its direction; the settings choose another one for good")
  func pages() async throws {
    try await WebFixture.run { web in
      var browser = try await web.owner()
      let hebrew = ["Accept-Language": "he"]
      for path in ["/", "/search", "/answers", "/settings", "/bin", "/c/\(Slug.encode("sample/studio"))", "/nothing"] {
        let page = try await browser.get(path, headers: hebrew)
        #expect(page.text.contains("<html lang=\"he\" dir=\"rtl\""), "\(path)")
        #expect(!page.text.contains("[["), "\(path)")
        #expect(page.headers["Vary"].contains("Accept-Language"))
        #expect(try await browser.get(path).text.contains("<html lang=\"en\" dir=\"ltr\""))
      }
      #expect(try await browser.get("/", headers: hebrew).text.contains("תיבת דואר"))
      #expect(try await browser.get("/search?q=cord", headers: hebrew).text.contains("הודעה אחת"))
      #expect(try await browser.send("/settings/look", ["theme": "dark", "language": "xx"]).status == 400)
      #expect(try await browser.send("/settings/look", ["theme": "dark", "language": "he"]).status == 303)
      #expect(try await browser.get("/settings").text.contains("<option value=\"he\" selected>"))
      #expect(try await browser.get("/").text.contains("lang=\"he\""))
      // Another browser of the same person has the language from its first page on.
      var other = try await web.owner()
      #expect(try await other.get("/").text.contains("lang=\"he\""))
      #expect(try await other.send("/settings/look", ["theme": "dark", "language": ""]).status == 303)
      #expect(try await other.get("/").text.contains("lang=\"en\""))
    }
  }

  @Test("Live updates come to each browser in its language")
  func live() async throws {
    try await WebFixture.run { web in
      let (english, hebrew) = (try await web.owner(), try await web.owner())
      let slug = Slug.encode("sample/john")
      try await english.events(thread: slug) { first in
        try await hebrew.events(thread: slug, language: "he") { second in
          let context = web.context()
          let inbox = InboxService(context: context)
          try inbox.send("in both", to: try inbox.conversation("sample/john"))
          try context.save()
          #expect(try await first.next("message", containing: "in both")?.contains("data-name=\"You\"") == true)
          #expect(try await second.next("message", containing: "in both")?.contains("data-name=\"את/ה\"") == true)
        }
      }
    }
  }
}
