import Foundation
import SwiftData
import Testing

/// `AttributedString` is not Codable in Foundation on Linux. `FoundationOnLinux.md` names these two ways to store one.
@Suite
struct AttributedTextTests {
  /// The runs of an attributed text.
  struct StoredText: Codable {
    private struct Run: Codable {
      var text: String
      var link: URL?
    }
    private var runs: [Run]

    init(_ text: AttributedString) {
      runs = text.runs.map { Run(text: String(text[$0.range].characters), link: $0.link) }
    }

    var attributed: AttributedString {
      runs.reduce(into: AttributedString()) { text, run in
        var part = AttributedString(run.text)
        part.link = run.link
        text += part
      }
    }
  }

  // @unchecked Sendable because it has no state, and its superclass does not say that it is Sendable.
  final class Transformer: ValueTransformer, @unchecked Sendable {
    override func transformedValue(_ value: Any?) -> Any? {
      (value as? AttributedString).flatMap { try? JSONEncoder().encode(StoredText($0)) }
    }

    override func reverseTransformedValue(_ value: Any?) -> Any? {
      (value as? Data).flatMap { try? JSONDecoder().decode(StoredText.self, from: $0).attributed }
    }
  }

  @Model
  final class Page {
    private var stored: StoredText
    @Attribute(.transformable(by: AttributedTextTests.Transformer.self)) var title: AttributedString

    var text: AttributedString {
      get { stored.attributed }
      set { stored = StoredText(newValue) }
    }

    init(_ text: AttributedString) {
      stored = StoredText(text)
      title = text
    }
  }

  @Test("is stored as a Codable struct of its runs, or through a transformer")
  func roundTrip() throws {
    let name = NSValueTransformerName(String(describing: Transformer.self))
    ValueTransformer.setValueTransformer(Transformer(), forName: name)
    var text = AttributedString("See the docs")
    text[text.range(of: "docs")!].link = URL(string: "https://example.com")
    let writer = try memoryContext(Page.self)
    writer.insert(Page(text))
    try writer.save()
    let page = try #require(try ModelContext(writer.container).fetch(FetchDescriptor<Page>()).first)
    #expect(page.text == text)
    #expect(page.title == text)
  }
}
