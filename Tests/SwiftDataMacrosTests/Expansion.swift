import SwiftDiagnostics
import SwiftIfConfig
import SwiftOperators
import SwiftParser
import SwiftParserDiagnostics
import SwiftSyntax
import SwiftSyntaxMacroExpansion
import SwiftSyntaxMacros
import Testing

@testable import SwiftDataMacros

/// What the macros make of a source, and what they say about it.
struct Expansion {
  struct Message: Equatable, CustomStringConvertible {
    let line: Int
    let column: Int
    let severity: DiagnosticSeverity
    let text: String
    /// The titles of the repairs on offer.
    let fixIts: [String]
    var description: String { "\(line):\(column): \(severity): \(text) \(fixIts)" }
  }

  let source: String
  let text: String
  let messages: [Message]
  /// The source after each repair, by the repair's title.
  let repaired: [String: String]

  /// - Parameters:
  ///   - isSubclass: whether a superclass has the conformance already, which only the compiler knows.
  ///   - sourceLocation: where an expansion that does not parse is reported.
  init(
    _ source: String,
    isSubclass: Bool = false,
    configuration: (any BuildConfiguration)? = nil,
    sourceLocation: Testing.SourceLocation = #_sourceLocation
  ) {
    // The compiler folds operators before it hands a macro its arguments.
    let file = OperatorTable.standardOperators.foldAll(Parser.parse(source: source)) { _ in }
      .cast(SourceFileSyntax.self)
    let context = BasicMacroExpansionContext(
      sourceFiles: [file: .init(moduleName: "Test", fullFilePath: "test.swift")],
      buildConfiguration: configuration
    )
    let expanded = file.expand(
      macroSpecs: Self.macros(isSubclass: isSubclass),
      contextGenerator: { syntax in
        BasicMacroExpansionContext(sharingWith: context, lexicalContext: syntax.allMacroLexicalContexts())
      },
      indentationWidth: .spaces(2)
    )
    let errors = ParseDiagnosticsGenerator.diagnostics(for: Parser.parse(source: expanded.description))
    if !errors.isEmpty {
      Issue.record(
        "the expansion does not parse:\n\(errors.map(\.message))\n\(expanded)",
        sourceLocation: sourceLocation
      )
    }
    self.source = source
    self.text = expanded.description
    self.messages = context.diagnostics.map { diagnostic in
      let position = context.location(for: diagnostic.position, anchoredAt: diagnostic.node, fileName: "test.swift")
      return Message(
        line: position.line,
        column: position.column,
        severity: diagnostic.diagMessage.severity,
        text: diagnostic.message,
        fixIts: diagnostic.fixIts.map(\.message.message)
      )
    }
    self.repaired = Dictionary(
      context.diagnostics.flatMap(\.fixIts).map { ($0.message.message, Self.apply($0, to: source, in: context)) },
      uniquingKeysWith: { first, _ in first }
    )
  }

  /// The error and warning texts.
  var texts: [String] { messages.map(\.text) }

  private static func macros(isSubclass: Bool) -> [String: MacroSpec] {
    let model: [TypeSyntax] = isSubclass ? [] : ["PersistentModel", "Observable"]
    return [
      "Model": MacroSpec(type: ModelMacro.self, conformances: model),
      "__Persisted": MacroSpec(type: PersistedPropertyMacro.self),
      "SwiftData.__Persisted": MacroSpec(type: PersistedPropertyMacro.self),
      "Attribute": MacroSpec(type: AttributeMacro.self),
      "Relationship": MacroSpec(type: RelationshipMacro.self),
      "Transient": MacroSpec(type: TransientMacro.self),
      "Unique": MacroSpec(type: UniqueMacro.self),
      "Index": MacroSpec(type: IndexMacro.self),
      "Predicate": MacroSpec(type: PredicateMacro.self),
      "Expression": MacroSpec(type: ModelExpressionMacro.self),
      "ModelActor": MacroSpec(type: ModelActorMacro.self, conformances: ["ModelActor"]),
      "Composite": MacroSpec(type: CompositeMacro.self, conformances: ["__CompositeValue"]),
    ]
  }

  private static func apply(_ fixIt: FixIt, to source: String, in context: BasicMacroExpansionContext) -> String {
    var bytes = Array(source.utf8)
    for case .replace(let old, let new) in fixIt.changes.reversed() {
      let start = context.location(for: old.position, anchoredAt: old, fileName: "").offset
      let end = context.location(for: old.endPosition, anchoredAt: old, fileName: "").offset
      bytes.replaceSubrange(start..<end, with: Array(new.description.utf8))
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}

extension Expansion {
  /// The lines without indentation, from the one that begins with `start` to the first that is `}` at the same depth.
  func member(_ start: String) -> String {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    guard let first = lines.firstIndex(where: { $0.trimmed.hasPrefix(start) }) else { return "" }
    let indentation = lines[first].prefix { $0 == " " }
    guard lines[first].hasSuffix("{"), let last = lines[first...].firstIndex(where: { $0 == indentation + "}" }) else {
      return lines[first].trimmed
    }
    return lines[first...last].map { String($0.dropFirst(indentation.count)) }.joined(separator: "\n")
  }

  /// Whether a line of the expansion is this one, indentation aside.
  func hasLine(_ line: String) -> Bool {
    text.split(separator: "\n").contains { String($0).trimmed == line }
  }
}

extension String {
  fileprivate var trimmed: String { String(drop { $0 == " " }) }
}
