// Only the compiler calls these functions, which swift-syntax describes.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import SwiftSyntax
import SwiftSyntaxMacros

/// `@__Persisted`: the storage and the accessors of one property. `@Model` applies it.
public enum PersistedPropertyMacro {
  public static var formatMode: FormatMode { .disabled }
}

extension PersistedPropertyMacro: PeerMacro {
  public static func expansion(
    of node: AttributeSyntax,
    providingPeersOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    guard let property = parsed(declaration, node) else { return [] }
    return [property.renderedStorage(isolated: node.flag("isolated"))]
  }
}

extension PersistedPropertyMacro: AccessorMacro {
  public static func expansion(
    of node: AttributeSyntax,
    providingAccessorsOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [AccessorDeclSyntax] {
    guard let property = parsed(declaration, node), let index = node.argument("index")?.trimmedDescription else {
      return []
    }
    return property.renderedAccessors(index: node.flag("offset") ? "Self.__offset + \(index)" : index)
  }
}

extension PersistedPropertyMacro {
  fileprivate static func parsed(
    _ declaration: some DeclSyntaxProtocol, _ node: AttributeSyntax
  ) -> PersistedProperty? {
    let property = declaration.as(VariableDeclSyntax.self).flatMap { PersistedProperty.parse($0).persisted }
    let model = node.argument("late")?.as(StringLiteralExprSyntax.self)?.representedLiteralValue
    return model.flatMap { property?.initializedLate(in: $0) } ?? property
  }
}

extension AttributeSyntax {
  /// The argument with a label.
  func argument(_ label: String) -> ExprSyntax? {
    labeledArguments.first { $0.label?.text == label }?.expression
  }

  fileprivate func flag(_ label: String) -> Bool { argument(label)?.trimmedDescription == "true" }
}
