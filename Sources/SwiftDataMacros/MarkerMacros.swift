// Only the compiler calls these functions, which swift-syntax describes.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import SwiftSyntax
import SwiftSyntaxMacros

// Attributes and declarations that `@Model` reads from the class. They expand to nothing.

/// `@Attribute`.
public enum AttributeMacro: PeerMacro {
  public static func expansion(
    of node: AttributeSyntax,
    providingPeersOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) -> [DeclSyntax] {
    diagnoseMarkerOffProperty(node, declaration, in: context)
    return []
  }
}

/// `@Relationship`.
public enum RelationshipMacro: PeerMacro {
  public static func expansion(
    of node: AttributeSyntax,
    providingPeersOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) -> [DeclSyntax] {
    diagnoseMarkerOffProperty(node, declaration, in: context)
    return []
  }
}

/// `@Transient`.
public enum TransientMacro: PeerMacro {
  public static func expansion(
    of node: AttributeSyntax,
    providingPeersOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) -> [DeclSyntax] {
    diagnoseMarkerOffProperty(node, declaration, in: context)
    return []
  }
}

/// `#Unique`.
public enum UniqueMacro: DeclarationMacro {
  public static func expansion(
    of node: some FreestandingMacroExpansionSyntax,
    in context: some MacroExpansionContext
  ) -> [DeclSyntax] { [] }
}

/// `#Index`.
public enum IndexMacro: DeclarationMacro {
  public static func expansion(
    of node: some FreestandingMacroExpansionSyntax,
    in context: some MacroExpansionContext
  ) -> [DeclSyntax] { [] }
}

/// Diagnoses a marker outside a property. `@Model` diagnoses markers on the properties of its class.
private func diagnoseMarkerOffProperty(
  _ node: AttributeSyntax,
  _ declaration: some DeclSyntaxProtocol,
  in context: some MacroExpansionContext
) {
  if !declaration.is(VariableDeclSyntax.self) { context.diagnose(Diagnostics.markerOffProperty(node)) }
}
