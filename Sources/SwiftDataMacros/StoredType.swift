import SwiftSyntax

// Facts that follow from the spelling of a type.

extension TypeSyntax {
  /// Types that are always attributes. `Character` is missing, because a model may have that name.
  private static let attributeTypes: Set<String> = [
    "Bool", "Int", "Int8", "Int16", "Int32", "Int64", "UInt", "UInt8", "UInt16", "UInt32", "UInt64", "Float",
    "Double", "TimeInterval", "Decimal", "String", "Date", "UUID", "URL", "Data",
  ]

  /// Whether the spelling alone proves that values of the type are attributes, not models.
  var isAttributeType: Bool {
    if let wrapped = optionalWrapped { return wrapped.isAttributeType }
    if self.is(DictionaryTypeSyntax.self) || isGeneric("Dictionary") || isGeneric("Set") { return true }
    if let element = arrayElement { return element.isAttributeType }
    guard let name = unqualifiedName else { return false }
    if name.qualifier != nil, name.text == "Character" { return true }
    return Self.attributeTypes.contains(name.text)
  }

  /// `T` of `T?`, `T!` and `Optional<T>`.
  var optionalWrapped: TypeSyntax? {
    if let optional = self.as(OptionalTypeSyntax.self) { return optional.wrappedType }
    if let optional = self.as(ImplicitlyUnwrappedOptionalTypeSyntax.self) { return optional.wrappedType }
    return genericArgument(of: "Optional")
  }

  /// `T` of `[T]` and `Array<T>`.
  var arrayElement: TypeSyntax? {
    self.as(ArrayTypeSyntax.self)?.element ?? genericArgument(of: "Array")
  }

  /// Whether a `var` of the type starts as nil: `T?` and `T!`, not `Optional<T>`.
  var isSugaredOptional: Bool {
    self.is(OptionalTypeSyntax.self) || self.is(ImplicitlyUnwrappedOptionalTypeSyntax.self)
  }

  /// The type of the storage. `T!` is stored as `T?`.
  var storedDescription: String {
    if let unwrapped = self.as(ImplicitlyUnwrappedOptionalTypeSyntax.self) {
      return unwrapped.wrappedType.trimmedDescription + "?"
    }
    return trimmedDescription
  }

  /// A description of an unsupported kind of type for messages, or nil.
  var unsupportedKind: String? {
    if let wrapped = optionalWrapped ?? arrayElement { return wrapped.unsupportedKind }
    if let tuple = self.as(TupleTypeSyntax.self) {
      if tuple.elements.count == 1, let element = tuple.elements.first, element.firstName == nil {
        return element.type.unsupportedKind
      }
      return "a tuple"
    }
    if let attributed = self.as(AttributedTypeSyntax.self) { return attributed.baseType.unsupportedKind }
    if self.is(FunctionTypeSyntax.self) { return "a function" }
    if self.is(MetatypeTypeSyntax.self) { return "a metatype" }
    if let existential = self.as(SomeOrAnyTypeSyntax.self) {
      return existential.someOrAnySpecifier.tokenKind == .keyword(.any) ? "an existential" : "an opaque type"
    }
    switch unqualifiedName?.text {
    case "Any", "AnyObject", "AnyHashable": return "an existential"
    default: return nil
    }
  }

  /// Whether the type is a set in any spelling.
  var isSet: Bool { optionalWrapped?.isSet ?? isGeneric("Set") }

  private var unqualifiedName: (text: String, qualifier: String?)? {
    if let identifier = self.as(IdentifierTypeSyntax.self) {
      return identifier.genericArgumentClause == nil ? (identifier.name.text, nil) : nil
    }
    guard let member = self.as(MemberTypeSyntax.self), member.genericArgumentClause == nil else { return nil }
    let qualifier = member.baseType.trimmedDescription
    return ["Swift", "Foundation", "FoundationEssentials"].contains(qualifier) ? (member.name.text, qualifier) : nil
  }

  private func isGeneric(_ name: String) -> Bool {
    if let type = self.as(IdentifierTypeSyntax.self) {
      return type.name.text == name && type.genericArgumentClause != nil
    }
    guard let member = self.as(MemberTypeSyntax.self), member.genericArgumentClause != nil else { return false }
    return member.name.text == name && member.baseType.trimmedDescription == "Swift"
  }

  private func genericArgument(of name: String) -> TypeSyntax? {
    guard isGeneric(name) else { return nil }
    let clause =
      self.as(IdentifierTypeSyntax.self)?.genericArgumentClause
      ?? self.as(MemberTypeSyntax.self)?.genericArgumentClause
    guard case .type(let argument)? = clause?.arguments.first?.argument else { return nil }
    return argument
  }
}
