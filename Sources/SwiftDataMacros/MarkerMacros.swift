import SwiftSyntax
import SwiftSyntaxMacros

// Attributes and declarations that `@Model` reads from the class. They expand to nothing themselves.

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

/// What the class around a property shows is `@Model`'s to judge; a marker on anything else is seen only here.
private func diagnoseMarkerOffProperty(
  _ node: AttributeSyntax,
  _ declaration: some DeclSyntaxProtocol,
  in context: some MacroExpansionContext
) {
  if !declaration.is(VariableDeclSyntax.self) { context.diagnose(Diagnostics.markerOffProperty(node)) }
}
