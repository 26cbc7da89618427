import Foundation
import Testing

/// A page of a DocC catalogue, and the file of tests that has its code.
struct Article: CustomTestStringConvertible {
  let page: URL
  let tests: URL
  var testDescription: String { page.lastPathComponent }

  /// Every page of every catalogue in `Sources`.
  static let all: [Article] = {
    let here = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    let sources = here.appendingPathComponent("../../Sources").standardizedFileURL
    let files = FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil)
    let pages = (files?.allObjects as? [URL] ?? []).filter { $0.pathExtension == "md" && $0.path.contains(".docc/") }
    return pages.sorted { $0.path < $1.path }.map { page in
      let name = page.deletingPathExtension().lastPathComponent
      return Article(page: page, tests: here.appendingPathComponent(name + ".swift"))
    }
  }()

  /// The code of the examples, which `scripts/examples` builds.
  static let examples: [CodeLines] = {
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("../../Examples").standardizedFileURL
    // Build folders are hidden.
    let files = FileManager.default.enumerator(
      at: folder, includingPropertiesForKeys: nil, options: .skipsHiddenFiles)
    return (files?.allObjects as? [URL] ?? []).filter { $0.pathExtension == "swift" && $0.path.contains("/Sources/") }
      .compactMap { file in
        (try? String(contentsOf: file, encoding: .utf8)).map { CodeLines($0.components(separatedBy: "\n")) }
      }
  }()

  /// The pages of `Documentation`. One file has their code.
  static let documentation: [Article] = {
    let here = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    let folder = here.appendingPathComponent("../../Documentation").standardizedFileURL
    let pages = (try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)) ?? []
    return pages.filter { $0.pathExtension == "md" }.sorted { $0.path < $1.path }.map {
      Article(page: $0, tests: here.appendingPathComponent("DocumentationPages.swift"))
    }
  }()

  /// The Swift blocks of the page, each as its lines.
  func blocks() throws -> [[String]] {
    var blocks: [[String]] = []
    var isInside = false
    for line in try String(contentsOf: page, encoding: .utf8).components(separatedBy: "\n") {
      if line.hasPrefix("```") {
        isInside = line == "```swift"
        if isInside { blocks.append([]) }
      } else if isInside {
        blocks[blocks.count - 1].append(line)
      }
    }
    return blocks
  }
}

/// The lines of some code without indentation, blank lines and imports. Imports are kept apart, because a file has them at
/// its top.
struct CodeLines {
  let imports: Set<String>
  let statements: [String]

  init(_ lines: [String]) {
    let trimmed = lines.map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
    imports = Set(trimmed.filter { $0.hasPrefix("import ") })
    statements = trimmed.filter { !$0.hasPrefix("import ") }
  }

  /// Whether all imports of a block are here, and its other lines one after another.
  func contains(_ block: CodeLines) -> Bool {
    guard block.imports.isSubset(of: imports) else { return false }
    let count = block.statements.count
    guard count > 0 else { return true }
    guard count <= statements.count else { return false }
    return (0...(statements.count - count)).contains { statements[$0..<($0 + count)].elementsEqual(block.statements) }
  }
}

@Suite("Code in articles")
struct ArticleBlockTests {
  @Test(
    "Every Swift block of a page stands in the test file with the page's name or in an example", arguments: Article.all)
  func blocks(_ article: Article) throws {
    let blocks = try article.blocks()
    guard !blocks.isEmpty else { return }
    let code = CodeLines(try String(contentsOf: article.tests, encoding: .utf8).components(separatedBy: "\n"))
    for block in blocks.map(CodeLines.init) {
      #expect(
        code.contains(block) || Article.examples.contains { $0.contains(block) },
        "not in \(article.tests.lastPathComponent):\n\(block.statements.joined(separator: "\n"))")
    }
  }

  /// A block about `JSONStore` is an excerpt of `Tests/ConformanceTests`.
  @Test("Every Swift block of Documentation compiles here or is an example", arguments: Article.documentation)
  func documentation(_ article: Article) throws {
    let tests = CodeLines(try String(contentsOf: article.tests, encoding: .utf8).components(separatedBy: "\n"))
    let code = [tests] + Article.examples
    for block in try article.blocks() where !block.contains(where: { $0.contains("JSONStore") }) {
      #expect(
        code.contains { $0.contains(CodeLines(block)) },
        "not in \(article.tests.lastPathComponent):\n\(block.joined(separator: "\n"))")
    }
  }

  @Test("The pages with code are found")
  func pages() throws {
    let withCode = try Article.all.filter { try !$0.blocks().isEmpty }.map(\.testDescription)
    #expect(withCode.contains("GettingStarted.md") && withCode.count >= 24, "\(withCode)")
    let documents = try Article.documentation.filter { try !$0.blocks().isEmpty }.map(\.testDescription)
    #expect(Article.examples.count >= 8)
    #expect(documents.contains("clusters.md") && documents.count >= 4, "\(documents)")
  }

  @Test("A block is found whatever its indentation, and not with a changed, missing or moved line")
  func comparison() {
    let file = CodeLines(["import SwiftData", "struct A {", "  let a = 1", "", "  let b = 2", "  let c = 3", "}"])
    #expect(file.contains(CodeLines(["import SwiftData", "", "let a = 1", "  let b = 2"])))
    #expect(!file.contains(CodeLines(["let a = 1", "let b = 3"])))
    #expect(!file.contains(CodeLines(["let a = 1", "let c = 3"])))
    #expect(!file.contains(CodeLines(["let b = 2", "let a = 1"])))
    #expect(!file.contains(CodeLines(["import GRDB", "let a = 1"])))
  }
}
