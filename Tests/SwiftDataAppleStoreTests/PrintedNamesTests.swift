import Foundation
import Testing

@Suite("The names in printed classes") struct PrintedNamesTests {
  /// The names in the literal of `attributeTypes` in a source file.
  private static func attributeTypes(in file: String) throws -> Set<String> {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let text = try String(contentsOf: root.appendingPathComponent(file), encoding: .utf8)
    let literal = try #require(text.firstMatch(of: /attributeTypes: Set<String> = \[([^\]]*)\]/))
    return Set(literal.1.matches(of: /"(\w+)"/).map { String($0.1) })
  }

  @Test("get an alias for each name that @Model takes for the type of an attribute, and for no other")
  func attributeTypes() throws {
    let macro = try Self.attributeTypes(in: "Sources/SwiftDataMacros/StoredType.swift")
    #expect(macro.count > 15)
    // A library cannot import a macro, so the list is in both.
    #expect(try Self.attributeTypes(in: "Sources/SwiftDataAppleStore/Natural/Identifiers.swift") == macro)
  }
}
