import SwiftDiagnostics
import SwiftSyntax

/// A property that the store keeps, as the class declares it.
struct PersistedProperty {
  /// Where the value lives.
  enum Storage {
    /// In the declaration itself: a `let`.
    case inPlace(type: String)
    /// In a peer of the property's own type.
    case direct(type: String)
    /// In a `__Slot`, because only the type checker can tell an attribute from a relationship. The type is nil
    /// where it follows from the initial value alone.
    case slot(type: String?)
  }

  /// How an attribute is read and written.
  enum Coding {
    case column, transformable, codable
  }

  /// An observer that the class declares on the property.
  struct Observer {
    /// What the body calls the other value.
    let parameter: String
    let body: CodeBlockSyntax
    var usesParameter: Bool {
      body.tokens(viewMode: .sourceAccurate).contains { $0.identifier?.name == parameter }
    }
  }

  /// As a key path spells it, backticks included.
  let reference: String
  let name: String
  let storage: Storage
  let coding: Coding
  let initialValue: ExprSyntax?
  /// The written type; nil where the initial value says it.
  let writtenType: TypeSyntax?
  let attribute: AttributeSyntax?
  let relationship: AttributeSyntax?
  let willSet: Observer?
  let didSet: Observer?
  let declaration: VariableDeclSyntax

  var isLet: Bool { if case .inPlace = storage { true } else { false } }
  var isSlot: Bool { if case .slot = storage { true } else { false } }

  /// The stored property that has the value.
  ///
  /// A property wrapper has a `_name` of its own. The compiler refuses wrappers beside accessors, and says so once where
  /// the storage has another name.
  var storageName: String {
    if isLet { return reference }
    return "\(declaration.hasUnknownAttribute ? "__persisted_" : "_")\(name)".asIdentifier
  }

  /// The type in the storage; nil where only the type checker knows it.
  var type: String? {
    switch storage {
    case .inPlace(let type), .direct(let type): type
    case .slot(let type): type
    }
  }

  /// Whether an initialiser may leave the property out.
  var hasDefault: Bool { initialValue != nil || (!isLet && writtenType?.isSugaredOptional == true) }
}

extension PersistedProperty {
  /// What a variable declaration of a model class turns out to be.
  struct Parsed {
    var persisted: PersistedProperty?
    /// A transient property that has no value of its own when a row is decoded: its name and type.
    var placeholder: (reference: String, type: String)?
    var problems: [Diagnostic] = []
  }

  /// Reads a variable declaration. Neither persisted nor a problem: it is left alone.
  static func parse(_ variable: VariableDeclSyntax) -> Parsed {
    if variable.isUnpersistedByNature { return Parsed(problems: PropertyRules.markersOnComputed(variable)) }
    if let transient = variable.attribute(named: "Transient") { return parseTransient(variable, transient) }
    if let problem = PropertyRules.shapeProblem(variable) { return Parsed(problems: [problem]) }
    let binding = variable.bindings.first!
    guard let identifier = binding.pattern.as(IdentifierPatternSyntax.self)?.identifier else { return Parsed() }
    let attribute = variable.attribute(named: "Attribute")
    if let attribute, attribute.hasOption("transient") { return parseTransient(variable, attribute) }
    let type = binding.typeAnnotation?.type
    let isLet = variable.bindingSpecifier.tokenKind == .keyword(.let)
    guard type != nil || binding.initializer != nil else { return Parsed() }
    if isLet, binding.initializer != nil { return Parsed(problems: [Diagnostics.constantWithValue(variable)]) }
    let problems = PropertyRules.problems(variable, type: type)
    let coding: Coding =
      attribute?.hasOption("transformable") == true
      ? .transformable : attribute?.hasOption("codable") == true ? .codable : .column
    let property = PersistedProperty(
      reference: identifier.text,
      name: identifier.identifier?.name ?? identifier.text,
      storage: storage(
        type: type,
        value: binding.initializer?.value,
        isLet: isLet,
        isAttribute: attribute != nil,
        isRelationship: variable.attribute(named: "Relationship") != nil
      ),
      coding: coding,
      initialValue: binding.initializer?.value,
      writtenType: type,
      attribute: attribute,
      relationship: variable.attribute(named: "Relationship"),
      willSet: binding.observer(.willSet),
      didSet: binding.observer(.didSet),
      declaration: variable
    )
    if coding != .column, property.type == nil {
      return Parsed(problems: problems + [Diagnostics.optionNeedsType(variable, binding)])
    }
    return problems.contains { $0.diagMessage.severity == .error }
      ? Parsed(problems: problems) : Parsed(persisted: property, problems: problems)
  }

  private static func storage(
    type: TypeSyntax?,
    value: ExprSyntax?,
    isLet: Bool,
    isAttribute: Bool,
    isRelationship: Bool
  ) -> Storage {
    guard let written = type?.storedDescription ?? value.flatMap({ InitialValue.type(of: $0) }) else {
      return .slot(type: nil)
    }
    if isLet { return .inPlace(type: written) }
    if isRelationship { return .slot(type: written) }
    let isKnown = (type ?? TypeSyntax(stringLiteral: written)).isAttributeType
    return isAttribute || isKnown ? .direct(type: written) : .slot(type: written)
  }

  /// A transient property stays as it is; it only must have a value when a row is decoded.
  private static func parseTransient(_ variable: VariableDeclSyntax, _ marker: AttributeSyntax) -> Parsed {
    var parsed = Parsed()
    for binding in variable.bindings where binding.initializer == nil {
      guard !binding.isComputed, !variable.isLazy else { continue }
      let type = binding.typeAnnotation?.type
      let isVariable = variable.bindingSpecifier.tokenKind == .keyword(.var)
      if isVariable, type?.isSugaredOptional == true { continue }
      if marker.baseName == "Attribute", let type, type.isAttributeType {
        parsed.placeholder = (binding.pattern.trimmedDescription, type.storedDescription)
      } else {
        parsed.problems.append(Diagnostics.transientWithoutDefault(binding))
      }
    }
    return parsed
  }
}
