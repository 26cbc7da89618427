import SwiftDiagnostics
import SwiftSyntax

/// The rules for properties of a model.
enum PropertyRules {
  /// Common property wrappers. An attribute that is not listed may be a macro. If it is a wrapper, the compiler rejects
  /// it together with the generated accessors.
  private static let propertyWrappers: Set<String> = [
    "AccessibilityFocusState", "AppStorage", "Bindable", "Binding", "Dependency", "Environment", "EnvironmentObject",
    "FetchRequest", "FocusState", "FocusedBinding", "FocusedValue", "GestureState", "Inject", "Injected", "NSCopying",
    "Namespace", "ObservedObject", "Persisted", "Published", "Query", "ScaledMetric", "SceneStorage",
    "SectionedFetchRequest",
    "State", "StateObject", "UIApplicationDelegateAdaptor", "UserDefault",
  ]

  /// Diagnoses a declaration that cannot be one persisted property.
  static func shapeProblem(_ variable: VariableDeclSyntax) -> Diagnostic? {
    if variable.bindings.count > 1 { return Diagnostics.severalBindings(variable) }
    if let pattern = variable.bindings.first?.pattern, !pattern.is(IdentifierPatternSyntax.self) {
      return Diagnostics.destructuring(pattern)
    }
    for case .attribute(let attribute) in variable.attributes where propertyWrappers.contains(attribute.baseName) {
      return Diagnostics.propertyWrapper(attribute, variable)
    }
    return nil
  }

  /// Diagnoses misused markers and types on a stored property.
  static func problems(_ variable: VariableDeclSyntax, type: TypeSyntax?) -> [Diagnostic] {
    var problems = repeatedMarkers(variable)
    let attribute = variable.persistedAttribute
    if let type, let kind = type.unsupportedKind, attribute?.hasOption("transformable") != true {
      problems.append(Diagnostics.unsupportedType(type, kind: kind))
    }
    if variable.bindings.first?.typeAnnotation == nil, variable.bindings.first?.initializer?.value.isTuple == true {
      problems.append(Diagnostics.unsupportedType(variable.bindings.first!.initializer!.value, kind: "a tuple"))
    }
    guard let relationship = variable.attribute(named: "Relationship") else { return problems }
    if let attribute { problems.append(Diagnostics.bothMarkers(attribute, relationship)) }
    if variable.bindingSpecifier.tokenKind == .keyword(.let) {
      problems.append(Diagnostics.constantRelationship(variable))
    }
    if let type, type.isSet {
      problems.append(Diagnostics.relationshipSet(type))
    } else if let type, type.isAttributeType {
      problems.append(Diagnostics.relationshipOnAttribute(relationship, type))
    }
    return problems
  }

  /// Diagnoses `@Attribute` or `@Relationship` on a property that is not stored.
  static func markersOnComputed(_ variable: VariableDeclSyntax) -> [Diagnostic] {
    let isOverride = variable.hasModifier(.override)
    return ["Attribute", "Relationship"].flatMap { variable.attributes.named($0) }
      .map { Diagnostics.markerOnUnstored($0, isOverride: isOverride) }
  }

  private static func repeatedMarkers(_ variable: VariableDeclSyntax) -> [Diagnostic] {
    var problems: [Diagnostic] = []
    let (attributes, relationships) = (
      variable.attributes.named("Attribute"), variable.attributes.named("Relationship")
    )
    problems += attributes.dropFirst().map { Diagnostics.repeatedAttribute($0) }
    problems += relationships.dropFirst().map { Diagnostics.repeatedRelationship($0) }
    for marker in attributes + relationships {
      var seen = Set<String>()
      for option in marker.options where !seen.insert(option.name).inserted {
        problems.append(Diagnostics.repeatedOption(option.expression))
      }
    }
    return problems
  }
}

extension ExprSyntax {
  fileprivate var isTuple: Bool { (self.as(TupleExprSyntax.self)?.elements.count ?? 0) > 1 }
}
