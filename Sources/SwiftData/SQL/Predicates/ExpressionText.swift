import Foundation

/// Renders a subexpression as source text for messages.
package enum ExpressionText {
  package static func describe(_ expression: Any) -> String {
    let mirror = Mirror(reflecting: expression)
    let children = Dictionary(mirror.children.compactMap { child in child.label.map { ($0, child.value) } }) { $1 }
    func text(_ label: String) -> String { children[label].map(describe) ?? "…" }
    let node = String(describing: type(of: expression)).prefix { $0 != "<" }
    if let symbol = infix[String(node)] { return "\(text("lhs")) \(symbol) \(text("rhs"))" }
    switch node {
    case "Variable": return "$0"
    case "Value": return children["value"].map(constant) ?? "…"
    case "NilLiteral": return "nil"
    case "KeyPath":
      guard let keyPath = children["keyPath"] as? AnyKeyPath else { return "\(text("root")).…" }
      if let question = (expression as? any AggregateExpression)?.question { return "\(text("root")).\(question)" }
      return wrapped(text("root"), keyPath) ?? "\(text("root")).\(KeyPathText.member(keyPath))"
    case "Arithmetic", "Comparison":
      return "\(text("lhs")) \(symbols[children["op"].map { "\($0)" } ?? ""] ?? "?") \(text("rhs"))"
    case "Negation": return "!(\(text("wrapped")))"
    case "UnaryMinus": return "-\(text("wrapped"))"
    case "Conditional": return "\(text("test")) ? \(text("trueBranch")) : \(text("falseBranch"))"
    case "OptionalFlatMap":
      let inner = text("transform")
      return inner.hasPrefix("$0")
        ? "\(text("wrapped"))?\(inner.dropFirst(2))" : "\(text("wrapped")).flatMap { \(inner) }"
    case "ForcedUnwrap" where ["<Predicate<", "<Expression<"].contains(where: text("inner").hasPrefix):
      return text("inner")
    case "ForcedUnwrap": return "\(text("inner"))!"
    case "SequenceContains": return "\(text("sequence")).contains(\(text("element")))"
    case "SequenceContainsWhere": return "\(text("sequence")).contains { \(text("test")) }"
    case "SequenceAllSatisfy": return "\(text("sequence")).allSatisfy { \(text("test")) }"
    case "SequenceStartsWith": return "\(text("base")).starts(with: \(text("prefix")))"
    case "SequenceMaximum": return "\(text("elements")).max()"
    case "SequenceMinimum": return "\(text("elements")).min()"
    case "CollectionContainsCollection": return "\(text("base")).contains(\(text("other")))"
    case "StringContainsRegex": return "\(text("subject")).contains(\(text("regex")))"
    case "Filter": return "\(text("sequence")).filter { \(text("filter")) }"
    case "Range": return "\(text("lower"))..<\(text("upper"))"
    case "ClosedRange": return "\(text("lower"))...\(text("upper"))"
    case "RangeExpressionContains": return "(\(text("range"))).contains(\(text("element")))"
    case "CollectionIndexSubscript" where isCall(children["wrapped"]):
      return "\(text("wrapped"))(\(text("index")))"
    case "CollectionIndexSubscript": return "\(text("wrapped"))[\(text("index"))]"
    case "CollectionRangeSubscript": return "\(text("wrapped"))[\(text("range"))]"
    case "DictionaryKeySubscript": return "\(text("wrapped"))[\(text("key"))]"
    case "DictionaryKeyDefaultValueSubscript":
      return "\(text("wrapped"))[\(text("key")), default: \(text("default"))]"
    case "ConditionalCast" where (expression as? any PromotingExpression)?.isPromotion == true: return text("input")
    case "TypeCheck", "ConditionalCast", "ForceCast": return "a cast of \(text("input"))"
    case "ExpressionEvaluate": return "\(text("expression")).evaluate(…)"
    default: return (expression as? any CustomStringConvertible)?.description ?? String(node)
    }
  }

  /// Whether a subscripted value stands for a method call.
  private static func isCall(_ expression: Any?) -> Bool {
    guard let expression else { return false }
    return Mirror(reflecting: expression).children.contains { child in
      switch child.value {
      case is any AnyPredicateAnswers: true
      case let keyPath as AnyKeyPath: type(of: keyPath).valueType is any AnyTextAnswers.Type
      default: false
      }
    }
  }

  /// The source form of a key path of our own nodes, or nil for other key paths.
  private static func wrapped(_ root: String, _ keyPath: AnyKeyPath) -> String? {
    switch type(of: keyPath).valueType {
    case let question as any AnyTextAnswers.Type: "\(root).\(question.name)"
    case is any LoweredAsRoot.Type: root
    case let mapped as any AnyMapped.Type:
      mapped.inner(of: keyPath).map { "\(root).map { $0.\(KeyPathText.member($0)) }" }
    case is PersistentIdentifier.Type: "\(root).persistentModelID"
    case is any ExpressibleByArrayLiteral.Type where type(of: keyPath).rootType == Bool.self: "[]"
    case is Character.Type where keyPath == \String.__onlyCharacter: root
    default: TextCase(keyPath).map { "\(root).\($0.name)" }
    }
  }

  private static let infix = [
    "Equal": "==", "NotEqual": "!=", "Conjunction": "&&", "Disjunction": "||", "NilCoalesce": "??",
    "IntDivision": "/", "FloatDivision": "/", "IntRemainder": "%",
  ]

  private static let symbols = [
    "add": "+", "subtract": "-", "multiply": "*", "lessThan": "<", "lessThanOrEqual": "<=", "greaterThan": ">",
    "greaterThanOrEqual": ">=",
  ]

  /// Renders values of a few types. A custom type's description may be long or trap.
  private static func constant(_ value: Any) -> String {
    guard let value = ScalarType.unwrapped(value) else { return "nil" }
    switch value {
    case let text as String: return text.count > 40 ? "\"\(text.prefix(40))…\"" : text.debugDescription
    case is any BinaryInteger, is Double, is Float, is Bool, is UUID, is Decimal: return "\(value)"
    case is Range<Int>, is ClosedRange<Int>, is Range<Double>, is ClosedRange<Double>: return "\(value)"
    case let date as Date: return "Date(timeIntervalSinceReferenceDate: \(date.timeIntervalSinceReferenceDate))"
    case let answers as any AnyPredicateAnswers: return answers.text + ".evaluate"
    default: return "<\(type(of: value))>"
    }
  }
}

/// Renders key paths for messages.
enum KeyPathText {
  /// The key path with its property's name if the model knows it.
  static func describe(_ keyPath: AnyKeyPath) -> String {
    "\\" + String(describing: type(of: keyPath).rootType) + "." + member(keyPath)
  }

  /// The components after the root.
  static func member(_ keyPath: AnyKeyPath) -> String {
    if let model = type(of: keyPath).rootType as? any PersistentModel.Type,
      let index = model.__entity.index(of: keyPath)
    {
      return model.__entity.properties[index].name
    }
    let text = "\(keyPath)"
    guard let dot = text.firstIndex(of: ".") else { return text }
    let member = text[text.index(after: dot)...]
    guard member.hasPrefix("<computed") else { return String(member) }
    return SymbolNames.computed(keyPath) ?? "<a property of type \(type(of: keyPath).valueType)>"
  }
}
