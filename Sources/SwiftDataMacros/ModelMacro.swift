// Only the compiler calls these functions, which swift-syntax describes.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import SwiftSyntax
import SwiftSyntaxMacros

/// `@Model`: makes a class a `PersistentModel`.
public enum ModelMacro {}

extension ModelMacro {
  public static var formatMode: FormatMode { .disabled }
}

extension ModelMacro: MemberMacro {
  public static func expansion(
    of node: AttributeSyntax,
    providingMembersOf declaration: some DeclGroupSyntax,
    conformingTo protocols: [TypeSyntax],
    in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    guard let declaration = declaration.as(ClassDeclSyntax.self) else {
      context.diagnose(Diagnostics.modelIsNotAClass(node, declaration))
      return []
    }
    if let generics = declaration.genericParameterClause {
      context.diagnose(Diagnostics.genericModel(generics))
      return []
    }
    // The compiler requests only the conformances that neither a superclass nor the class's own clause states.
    let model = ModelDeclaration(
      declaration,
      role: protocols.isEmpty && !declaration.namesPersistentModel ? .subclass : .root,
      configuration: context.buildConfiguration
    )
    for problem in model.problems { context.diagnose(problem) }
    return model.renderedMembers()
  }
}

extension ModelMacro: MemberAttributeMacro {
  public static func expansion(
    of node: AttributeSyntax,
    attachedTo declaration: some DeclGroupSyntax,
    providingAttributesFor member: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [AttributeSyntax] {
    guard let declaration = declaration.modelClass, let variable = member.as(VariableDeclSyntax.self) else {
      return []
    }
    guard let property = PersistedProperty.parse(variable).persisted, !property.isLet,
      let attribute = PropertyAttributes.shared.of(declaration, context.buildConfiguration)[property.name]
    else { return [] }
    return [AttributeSyntax(unparsed: attribute)]
  }
}

extension ModelMacro: ExtensionMacro {
  public static func expansion(
    of node: AttributeSyntax,
    attachedTo declaration: some DeclGroupSyntax,
    providingExtensionsOf type: some TypeSyntaxProtocol,
    conformingTo protocols: [TypeSyntax],
    in context: some MacroExpansionContext
  ) throws -> [ExtensionDeclSyntax] {
    guard let declaration = declaration.modelClass, !protocols.isEmpty else { return [] }
    let model = ModelDeclaration(declaration, role: .root, configuration: context.buildConfiguration)
    // The compiler does not request a conformance that the class declares itself.
    let conformances = protocols.compactMap { requested -> String? in
      switch requested.trimmedDescription.split(separator: ".").last {
      case "PersistentModel": "nonisolated SwiftData.PersistentModel"
      case "Observable": "nonisolated SwiftData.__Observable"
      // The protocol's own `id` is nonisolated. A declared `id` has the isolation of the class, so reading it through
      // `Identifiable` elsewhere traps at run time.
      case "Identifiable":
        model.declaresIsolatedID ? "@preconcurrency SwiftData.__Identifiable" : "nonisolated SwiftData.__Identifiable"
      default: nil
      }
    }
    guard !conformances.isEmpty else { return [] }
    let availability = declaration.availabilityAttributes.map { $0.trimmedDescription + "\n" }.joined()
    let source: DeclSyntax = """
      \(raw: availability)extension \(type.trimmed): \(raw: conformances.joined(separator: ", ")) {
      \(raw: declaration.declaresEquality ? Self.equality(of: type) : "")}
      """
    return source.as(ExtensionDeclSyntax.self).map { [$0] } ?? []
  }
}

extension ModelMacro {
  /// The witness of `Equatable` for a class with its own `==`. The compiler does not choose between that one and the
  /// protocol's default if the conformance is a macro's.
  fileprivate static func equality(of type: some TypeSyntaxProtocol) -> String {
    """
      @_implements(Swift.Equatable, ==(_:_:))
      nonisolated static func __isEqual(_ left: \(type.trimmed), _ right: \(type.trimmed)) -> Swift.Bool {
        left == right
      }

    """
  }
}

extension DeclGroupSyntax {
  /// The class, or nil if the declaration cannot be a model. The member role diagnoses the reason.
  fileprivate var modelClass: ClassDeclSyntax? {
    guard let declaration = self.as(ClassDeclSyntax.self), declaration.genericParameterClause == nil else { return nil }
    return declaration
  }
}

extension ClassDeclSyntax {
  /// Whether the class has its own `==` and does not say that it is equatable.
  fileprivate var declaresEquality: Bool {
    let stated = inheritanceClause?.inheritedTypes.map(\.type.trimmedDescription) ?? []
    guard !stated.contains(where: { ["Equatable", "Hashable", "Comparable"].contains($0.split(separator: ".").last) })
    else { return false }
    return memberBlock.members.contains { $0.decl.as(FunctionDeclSyntax.self)?.name.text == "==" }
  }

  /// Whether the class spells the conformance that the macro adds. A subclass of a model cannot, because it would repeat it.
  fileprivate var namesPersistentModel: Bool {
    inheritanceClause?.inheritedTypes.contains { inherited in
      inherited.type.trimmedDescription.split(separator: ".").last == "PersistentModel"
    } ?? false
  }
}
