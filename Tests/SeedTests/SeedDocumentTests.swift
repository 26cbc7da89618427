import Foundation
import Testing

/// `README.md` in this folder names only tests that exist.
@Suite struct SeedDocumentTests {
  private static let root = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  /// A test as the page refers to it: `File`: "title".
  private struct Reference: Hashable, CustomStringConvertible {
    let file: String
    let title: String
    var description: String { "`\(file)`: \"\(title)\"" }
  }

  /// The entries of the page, each with its references.
  private func entries(of page: String) -> [(text: String, references: [Reference])] {
    page.split(separator: "\n").filter { $0.hasPrefix("- ") }.map { line in
      let references = line.matches(of: /`(\w+Tests)`: "([^"]+)"/).map {
        Reference(file: String($0.output.1), title: String($0.output.2))
      }
      return (String(line), references)
    }
  }

  /// The titles of the tests of all packages.
  private func existingTests() throws -> Set<Reference> {
    var tests: Set<Reference> = []
    for folder in ["Tests", "Sorted/Tests", "Tools/Tests"] {
      let root = Self.root.appendingPathComponent(folder)
      let files = try #require(FileManager.default.enumerator(at: root, includingPropertiesForKeys: nil))
      for case let file as URL in files where file.pathExtension == "swift" {
        let name = file.deletingPathExtension().lastPathComponent
        let source = try String(contentsOf: file, encoding: .utf8)
        for rest in source.components(separatedBy: "@Test(").dropFirst() {
          let argument = rest.drop(while: \.isWhitespace)
          guard argument.first == "\"" else { continue }
          tests.insert(Reference(file: name, title: String(argument.dropFirst().prefix { $0 != "\"" })))
        }
      }
    }
    return tests
  }

  @Test("Each test that the page names exists")
  func namedTestsExist() throws {
    let page = try String(contentsOf: Self.root.appendingPathComponent("Tests/SeedTests/README.md"), encoding: .utf8)
    let entries = entries(of: page)
    let existing = try existingTests()
    #expect(entries.count > 80)
    #expect(existing.count > 500)
    for (text, references) in entries {
      #expect(!references.isEmpty || text.contains(": no test. "), "names no test and no reason: \(text)")
      for reference in references { #expect(existing.contains(reference), "\(reference) does not exist") }
    }
  }

  @Test("A title that no test has is noticed")
  func inventedTestsAreNoticed() throws {
    let references = entries(of: #"- Upsert. `SeedQueryTests`: "A title that no test has""#).flatMap(\.references)
    #expect(references.map(\.file) == ["SeedQueryTests"])
    #expect(try existingTests().isDisjoint(with: references))
  }
}
