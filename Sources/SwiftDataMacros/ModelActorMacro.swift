// Only the compiler calls these functions, which swift-syntax describes.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// `@ModelActor`: gives an actor its own context.
public enum ModelActorMacro {}

extension ModelActorMacro: MemberMacro {
  public static func expansion(
    of node: AttributeSyntax,
    providingMembersOf declaration: some DeclGroupSyntax,
    conformingTo protocols: [TypeSyntax],
    in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    guard let declaration = declaration.as(ActorDeclSyntax.self) else {
      context.diagnose(Diagnostics.modelActorIsNotAnActor(node, declaration))
      return []
    }
    let access = declaration.accessPrefix
    var members: [DeclSyntax] = []
    if !declaration.declaresProperty("modelExecutor") {
      members.append("\(raw: access)nonisolated let modelExecutor: any SwiftData.ModelExecutor")
    }
    if !declaration.declaresProperty("modelContainer") {
      members.append("\(raw: access)nonisolated let modelContainer: SwiftData.ModelContainer")
    }
    if !declaration.declaresContainerInitializer {
      members.append(
        """
        \(raw: access)init(modelContainer: SwiftData.ModelContainer) {
          let modelContext = SwiftData.ModelContext(modelContainer)
          self.modelExecutor = SwiftData.DefaultSerialModelExecutor(modelContext: modelContext)
          self.modelContainer = modelContainer
        }
        """
      )
    }
    return members
  }
}

extension ModelActorMacro: ExtensionMacro {
  public static func expansion(
    of node: AttributeSyntax,
    attachedTo declaration: some DeclGroupSyntax,
    providingExtensionsOf type: some TypeSyntaxProtocol,
    conformingTo protocols: [TypeSyntax],
    in context: some MacroExpansionContext
  ) throws -> [ExtensionDeclSyntax] {
    guard let declaration = declaration.as(ActorDeclSyntax.self), !protocols.isEmpty else { return [] }
    let availability = declaration.attributes.named("available").map { $0.trimmedDescription + "\n" }.joined()
    let source: DeclSyntax = "\(raw: availability)extension \(type.trimmed): SwiftData.ModelActor {}"
    return source.as(ExtensionDeclSyntax.self).map { [$0] } ?? []
  }
}

extension ActorDeclSyntax {
  fileprivate var accessPrefix: String {
    let access = modifiers.first { ["public", "package"].contains($0.name.text) }
    return access.map { "\($0.name.text) " } ?? ""
  }

  fileprivate func declaresProperty(_ name: String) -> Bool {
    memberBlock.members.compactMap { $0.decl.as(VariableDeclSyntax.self) }
      .flatMap(\.bindings).contains { $0.pattern.trimmedDescription == name }
  }

  fileprivate var declaresContainerInitializer: Bool {
    memberBlock.members.compactMap { $0.decl.as(InitializerDeclSyntax.self) }.contains { initializer in
      initializer.signature.parameterClause.parameters.map(\.firstName.text) == ["modelContainer"]
    }
  }
}
