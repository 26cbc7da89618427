import Foundation

// What predicates ask of two texts, and how: with Foundation's own nodes.
//
// A predicate that holds a node of another module traps when it is printed, because Foundation asks every node for a
// conformance that only it can declare. So the `build_…` functions put together nodes that Foundation has, around the
// types in these files, and lowering recognises those types.

/// A question about two texts that Foundation or the standard library answers.
///
/// Plumbing of `#Predicate`.
public protocol __TextQuestion: Sendable {
  associatedtype Answer: Codable & Sendable

  /// The name of the method that answers, for messages and for the SQL function.
  static var name: String { get }

  static func answer(_ text: String, _ other: String) -> Answer
}

/// All answers that a text has to a question, by the other text: `title.hasPrefix(x)` is `answers[x]`.
///
/// Plumbing of `#Predicate`. A collection, because that is what Foundation's nodes can look into.
public struct __TextAnswers<Question: __TextQuestion>: Collection {
  let text: String

  init(_ text: some StringProtocol) { self.text = String(text) }

  public var startIndex: __TextOperand { .first }
  public var endIndex: __TextOperand { .last }
  public func index(after index: __TextOperand) -> __TextOperand { .last }
  public subscript(other: __TextOperand) -> Question.Answer { Question.answer(text, other.text) }
}

/// The other text of a question, between bounds that no text has.
///
/// Plumbing of `#Predicate`.
public enum __TextOperand: Comparable, Sendable {
  case first
  case text(String)
  case last

  var text: String { if case .text(let text) = self { text } else { "" } }
}

extension StringProtocol {
  /// Plumbing of `#Predicate`.
  public var __operand: __TextOperand { .text(String(self)) }
}

extension PredicateExpressions {
  /// A question about two texts, such as `$0.title.hasPrefix("Re:")`.
  ///
  /// Foundation has such nodes on Apple's systems only, and few of them.
  public typealias TextQuestion<Question: __TextQuestion, Root: PredicateExpression, Other: PredicateExpression> =
    CollectionIndexSubscript<KeyPath<Root, __TextAnswers<Question>>, KeyPath<Other, __TextOperand>>
  where Root.Output: StringProtocol, Other.Output: StringProtocol

  static func question<Question, Root, Other>(
    _ receiver: Root,
    _ answers: Swift.KeyPath<Root.Output, __TextAnswers<Question>> & Sendable,
    _ argument: Other
  ) -> TextQuestion<Question, Root, Other> {
    build_subscript(
      build_KeyPath(root: receiver, keyPath: answers),
      build_KeyPath(root: argument, keyPath: \.__operand)
    )
  }
}

// MARK: - Lowering

/// The types of key paths that only wrap what they start at.
protocol LoweredAsRoot {}

extension __TextOperand: LoweredAsRoot {}

/// A question, whatever it is.
protocol AnyTextAnswers: LoweredAsRoot {
  static var answerType: Any.Type { get }
  static var name: String { get }
  static func answer(_ text: String, _ other: String) -> Any
}

extension __TextAnswers: AnyTextAnswers {
  static var answerType: Any.Type { Question.Answer.self }
  static var name: String { Question.name }
  static func answer(_ text: String, _ other: String) -> Any { Question.answer(text, other) }
}

extension LoweringState {
  /// A question about two texts as a call of the SQL function that answers it.
  mutating func textQuestion<Root: PredicateExpression, Other: PredicateExpression>(
    _ question: any AnyTextAnswers.Type,
    _ left: Lowered,
    of root: Root,
    _ right: Lowered,
    of other: Other
  ) throws -> Lowered {
    if case .constant(let one as any StringProtocol) = left, case .constant(let two as any StringProtocol) = right {
      return .constant(question.answer(String(one), String(two)))
    }
    let (one, two) = (try text(left, of: root), try text(right, of: other))
    if question.name == __HasPrefix.name { return .scalar(prefixQuestion(one, two, right)) }
    return .scalar(
      textCall("swift_" + question.name.lowercased(), [one, two], type: ScalarType(of: question.answerType)!))
  }

  /// Whether a text begins with another: an interval of an index first where the other is known.
  func prefixQuestion(_ text: Scalar, _ prefix: Scalar, _ captured: Lowered) -> Scalar {
    var call = textCall("swift_starts_with", [text, prefix], type: .bool)
    guard !text.needsNormalization, case .constant(let known as any StringProtocol) = captured,
      let interval = PrefixInterval(String(known))
    else { return call }
    call.sql =
      text.operand + SQLFragment(" >= ? AND ", [interval.lower]) + text.operand
      + SQLFragment(" < ? AND ", [interval.upper]) + call.sql
    call.isAtomic = false
    return call
  }

  /// What an expression of some kind of string lowered to, as text.
  func text<E: PredicateExpression>(_ lowered: Lowered, of expression: E) throws -> Scalar {
    if case .constant(let value as any StringProtocol) = lowered {
      return Scalar(sql: SQLFragment("?", [.text(String(value))]), type: ScalarType(of: String.self)!)
    }
    guard case .scalar(let scalar) = lowered, scalar.type.form == .text else {
      throw unsupported(expression, "it is no text in the store")
    }
    return scalar
  }

  /// A function of texts: NULL where one of them is.
  func textCall(_ name: String, _ arguments: [Scalar], type: ScalarType) -> Scalar {
    var sql = SQLFragment("\(name)(")
    for (index, argument) in arguments.enumerated() {
      sql = sql + SQLFragment(index == 0 ? "" : ", ") + argument.sql
    }
    let isOptional = arguments.contains(where: \.isOptional)
    return Scalar(
      sql: sql + SQLFragment(")"),
      type: type,
      isOptional: isOptional,
      mayThrow: arguments.contains(where: \.mayThrow),
      failure: isOptional ? arguments.compactMap(\.failureTest).nonEmpty?.disjunction : nil,
      isCondition: type.form == .bool,
      needsNormalization: type.form == .text,
      strictIn: arguments.reduce(into: []) { $0.formUnion($1.strictIn) }
    )
  }
}

/// The texts in normal form C that begin with a prefix, as an interval of their bytes.
///
/// Where a text begins with the characters of a prefix, both in that form, it begins with its bytes, because what is
/// left of such a text at the end of a character is in that form too. The reverse is not so (`e` and `e` with an
/// accent that has no form of its own): the interval only comes before the question.
struct PrefixInterval {
  let lower: SQLValue
  let upper: SQLValue

  /// Nil where the prefix is empty or nothing comes after it.
  init?(_ prefix: String) {
    let prefix = SwiftText.nfc(prefix)
    guard let last = prefix.unicodeScalars.last, let next = Self.next(last) else { return nil }
    lower = .text(prefix)
    var scalars = prefix.unicodeScalars
    scalars.removeLast()
    scalars.append(next)
    upper = .text(String(scalars))
  }

  /// The order of scalars is the order of their bytes.
  private static func next(_ scalar: UnicodeScalar) -> UnicodeScalar? {
    scalar.value == 0xD7FF ? UnicodeScalar(0xE000) : UnicodeScalar(scalar.value + 1)
  }
}
