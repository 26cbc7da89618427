import SwiftDiagnostics
import SwiftSyntax

/// A diagnostic or fix-it message about a model's source.
struct Message: DiagnosticMessage, FixItMessage {
  let id: String
  let message: String
  var severity: DiagnosticSeverity = .error

  var diagnosticID: MessageID { MessageID(domain: "SwiftDataMacros", id: id) }
  var fixItID: MessageID { diagnosticID }
}

/// All diagnostics of the macros except the diagnostics of predicates.
enum Diagnostics {
  private static func error(
    _ node: some SyntaxProtocol,
    _ id: String,
    _ message: String,
    severity: DiagnosticSeverity = .error,
    fixIts: [FixIt] = []
  ) -> Diagnostic {
    Diagnostic(node: node, message: Message(id: id, message: message, severity: severity), fixIts: fixIts)
  }

  // MARK: - Types

  static func modelIsNotAClass(_ node: AttributeSyntax, _ declaration: some DeclGroupSyntax) -> Diagnostic {
    let kind = declaration.kindInWords
    return error(
      node,
      "modelIsNotAClass",
      "@Model can only be applied to a class, not to \(kind.article) \(kind.name)",
      fixIts: FixIts.makeFinalClass(declaration)
    )
  }

  static func modelActorIsNotAnActor(_ node: AttributeSyntax, _ declaration: some DeclGroupSyntax) -> Diagnostic {
    let kind = declaration.kindInWords
    return error(
      node,
      "modelActorIsNotAnActor",
      "@ModelActor can only be applied to an actor, not to \(kind.article) \(kind.name)",
      fixIts: FixIts.makeActor(declaration)
    )
  }

  static func compositeIsNotAStruct(_ node: AttributeSyntax, _ declaration: some DeclGroupSyntax) -> Diagnostic {
    let kind = declaration.kindInWords
    return error(
      node, "compositeIsNotAStruct",
      "@Composite can only be applied to a struct, not to \(kind.article) \(kind.name)")
  }

  static func compositeHasOwnCoding(_ member: some DeclSyntaxProtocol) -> Diagnostic {
    error(
      member, "compositeHasOwnCoding",
      "@Composite writes this itself, so that the store knows where each member is; remove it, or remove @Composite and"
        + " let Swift read the members")
  }

  static func compositeMemberIsWrapped(_ property: VariableDeclSyntax) -> Diagnostic {
    error(
      property, "compositeMemberIsWrapped",
      "@Composite does not know how this attribute stores the property; make it a plain stored property")
  }

  static func genericModel(_ generics: GenericParameterClauseSyntax) -> Diagnostic {
    error(generics, "genericModel", "a model class cannot be generic: it is one entity of the schema")
  }

  static func initializerRequired(_ model: ModelDeclaration) -> Diagnostic {
    error(
      model.syntax.name,
      "initializerRequired",
      "@Model requires an initializer be provided for '\(model.name)'",
      fixIts: FixIts.addInitializer(model)
    )
  }

  static func inheritsNoInitializer(_ model: ModelDeclaration) -> Diagnostic {
    error(
      model.syntax.name,
      "inheritsNoInitializer",
      "'\(model.name)' inherits no initializer, because @Model adds one of its own; declare one that calls super.init",
      severity: .warning
    )
  }

  static func unknownConfiguration(_ conditional: IfConfigDeclSyntax) -> Diagnostic {
    error(
      conditional,
      "unknownConfiguration",
      "this compiler does not tell @Model which branch of '#if' is active; members in it are not persisted",
      severity: .warning
    )
  }

  // MARK: - Shapes of properties

  static func severalBindings(_ variable: VariableDeclSyntax) -> Diagnostic {
    error(
      variable,
      "severalBindings",
      "a persisted property needs a declaration of its own: Swift gives accessors to single variables only",
      fixIts: FixIts.splitBindings(variable)
    )
  }

  static func destructuring(_ pattern: PatternSyntax) -> Diagnostic {
    error(pattern, "destructuring", "a persisted property is one name; declare each property by itself")
  }

  static func propertyWrapper(_ attribute: AttributeSyntax, _ variable: VariableDeclSyntax) -> Diagnostic {
    error(
      attribute,
      "propertyWrapper",
      "a persisted property cannot have the wrapper @\(attribute.baseName); remove it or mark the property @Transient",
      fixIts: [FixIts.addTransient(variable)]
    )
  }

  static func constantWithValue(_ variable: VariableDeclSyntax) -> Diagnostic {
    error(
      variable.bindingSpecifier,
      "constantWithValue",
      "a constant with an initial value is not persisted: a stored value could not be read back into it",
      severity: .warning,
      fixIts: [FixIts.makeVariable(variable), FixIts.addTransient(variable)]
    )
  }

  static func transientWithoutDefault(_ binding: PatternBindingSyntax) -> Diagnostic {
    error(
      binding,
      "transientWithoutDefault",
      "the transient property '\(binding.pattern.trimmedDescription)' needs a default value: "
        + "nothing else sets it when an object is read from a store",
      fixIts: [FixIts.addDefault(binding)]
    )
  }

  // MARK: - Types of properties

  static func unsupportedType(_ node: some SyntaxProtocol, kind: String) -> Diagnostic {
    error(
      node,
      "unsupportedType",
      "\(kind) cannot be persisted; use a Codable type, @Attribute(.transformable(by:)) or @Transient"
    )
  }

  static func optionNeedsType(_ variable: VariableDeclSyntax, _ binding: PatternBindingSyntax) -> Diagnostic {
    error(
      binding,
      "optionNeedsType",
      "'\(binding.pattern.trimmedDescription)' needs a type annotation; the options of @Attribute do not imply a type"
    )
  }

  // MARK: - Markers

  static func markerOffProperty(_ node: AttributeSyntax) -> Diagnostic {
    error(
      node,
      "markerOffProperty",
      "@\(node.baseName) has no meaning here: this is not a property",
      severity: .warning
    )
  }

  static func markerOnUnstored(_ node: AttributeSyntax, isOverride: Bool) -> Diagnostic {
    let reason = isOverride ? "an override stores nothing" : "a static, lazy or computed property is not persisted"
    return error(
      node,
      "markerOnUnstored",
      "@\(node.baseName) has no meaning here: \(reason)",
      severity: .warning,
      fixIts: FixIts.removeAttribute(node)
    )
  }

  static func bothMarkers(_ attribute: AttributeSyntax, _ relationship: AttributeSyntax) -> Diagnostic {
    error(
      attribute,
      "bothMarkers",
      "a property is either an attribute or a relationship, not both",
      fixIts: FixIts.removeAttribute(attribute) + FixIts.removeAttribute(relationship)
    )
  }

  static func repeatedAttribute(_ node: AttributeSyntax) -> Diagnostic {
    error(
      node,
      "repeatedAttribute",
      "@Attribute is written twice, and all of its arguments count; write them in one",
      severity: .warning,
      fixIts: node.labeledArguments.isEmpty ? FixIts.removeAttribute(node) : []
    )
  }

  static func repeatedRelationship(_ node: AttributeSyntax) -> Diagnostic {
    error(
      node,
      "repeatedRelationship",
      "@Relationship is written twice; write its arguments in one",
      fixIts: FixIts.removeAttribute(node)
    )
  }

  static func repeatedOption(_ option: ExprSyntax) -> Diagnostic {
    error(option, "repeatedOption", "the option \(option.trimmedDescription) is written twice")
  }

  static func relationshipOnAttribute(_ relationship: AttributeSyntax, _ type: TypeSyntax) -> Diagnostic {
    error(
      relationship,
      "relationshipOnAttribute",
      "@Relationship has no meaning here: '\(type.trimmedDescription)' is neither a model nor an array of models",
      severity: .warning,
      fixIts: FixIts.removeAttribute(relationship)
    )
  }

  static func relationshipSet(_ type: TypeSyntax) -> Diagnostic {
    error(
      type,
      "relationshipSet",
      "a to-many relationship is an array; it holds each object once and keeps their order"
    )
  }

  static func constantRelationship(_ variable: VariableDeclSyntax) -> Diagnostic {
    error(
      variable.bindingSpecifier,
      "constantRelationship",
      "a relationship must be a variable: the other side changes it too",
      fixIts: [FixIts.makeVariable(variable)]
    )
  }
}

extension DeclGroupSyntax {
  fileprivate var kindInWords: (article: String, name: String) {
    switch self.kind {
    case .structDecl: ("a", "structure")
    case .enumDecl: ("an", "enumeration")
    case .actorDecl: ("an", "actor")
    case .protocolDecl: ("a", "protocol")
    case .extensionDecl: ("an", "extension")
    case .classDecl: ("a", "class")
    default: ("a", "declaration")
    }
  }
}
