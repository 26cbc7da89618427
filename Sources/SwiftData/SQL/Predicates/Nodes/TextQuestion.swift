// Only the code that `#Predicate` expands to uses these nodes.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import Foundation

// Methods of two strings, built from Foundation's own nodes.
//
// Foundation traps when it prints a predicate with a node of another module, because it requires a conformance that
// only Foundation can declare. The `build_…` functions therefore combine Foundation's nodes around the types in these
// files, and lowering recognizes these types.

/// A method of two strings from Foundation or the standard library.
///
/// Plumbing of `#Predicate`.
public protocol __TextQuestion: Sendable {
  associatedtype Answer: Codable & Sendable

  /// The name of the method, for messages and for the SQL function.
  static var name: String { get }

  static func answer(_ text: String, _ other: String) -> Answer
}

/// The results of a method for one string and any other: `title.hasPrefix(x)` is `answers[x]`.
///
/// Plumbing of `#Predicate`. It is a collection, because Foundation's nodes can subscript collections.
public struct __TextAnswers<Question: __TextQuestion>: Collection {
  let text: String

  init(_ text: some StringProtocol) { self.text = String(text) }

  public var startIndex: __TextOperand { .first }
  public var endIndex: __TextOperand { .last }
  public func index(after index: __TextOperand) -> __TextOperand { .last }
  public subscript(other: __TextOperand) -> Question.Answer { Question.answer(text, other.text) }
}

/// The other string, or one of the two bounds of the index range.
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
  /// A method of two strings, such as `$0.title.hasPrefix("Re:")`.
  ///
  /// Foundation has a few such nodes, on Apple's platforms only.
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

/// The types of key paths that only wrap their root.
protocol LoweredAsRoot {}

extension __TextOperand: LoweredAsRoot {}

/// A method of two strings, whichever it is.
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
  /// Lowers a method of two strings to a call of its SQL function.
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

  /// Lowers `hasPrefix`. If the prefix is known, an index range comes first.
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

  /// The result of lowering an expression of a string type, as text.
  func text<E: PredicateExpression>(_ lowered: Lowered, of expression: E) throws -> Scalar {
    if case .constant(let value as any StringProtocol) = lowered {
      return Scalar(sql: SQLFragment("?", [.text(String(value))]), type: ScalarType(of: String.self)!)
    }
    guard case .scalar(let scalar) = lowered, scalar.type.form == .text else {
      throw unsupported(expression, "it is not text in the store")
    }
    return scalar
  }

  /// Calls an SQL function of texts. The result is NULL if an argument is.
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

/// The range of bytes of all normalised texts that begin with a prefix.
///
/// If a text in normal form C begins with the characters of a prefix in that form, it begins with the prefix's bytes.
/// The reverse is false (`e` and `e` with a combining accent that has no composed form), so the range only narrows the
/// candidates for the exact test.
struct PrefixInterval {
  let lower: SQLValue
  let upper: SQLValue

  /// Returns nil if the prefix is empty or has no successor.
  init?(_ prefix: String) {
    let prefix = SwiftText.nfc(prefix)
    guard var last = prefix.unicodeScalars.last else { return nil }
    lower = .text(prefix)
    var upper = prefix
    repeat {
      guard let next = Self.next(last) else { return nil }
      upper.unicodeScalars.removeLast()
      upper.unicodeScalars.append(next)
      last = next
      // A parameter is converted to normal form C, and the form of a bound may precede it. No text of that form is left out.
    } while !SwiftText.isNFC(upper)
    self.upper = .text(upper)
  }

  /// Scalars order like their bytes.
  private static func next(_ scalar: UnicodeScalar) -> UnicodeScalar? {
    scalar.value == 0xD7FF ? UnicodeScalar(0xE000) : UnicodeScalar(scalar.value + 1)
  }
}
