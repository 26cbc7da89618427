// Only the compiler calls these functions, which swift-syntax describes.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxMacros

/// `#Predicate` for models.
public enum PredicateMacro: ExpressionMacro {
  public static var formatMode: FormatMode { .disabled }

  public static func expansion(
    of node: some FreestandingMacroExpansionSyntax,
    in context: some MacroExpansionContext
  ) throws -> ExprSyntax {
    try expand(node, to: "Foundation.Predicate", returning: .condition)
  }
}

/// `#Expression` for models.
public enum ModelExpressionMacro: ExpressionMacro {
  public static var formatMode: FormatMode { .disabled }

  public static func expansion(
    of node: some FreestandingMacroExpansionSyntax,
    in context: some MacroExpansionContext
  ) throws -> ExprSyntax {
    try expand(node, to: "Foundation.Expression", returning: .value)
  }
}

private func expand(
  _ node: some FreestandingMacroExpansionSyntax,
  to type: String,
  returning role: PredicateLowering.Role
) throws -> ExprSyntax {
  guard let closure = node.trailingClosure ?? node.arguments.first?.expression.as(ClosureExprSyntax.self) else {
    throw DiagnosticsError(diagnostics: [PredicateDiagnostics.needsClosure(node)])
  }
  let lowering = PredicateLowering()
  let body = lowering.closure(closure, role)
  if !lowering.diagnostics.isEmpty { throw DiagnosticsError(diagnostics: lowering.diagnostics) }
  return "\(raw: type)\(raw: node.genericArgumentClause?.trimmedDescription ?? "")(\(raw: body))"
}
