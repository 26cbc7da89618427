import Foundation
import Testing

/// The pages of the documentation link to pages and sections that exist.
@Suite struct DocumentLinkTests {
  private static let root = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
  private static let documentation = root.appendingPathComponent("Documentation")

  private func text(_ page: URL) throws -> String { try String(contentsOf: page, encoding: .utf8) }

  private func pages() throws -> [URL] {
    let files = try #require(FileManager.default.enumerator(at: Self.documentation, includingPropertiesForKeys: nil))
    let pages = files.compactMap { $0 as? URL }.filter { $0.pathExtension == "md" }
    return pages + ["README.md", "CONTRIBUTING.md"].map { Self.root.appendingPathComponent($0) }
  }

  /// The targets of the links of a page, but for those of other sites.
  private func links(in text: String) -> [String] {
    let targets = text.components(separatedBy: "](").dropFirst().map { String($0.prefix { $0 != ")" }) }
    return targets.filter { !$0.contains("://") }
  }

  /// The anchors of a page's headings, as GitHub makes them.
  private func anchors(in text: String) -> Set<String> {
    Set(
      text.split(separator: "\n").filter { $0.hasPrefix("#") }.map { heading in
        heading.drop { $0 == "#" || $0 == " " }.lowercased()
          .filter { $0.isLetter || $0.isNumber || "-_ ".contains($0) }.replacing(" ", with: "-")
      })
  }

  private func isThere(_ link: String, on page: URL) throws -> Bool {
    let parts = link.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    let target = parts[0].isEmpty ? page : page.deletingLastPathComponent().appendingPathComponent(parts[0])
    guard FileManager.default.fileExists(atPath: target.path) else { return false }
    return try parts.count == 1 || anchors(in: text(target)).contains(parts[1])
  }

  @Test("Each link leads to a file and a section that exist")
  func links() throws {
    var count = 0
    for page in try pages() {
      for link in links(in: try text(page)) {
        count += 1
        #expect(try isThere(link, on: page), "\(page.lastPathComponent) links to \(link)")
      }
    }
    #expect(count > 40)
    #expect(try !isThere("writing.md#no-such-section", on: Self.documentation.appendingPathComponent("README.md")))
  }

  @Test("The index lists each page of the folder")
  func index() throws {
    let index = Self.documentation.appendingPathComponent("README.md")
    let listed = Set(links(in: try text(index)))
    for page in try pages() where page.path.hasPrefix(Self.documentation.path) && page != index {
      let path = String(page.path.dropFirst(Self.documentation.path.count + 1))
      #expect(listed.contains(path), "Documentation/README.md does not list \(path)")
    }
  }

  @Test("The questions of a newcomer are answered by pages that the index lists")
  func questions() throws {
    let page = try text(Self.documentation.appendingPathComponent("writing.md"))
    let start = try #require(page.range(of: "## Questions a newcomer asks")).upperBound
    let listed = Set(links(in: try text(Self.documentation.appendingPathComponent("README.md"))))
    let questions = page[start...].split(separator: "\n").filter { $0.contains("?") }
    #expect(questions.count == 10)
    for question in questions {
      let link = try #require(links(in: String(question)).first, "no link: \(question)")
      #expect(listed.contains(link.split(separator: "#")[0].description), "not two clicks away: \(question)")
    }
  }
}
