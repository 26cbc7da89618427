import SwiftSyntax
import SwiftSyntaxBuilder
import Synchronization
import Testing

@testable import SwiftDataMacros

@Suite("The attributes that @Model adds to properties")
struct PropertyAttributesTests {
  private func declaration(_ source: String) throws -> ClassDeclSyntax {
    try #require(DeclSyntax(stringLiteral: source).as(ClassDeclSyntax.self))
  }

  @Test("A class is parsed once for all of its members")
  func parsedOnce() throws {
    let parses = Mutex(0)
    let attributes = PropertyAttributes { declaration, configuration in
      parses.withLock { $0 += 1 }
      return PropertyAttributes.parsed(declaration, configuration)
    }
    let wide = try declaration("class Wide { \((0..<50).map { "var p\($0): Int\n" }.joined()) }")
    for index in 0..<50 {
      #expect(attributes.of(wide, nil)["p\(index)"] == "@SwiftData.__Persisted(index: \(index))")
    }
    #expect(parses.withLock { $0 } == 1)
  }

  @Test("A class that differs from the last one is parsed again")
  func otherClass() throws {
    let attributes = PropertyAttributes(parse: PropertyAttributes.parsed)
    let first = try declaration("class A { var x: Int; var y: Int }")
    let second = try declaration("class A: B { var y: Int; var x: Int }")
    for _ in 0..<2 {
      #expect(attributes.of(first, nil)["y"] == "@SwiftData.__Persisted(index: 1)")
      #expect(attributes.of(second, nil)["y"] == "@SwiftData.__Persisted(index: 0, offset: true)")
    }
  }

  @Test("A class with #if is parsed for each build configuration")
  func conditional() throws {
    let attributes = PropertyAttributes(parse: PropertyAttributes.parsed)
    let source = try declaration(
      """
      class A {
      #if DEBUG
        var x: Int
      #endif
        var y: Int
      }
      """
    )
    #expect(attributes.of(source, TestConfiguration(conditions: ["DEBUG"]))["y"] == "@SwiftData.__Persisted(index: 1)")
    #expect(attributes.of(source, TestConfiguration(conditions: []))["y"] == "@SwiftData.__Persisted(index: 0)")
  }
}
