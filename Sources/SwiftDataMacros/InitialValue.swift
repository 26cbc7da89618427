import SwiftSyntax

/// Infers the type of a property from the spelling of its initial value.
///
/// The result is always certain. For any other expression the storage is declared with the same expression, and the
/// type checker infers the type. A call with arguments is not certain: `Int("3")` and `URL(string: "")` are optional.
enum InitialValue {
  static func type(of value: ExprSyntax) -> String? {
    switch value.as(ExprSyntaxEnum.self) {
    case .integerLiteralExpr: "Swift.Int"
    case .floatLiteralExpr: "Swift.Double"
    case .booleanLiteralExpr: "Swift.Bool"
    case .stringLiteralExpr, .simpleStringLiteralExpr: "Swift.String"
    case .prefixOperatorExpr(let prefixed) where prefixed.operator.text == "-": number(prefixed.expression)
    case .arrayExpr(let array): arrayLiteral(array)
    case .dictionaryExpr(let dictionary): dictionaryLiteral(dictionary)
    case .functionCallExpr(let call): emptyCall(call)
    case .memberAccessExpr(let member): knownMember(member)
    case .sequenceExpr(let sequence): cast(sequence)
    case .asExpr(let cast) where cast.questionOrExclamationMark?.tokenKind != .postfixQuestionMark:
      cast.type.trimmedDescription
    default: nil
    }
  }

  private static func number(_ value: ExprSyntax) -> String? {
    value.is(IntegerLiteralExprSyntax.self) || value.is(FloatLiteralExprSyntax.self) ? type(of: value) : nil
  }

  private static func arrayLiteral(_ array: ArrayExprSyntax) -> String? {
    common(array.elements.map { $0.expression }).map { "[\($0)]" }
  }

  private static func dictionaryLiteral(_ dictionary: DictionaryExprSyntax) -> String? {
    guard let elements = dictionary.content.as(DictionaryElementListSyntax.self),
      let key = common(elements.map { $0.key }), let value = common(elements.map { $0.value })
    else { return nil }
    return "[\(key): \(value)]"
  }

  private static func common(_ values: [ExprSyntax]) -> String? {
    let types = Set(values.map { type(of: $0) })
    return types.count == 1 ? types.first! : nil
  }

  /// Recognizes `T()` of a known type, `[T]()`, `[K: V]()`, `Set<T>()`, and `Date(…)`, whose initializers never fail.
  private static func emptyCall(_ call: FunctionCallExprSyntax) -> String? {
    guard call.trailingClosure == nil else { return nil }
    let callee = call.calledExpression
    if callee.is(ArrayExprSyntax.self) || callee.is(DictionaryExprSyntax.self)
      || callee.is(GenericSpecializationExprSyntax.self)
    {
      let type = TypeSyntax(stringLiteral: callee.trimmedDescription)
      let isCollection = type.is(ArrayTypeSyntax.self) || type.isAttributeType || type.arrayElement != nil
      return isCollection && call.arguments.isEmpty ? callee.trimmedDescription : nil
    }
    let name = callee.trimmedDescription
    guard call.arguments.isEmpty || ["Date", "Foundation.Date"].contains(name) else { return nil }
    return TypeSyntax(stringLiteral: name).isAttributeType ? name : nil
  }

  private static let members: [String: String] = [
    "Date.now": "Date", "Date.distantPast": "Date", "Date.distantFuture": "Date",
    "UUID().uuidString": "Swift.String",
  ]

  private static func knownMember(_ member: MemberAccessExprSyntax) -> String? { members[member.trimmedDescription] }

  /// Recognizes `value as T` before operators are folded.
  private static func cast(_ sequence: SequenceExprSyntax) -> String? {
    let elements = Array(sequence.elements)
    guard elements.count >= 3, let cast = elements[elements.count - 2].as(UnresolvedAsExprSyntax.self),
      cast.questionOrExclamationMark?.tokenKind != .postfixQuestionMark,
      let type = elements.last?.as(TypeExprSyntax.self)
    else { return nil }
    return type.type.trimmedDescription
  }
}
