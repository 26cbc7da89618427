import SwiftSyntax

// The text that the macros write. The compiler parses an expansion from its text, so parsing and formatting it here as well would
// only cost time: they were nine tenths of what `@Model` took.

extension DeclSyntax {
  /// A declaration with this text, which is not parsed.
  init(unparsed text: String) {
    self.init(MissingDeclSyntax(attributes: [], modifiers: [], placeholder: .identifier(text)))
  }
}

extension AccessorDeclSyntax {
  /// An accessor with this text, which is not parsed.
  init(unparsed text: String) { self.init(accessorSpecifier: .identifier(text)) }
}

extension AttributeSyntax {
  /// An attribute with this text, which is not parsed.
  init(unparsed text: String) {
    self.init(atSign: .identifier(""), attributeName: IdentifierTypeSyntax(name: .identifier(text)))
  }
}

extension String {
  /// The text with each line two spaces further to the right.
  ///
  /// A multi-line string literal keeps its content, because its closing delimiter moves too.
  var indented: String {
    split(separator: "\n", omittingEmptySubsequences: false).map { $0.isEmpty ? "" : "  \($0)" }
      .joined(separator: "\n")
  }
}
