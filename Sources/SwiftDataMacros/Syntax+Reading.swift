import SwiftSyntax

// Helpers that read the syntax tree.

extension AttributeSyntax {
  /// `Attribute` of `@Attribute` and `@SwiftData.Attribute`.
  var baseName: String {
    // `trimmedDescription` builds another tree, and this is asked for each attribute several times.
    if let type = attributeName.as(IdentifierTypeSyntax.self), type.genericArgumentClause == nil {
      return type.name.text
    }
    let name = attributeName.trimmedDescription
    return name.hasPrefix("SwiftData.") ? String(name.dropFirst("SwiftData.".count)) : name
  }

  /// The arguments, or an empty array.
  var labeledArguments: [LabeledExprSyntax] {
    if case .argumentList(let list)? = arguments { Array(list) } else { [] }
  }

  /// The options and their names: `unique` of `.unique`, `transformable` of `.transformable(by: X.self)`.
  var options: [(name: String, expression: ExprSyntax)] {
    labeledArguments.filter { $0.label == nil }.compactMap { argument in
      let callee = argument.expression.as(FunctionCallExprSyntax.self)?.calledExpression ?? argument.expression
      let name = callee.as(MemberAccessExprSyntax.self)?.declName.baseName.text
      return name.map { ($0, argument.expression) }
    }
  }

  func hasOption(_ name: String) -> Bool { options.contains { $0.name == name } }
}

extension AttributeListSyntax {
  func named(_ name: String) -> [AttributeSyntax] {
    compactMap { $0.as(AttributeSyntax.self) }.filter { $0.baseName == name }
  }
}

extension VariableDeclSyntax {
  func attribute(named name: String) -> AttributeSyntax? { attributes.named(name).first }

  /// The `@Attribute` of the property. Several are merged into one, which has each option once and the first value of each label.
  var persistedAttribute: AttributeSyntax? {
    let written = attributes.named("Attribute")
    guard let first = written.first, written.count > 1 else { return written.first }
    let all = written.flatMap(\.labeledArguments)
    var seen = Set<String>()
    let options = all.filter { $0.label == nil && seen.insert($0.expression.trimmedDescription).inserted }
    let labeled = all.filter { $0.label.map { seen.insert($0.text + ":").inserted } ?? false }
    return first.with(\.arguments, .argumentList(LabeledExprListSyntax(options + labeled)))
  }

  func hasModifier(_ keyword: Keyword) -> Bool {
    modifiers.contains { $0.name.tokenKind == .keyword(keyword) }
  }

  var isDeprecated: Bool {
    attributes.named("available").contains { $0.tokens(viewMode: .sourceAccurate).contains { $0.text == "deprecated" } }
  }

  /// Whether the declaration has an unknown attribute that may be a property wrapper: its name is capitalized like a
  /// type's.
  var hasUnknownAttribute: Bool {
    attributes.contains { element in
      guard let attribute = element.as(AttributeSyntax.self) else { return false }
      let name = attribute.baseName
      return name.first?.isUppercase == true && !name.hasSuffix("Actor")
        && !["Attribute", "Relationship", "Transient"].contains(name)
    }
  }

  /// Splits `let a: Int, b: Int` into one declaration per name. Constants need no accessors, so they may share a
  /// declaration (see `Diagnostics.severalBindings`). Returns any other declaration unchanged.
  var singleConstants: [VariableDeclSyntax] {
    guard bindingSpecifier.tokenKind == .keyword(.let), bindings.count > 1 else { return [self] }
    var type: TypeAnnotationSyntax?
    let bindings = bindings.reversed().map { binding in
      if binding.typeAnnotation != nil || binding.initializer != nil { type = binding.typeAnnotation }
      return binding.with(\.typeAnnotation, binding.initializer == nil ? type : binding.typeAnnotation)
    }
    return bindings.reversed().map { with(\.bindings, [$0.with(\.trailingComma, nil)]) }
  }

  var isLazy: Bool { hasModifier(.lazy) }

  /// Whether the property is static, overriding, lazy or computed. These are never persisted.
  var isUnpersistedByNature: Bool {
    hasModifier(.static) || hasModifier(.class) || hasModifier(.override) || isLazy
      || bindings.allSatisfy(\.isComputed)
  }
}

extension PatternBindingSyntax {
  /// Whether the binding has a getter. Observers alone leave it stored.
  var isComputed: Bool {
    switch accessorBlock?.accessors {
    case nil: false
    case .getter: true
    case .accessors(let accessors):
      !accessors.allSatisfy { [.keyword(.willSet), .keyword(.didSet)].contains($0.accessorSpecifier.tokenKind) }
    }
  }

  func observer(_ keyword: Keyword) -> PersistedProperty.Observer? {
    guard case .accessors(let accessors)? = accessorBlock?.accessors,
      let accessor = accessors.first(where: { $0.accessorSpecifier.tokenKind == .keyword(keyword) }),
      let body = accessor.body
    else { return nil }
    let parameter = accessor.parameters?.name.text ?? (keyword == .willSet ? "newValue" : "oldValue")
    return PersistedProperty.Observer(parameter: parameter, body: body)
  }
}

extension ClassDeclSyntax {
  var availabilityAttributes: [AttributeSyntax] { attributes.named("available") }

  func hasModifier(_ keyword: Keyword) -> Bool {
    modifiers.contains { $0.name.tokenKind == .keyword(keyword) }
  }
}

extension String {
  /// The text as an identifier, in backticks if needed.
  var asIdentifier: String {
    let isPlain = unicodeScalars.allSatisfy { $0 == "_" || $0.properties.isXIDContinue || $0.properties.isEmoji }
    return isPlain ? self : "`\(self)`"
  }
}
