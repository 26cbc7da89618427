// Only the compiler calls these functions, which swift-syntax describes.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import SwiftDiagnostics
import SwiftIfConfig
import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// `@Composite`: writes the coding of a struct.
public enum CompositeMacro: ExtensionMacro {
  public static func expansion(
    of node: AttributeSyntax,
    attachedTo declaration: some DeclGroupSyntax,
    providingExtensionsOf type: some TypeSyntaxProtocol,
    conformingTo protocols: [TypeSyntax],
    in context: some MacroExpansionContext
  ) throws -> [ExtensionDeclSyntax] {
    guard let declaration = declaration.as(StructDeclSyntax.self) else {
      context.diagnose(Diagnostics.compositeIsNotAStruct(node, declaration))
      return []
    }
    let composite = CompositeDeclaration(declaration, context.buildConfiguration)
    for problem in composite.problems { context.diagnose(problem) }
    let ownCoding = composite.ownCoding
    let wrapped = composite.storedProperties.filter(\.hasUnknownAttribute)
    guard ownCoding.isEmpty, wrapped.isEmpty else {
      for member in ownCoding { context.diagnose(Diagnostics.compositeHasOwnCoding(member)) }
      for property in wrapped { context.diagnose(Diagnostics.compositeMemberIsWrapped(property)) }
      return []
    }
    let availability = declaration.attributes.named("available").map { $0.trimmedDescription + "\n" }.joined()
    let source: DeclSyntax = """
      \(raw: availability)extension \(type.trimmed): SwiftData.__CompositeValue {
      \(raw: composite.coding.indented)
      }
      """
    return source.as(ExtensionDeclSyntax.self).map { [$0] } ?? []
  }
}

/// A struct with `@Composite`, with the members in active branches of `#if`.
private struct CompositeDeclaration {
  private let members: [DeclSyntax]
  /// The cases of the struct's own `CodingKeys`, or nil if it declares none.
  private let declaredKeys: [String]?
  private let access: String
  let problems: [Diagnostic]

  init(_ syntax: StructDeclSyntax, _ configuration: (any BuildConfiguration)?) {
    let active = ActiveMembers(syntax.memberBlock.members, configuration)
    members = active.declarations
    access = syntax.modifiers.first { ["public", "package"].contains($0.name.text) }.map { "\($0.name.text) " } ?? ""
    let keys = members.compactMap { $0.as(EnumDeclSyntax.self) }.first { $0.name.text == "CodingKeys" }
      .map { ActiveMembers($0.memberBlock.members, configuration) }
    declaredKeys = keys.map { keys in
      keys.declarations.compactMap { $0.as(EnumCaseDeclSyntax.self) }.flatMap { $0.elements.map(\.name.text) }
    }
    problems = active.problems + (keys?.problems ?? [])
  }

  var storedProperties: [VariableDeclSyntax] {
    members.compactMap { $0.as(VariableDeclSyntax.self) }.filter { !$0.isUnpersistedByNature }
  }

  /// The members that would code the struct instead of the macro.
  var ownCoding: [DeclSyntax] {
    members.filter { member in
      if let initializer = member.as(InitializerDeclSyntax.self) {
        return initializer.signature.parameterClause.parameters.map(\.firstName.text) == ["from"]
          && initializer.signature.parameterClause.parameters.first!.type.trimmedDescription.hasSuffix("Decoder")
      }
      guard let function = member.as(FunctionDeclSyntax.self) else { return false }
      return function.name.text == "encode"
        && function.signature.parameterClause.parameters.map(\.firstName.text) == ["to"]
    }
  }

  /// The names of the coded members. A constant with an initial value is the same in every value.
  private var memberNames: [String] {
    let names = storedProperties.flatMap { property in
      property.bindings.filter {
        !$0.isComputed && ($0.initializer == nil || property.bindingSpecifier.tokenKind != .keyword(.let))
      }.map { $0.pattern.trimmedDescription }
    }
    return declaredKeys.map { keys in names.filter(keys.contains) } ?? names
  }

  var coding: String {
    let names = memberNames
    var parts = [String]()
    if declaredKeys == nil, !names.isEmpty {
      parts.append(
        "private enum CodingKeys: Swift.String, Swift.CodingKey {\n  case \(names.joined(separator: ", "))\n}")
    }
    let decoded = names.map { "self.\($0) = try SwiftData.__decodeMember(container, .\($0), \\Self.\($0))" }
    let encoded = names.map { "try SwiftData.__encodeMember(self.\($0), &container, .\($0))" }
    let members = names.map { "SwiftData.__CompositeMember(\"\($0.unquoted)\", \\Self.\($0), CodingKeys.\($0))" }
    parts.append(
      function(
        "\(access)nonisolated init(from decoder: any Swift.Decoder) throws",
        names.isEmpty ? [] : ["let container = try decoder.container(keyedBy: CodingKeys.self)"] + decoded))
    parts.append(
      function(
        "\(access)nonisolated func encode(to encoder: any Swift.Encoder) throws",
        names.isEmpty ? [] : ["var container = encoder.container(keyedBy: CodingKeys.self)"] + encoded))
    parts.append(
      function(
        "\(access)nonisolated static var __members: [SwiftData.__CompositeMember]",
        ["[\(members.joined(separator: ", "))]"]))
    return parts.joined(separator: "\n")
  }

  private func function(_ signature: String, _ lines: [String]) -> String {
    "\(signature) {\n\(lines.joined(separator: "\n").indented)\n}"
  }
}

extension String {
  /// An identifier without backticks.
  fileprivate var unquoted: String { replacing("`", with: "") }
}
