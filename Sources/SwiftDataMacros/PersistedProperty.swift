import SwiftDiagnostics
import SwiftSyntax

/// A persisted property as the class declares it.
struct PersistedProperty {
  /// The storage of the value.
  enum Storage {
    /// The declaration itself, for a `let`.
    case inPlace(type: String)
    /// A peer with the property's type.
    case direct(type: String)
    /// A `__Slot`, because only the type checker can tell an attribute from a relationship. The type is nil if only
    /// the initial value determines it.
    case slot(type: String?)
  }

  /// The way in which the engine reads and writes an attribute.
  enum Coding {
    case column, transformable, codable
  }

  /// An observer that the class declares on the property.
  struct Observer {
    /// The name of the other value in the body.
    let parameter: String
    let body: CodeBlockSyntax
    var usesParameter: Bool {
      body.tokens(viewMode: .sourceAccurate).contains { $0.identifier?.name == parameter }
    }
  }

  /// The name in a key path, with backticks if needed.
  let reference: String
  let name: String
  private(set) var storage: Storage
  let coding: Coding
  let initialValue: ExprSyntax?
  /// The written type, or nil if the initial value determines it.
  let writtenType: TypeSyntax?
  let attribute: AttributeSyntax?
  let relationship: AttributeSyntax?
  let willSet: Observer?
  let didSet: Observer?
  let declaration: VariableDeclSyntax
  /// The class of a property that another property's init accessor initializes through `_$backingData`, or nil.
  private(set) var lateModel: String?

  /// The property as such an init accessor needs it. A property with an initial value is unchanged.
  func initializedLate(in model: String) -> PersistedProperty {
    guard !isLet, initialValue == nil, let type else { return self }
    var result = self
    (result.storage, result.lateModel) = (.slot(type: type), model)
    return result
  }

  /// The statement that takes over the value from `_$backingData`, or nil.
  var settling: String? {
    lateModel.map { "SwiftData.__settle(&\(storageName), &_$backingData, \\\($0).\(reference))" }
  }

  var isLet: Bool { if case .inPlace = storage { true } else { false } }
  var isSlot: Bool { if case .slot = storage { true } else { false } }

  /// The name of the stored peer.
  ///
  /// A property wrapper already uses `_name`. The compiler rejects a wrapper together with accessors, and reports it only once
  /// if the peer has another name.
  var storageName: String {
    if isLet { return reference }
    return "\(declaration.hasUnknownAttribute ? "__persisted_" : "_")\(name)".asIdentifier
  }

  /// The type of the storage, or nil if only the type checker knows it.
  var type: String? {
    switch storage {
    case .inPlace(let type), .direct(let type): type
    case .slot(let type): type
    }
  }

  /// Whether an initializer may omit the property.
  var hasDefault: Bool { initialValue != nil || (!isLet && writtenType?.isSugaredOptional == true) }
}

extension PersistedProperty {
  /// The result of parsing a variable declaration of a model class.
  struct Parsed {
    var persisted: PersistedProperty?
    /// The name and type of a transient property without a value of its own when a row is decoded.
    var placeholder: (reference: String, type: String)?
    var problems: [Diagnostic] = []
  }

  /// Parses a variable declaration. A declaration that is neither persisted nor a problem is left alone.
  static func parse(_ variable: VariableDeclSyntax) -> Parsed {
    if variable.isUnpersistedByNature { return Parsed(problems: PropertyRules.markersOnComputed(variable)) }
    if let transient = variable.attribute(named: "Transient") { return parseTransient(variable, transient) }
    if let problem = PropertyRules.shapeProblem(variable) { return Parsed(problems: [problem]) }
    let binding = variable.bindings.first!
    guard let identifier = binding.pattern.as(IdentifierPatternSyntax.self)?.identifier else { return Parsed() }
    let attribute = variable.persistedAttribute
    if let attribute, attribute.hasOption("transient") { return parseTransient(variable, attribute) }
    let type = binding.typeAnnotation?.type
    // Apple's macro does not look at the type, so published code has @Relationship on attributes.
    let relationship = type?.isAttributeType == true ? nil : variable.attribute(named: "Relationship")
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
        isRelationship: relationship != nil
      ),
      coding: coding,
      initialValue: binding.initializer?.value,
      writtenType: type,
      attribute: attribute,
      relationship: relationship,
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

  /// A transient property stays unchanged, but needs a value when a row is decoded.
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
