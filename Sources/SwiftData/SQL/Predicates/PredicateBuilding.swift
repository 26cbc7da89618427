public import Foundation

// Builders for the expansion of `#Predicate` where Foundation's are too narrow: promotion to optionals, key paths of
// models of the main actor, captured values that are not Codable.

/// Builds the nodes of predicates.
///
/// Plumbing of `#Predicate`.
public enum __Build {
  /// A value wrapped in an optional.
  public typealias Promoted<E: PredicateExpression> = PredicateExpressions.ConditionalCast<E, E.Output>
}

// MARK: - Captured values

extension __Build {
  /// A captured value.
  public static func value<T: Codable & Sendable>(_ value: T) -> PredicateExpressions.Value<T> {
    PredicateExpressions.Value(value)
  }

  /// Chosen for a value that a predicate cannot capture. The compiler reports one error.
  @available(
    *, unavailable,
    message:
      "what a predicate captures has to be Codable and Sendable; capture the part of it that is compared, as a model's persistentModelID"
  )
  @_disfavoredOverload
  public static func value<T>(_ value: T) -> Refused<T> {
    // No program can call it: the compiler refuses the call.
    fatalError("unavailable")
  }

  /// Chosen for a list of models.
  @available(
    *, unavailable,
    message: "a predicate cannot capture models; write `?? []` for an empty list, or compare identifiers"
  )
  public static func value<Model: PersistentModel>(_ value: [Model]) -> Refused<[Model]> {
    // No program can call it: the compiler refuses the call.
    fatalError("unavailable")
  }

  /// The node of a value that cannot be captured.
  ///
  /// It is Codable. Otherwise the compiler would complain about the whole predicate, and crash in a `let` of a file.
  public typealias Refused<T> = PredicateExpressions.KeyPath<PredicateExpressions.Value<Bool>, T>

  /// A captured predicate.
  public static func value<each Input>(
    _ value: Predicate<repeat each Input>
  ) -> PredicateExpressions.Value<Predicate<repeat each Input>> { PredicateExpressions.Value(value) }

  /// A captured expression.
  public static func value<each Input, Output>(
    _ value: Expression<repeat each Input, Output>
  ) -> PredicateExpressions.Value<Expression<repeat each Input, Output>> { PredicateExpressions.Value(value) }

  /// Captures a substring. `Substring` is not Codable.
  public static func value(_ value: Substring) -> PredicateExpressions.Value<String> {
    PredicateExpressions.Value(String(value))
  }

  /// Captures a substring, or nil.
  public static func value(_ value: Substring?) -> PredicateExpressions.Value<String?> {
    PredicateExpressions.Value(value.map(String.init))
  }

  /// Captures a character as a string. `Character` is not Codable.
  public static func value(
    _ value: Character
  ) -> PredicateExpressions.KeyPath<PredicateExpressions.Value<String>, Character> {
    PredicateExpressions.build_KeyPath(root: PredicateExpressions.Value(String(value)), keyPath: \.__onlyCharacter)
  }

  /// A captured regular expression.
  public static func value<T>(_ value: Regex<T>) -> PredicateExpressions.Value<__CapturedRegex> {
    PredicateExpressions.build_Arg(value)
  }
}

// MARK: - Members

extension __Build {
  /// A property.
  ///
  /// Foundation requires a Sendable key path. Key paths of a model of the main actor are not Sendable.
  public static func member<Root, Member>(
    _ root: Root,
    _ keyPath: KeyPath<Root.Output, Member>
  ) -> PredicateExpressions.KeyPath<Root, Member> {
    // Sendable is a marker without a representation at run time. The macro's key paths name properties and capture
    // nothing. A captured key path is only compared and followed. The caller of `evaluate` is responsible for the
    // model's isolation.
    let sendable = unsafeBitCast(keyPath, to: (KeyPath<Root.Output, Member> & Sendable).self)
    return PredicateExpressions.build_KeyPath(root: root, keyPath: sendable)
  }

  /// The value of a captured key path for a model.
  ///
  /// Foundation's node traps for key paths of several components. The subscript makes it one component, which only Swift can
  /// follow: the context evaluates such a predicate in memory.
  public static func captured<Root, Member>(
    _ root: Root,
    _ keyPath: KeyPath<Root.Output, Member>
  ) -> PredicateExpressions.KeyPath<Root, Member> where Root.Output: PersistentModel {
    KeyPathSteps(keyPath)?.steps.count == 1 ? member(root, keyPath) : member(root, Root.Output.__following(keyPath))
  }

  /// The rest of an optional chain after `?`, or the closure of `flatMap`.
  public static func flatMap<Base, Wrapped, Body, Result>(
    _ base: Base,
    _ body: (PredicateExpressions.Variable<Wrapped>) -> Body
  ) -> PredicateExpressions.OptionalFlatMap<Base, Wrapped, Body, Result>
  where Base.Output == Wrapped?, Body.Output == Result {
    PredicateExpressions.build_flatMap(base, body)
  }

  /// The rest of an optional chain after `?`, if it is optional itself.
  public static func flatMap<Base, Wrapped, Body, Result>(
    _ base: Base,
    _ body: (PredicateExpressions.Variable<Wrapped>) -> Body
  ) -> PredicateExpressions.OptionalFlatMap<Base, Wrapped, Body, Result>
  where Base.Output == Wrapped?, Body.Output == Result? {
    PredicateExpressions.build_flatMap(base, body)
  }

  /// The closure of `map`, or the branch of an `if let`.
  public static func map<Base, Wrapped, Body>(
    _ base: Base,
    _ body: (PredicateExpressions.Variable<Wrapped>) -> Body
  ) -> PredicateExpressions.OptionalFlatMap<Base, Wrapped, Body, Body.Output> where Base.Output == Wrapped? {
    PredicateExpressions.OptionalFlatMap(base, body)
  }

  /// A number as a `Double`.
  public static func double<Root>(_ root: Root) -> PredicateExpressions.KeyPath<Root, Double>
  where Root.Output: BinaryInteger { PredicateExpressions.build_KeyPath(root: root, keyPath: \.__double) }

  /// A number as a `Double`.
  public static func double<Root>(_ root: Root) -> PredicateExpressions.KeyPath<Root, Double>
  where Root.Output: BinaryFloatingPoint { PredicateExpressions.build_KeyPath(root: root, keyPath: \.__double) }
}

extension Bool {
  /// Plumbing of `#Predicate`.
  public subscript<List: ExpressibleByArrayLiteral>(__empty _: __Build.EmptyListKey<List>) -> List { [] }
}

extension String {
  /// Plumbing of `#Predicate`: the character of a string that was made from one.
  public var __onlyCharacter: Character { first ?? "\0" }
}

extension BinaryInteger {
  /// Plumbing of `#Predicate`.
  public var __double: Double { Double(self) }
}

extension BinaryFloatingPoint {
  /// Plumbing of `#Predicate`.
  public var __double: Double { Double(self) }
}

// MARK: - Optionals

extension __Build {
  /// `==`
  public static func equal<L, R>(_ left: L, _ right: R) -> PredicateExpressions.Equal<L, R> {
    PredicateExpressions.build_Equal(lhs: left, rhs: right)
  }

  /// `==` of an optional and a non-optional value.
  @_disfavoredOverload
  public static func equal<L, R>(_ left: L, _ right: R) -> PredicateExpressions.Equal<L, Promoted<R>>
  where L.Output == R.Output? {
    PredicateExpressions.build_Equal(lhs: left, rhs: Promoted(right))
  }

  /// `==` of a non-optional value and an optional.
  @_disfavoredOverload
  public static func equal<L, R>(_ left: L, _ right: R) -> PredicateExpressions.Equal<Promoted<L>, R>
  where R.Output == L.Output? {
    PredicateExpressions.build_Equal(lhs: Promoted(left), rhs: right)
  }

  /// `!=`
  public static func notEqual<L, R>(_ left: L, _ right: R) -> PredicateExpressions.NotEqual<L, R> {
    PredicateExpressions.build_NotEqual(lhs: left, rhs: right)
  }

  /// `!=` of an optional and a non-optional value.
  @_disfavoredOverload
  public static func notEqual<L, R>(_ left: L, _ right: R) -> PredicateExpressions.NotEqual<L, Promoted<R>>
  where L.Output == R.Output? {
    PredicateExpressions.build_NotEqual(lhs: left, rhs: Promoted(right))
  }

  /// `!=` of a non-optional value and an optional.
  @_disfavoredOverload
  public static func notEqual<L, R>(_ left: L, _ right: R) -> PredicateExpressions.NotEqual<Promoted<L>, R>
  where R.Output == L.Output? {
    PredicateExpressions.build_NotEqual(lhs: Promoted(left), rhs: right)
  }

  /// `== nil`
  public static func isNil<E, Wrapped: Equatable>(
    _ expression: E
  ) -> PredicateExpressions.Equal<E, PredicateExpressions.NilLiteral<Wrapped>> where E.Output == Wrapped? {
    PredicateExpressions.build_Equal(lhs: expression, rhs: PredicateExpressions.NilLiteral())
  }

  /// `== nil` of a type that is not Equatable.
  public static func isNil<E, Wrapped>(
    _ expression: E
  ) -> PredicateExpressions.Negation<Presence<E, Wrapped>> where E.Output == Wrapped? {
    PredicateExpressions.build_Negation(isPresent(expression))
  }

  /// `!= nil`
  public static func isPresent<E, Wrapped: Equatable>(
    _ expression: E
  ) -> PredicateExpressions.NotEqual<E, PredicateExpressions.NilLiteral<Wrapped>> where E.Output == Wrapped? {
    PredicateExpressions.build_NotEqual(lhs: expression, rhs: PredicateExpressions.NilLiteral())
  }

  /// Whether an optional of a type that is not Equatable has a value.
  public typealias Presence<E: PredicateExpression, Wrapped> = PredicateExpressions.NilCoalesce<
    PredicateExpressions.OptionalFlatMap<E, Wrapped, PredicateExpressions.Value<Bool>, Bool>,
    PredicateExpressions.Value<Bool>
  > where E.Output == Wrapped?

  /// `!= nil` of a type that is not Equatable.
  public static func isPresent<E, Wrapped>(_ expression: E) -> Presence<E, Wrapped> where E.Output == Wrapped? {
    PredicateExpressions.build_NilCoalesce(
      lhs: map(expression) { (_: PredicateExpressions.Variable<Wrapped>) in PredicateExpressions.Value(true) },
      rhs: PredicateExpressions.Value(false)
    )
  }

  /// `??`
  public static func coalesce<L, R>(_ left: L, _ right: R) -> PredicateExpressions.NilCoalesce<L, R> {
    PredicateExpressions.build_NilCoalesce(lhs: left, rhs: right)
  }

  /// `??` with an optional on the right.
  @_disfavoredOverload
  public static func coalesce<L, R, Wrapped: Equatable>(
    _ left: L,
    _ right: R
  )
    -> PredicateExpressions.Conditional<
      PredicateExpressions.NotEqual<L, PredicateExpressions.NilLiteral<Wrapped>>, L, R
    > where L.Output == Wrapped?, R.Output == Wrapped?
  {
    PredicateExpressions.build_Conditional(isPresent(left), left, right)
  }

  /// `?? []`
  public static func orEmpty<L, List: ExpressibleByArrayLiteral & Codable & Sendable>(
    _ left: L
  ) -> PredicateExpressions.NilCoalesce<L, PredicateExpressions.Value<List>> where L.Output == List? {
    PredicateExpressions.build_NilCoalesce(lhs: left, rhs: PredicateExpressions.Value([]))
  }

  /// `?? []` of models, or of other values that a predicate cannot capture.
  @_disfavoredOverload
  public static func orEmpty<L, List: ExpressibleByArrayLiteral>(
    _ left: L
  ) -> PredicateExpressions.NilCoalesce<L, EmptyList<List>> where L.Output == List? {
    let none = PredicateExpressions.build_KeyPath(root: value(true), keyPath: \.[__empty: EmptyListKey<List>()])
    return PredicateExpressions.build_NilCoalesce(lhs: left, rhs: none)
  }

  /// An empty list of elements that need not be Codable.
  ///
  /// It is a key path of a captured value, because predicates are encoded as Foundation's nodes.
  public typealias EmptyList<List> = PredicateExpressions.KeyPath<PredicateExpressions.Value<Bool>, List>

  /// The type of an empty list, as the argument of a subscript in a key path.
  public struct EmptyListKey<List>: Hashable, Sendable {}

  /// `? :`, and `if` and `switch` as expressions.
  public static func conditional<T, L, R>(
    _ test: T,
    _ left: L,
    _ right: R
  ) -> PredicateExpressions.Conditional<T, L, R> {
    PredicateExpressions.build_Conditional(test, left, right)
  }

  /// `? :` of an optional and a non-optional value.
  @_disfavoredOverload
  public static func conditional<T, L, R>(
    _ test: T,
    _ left: L,
    _ right: R
  ) -> PredicateExpressions.Conditional<T, L, Promoted<R>> where L.Output == R.Output?, T.Output == Bool {
    PredicateExpressions.build_Conditional(test, left, Promoted(right))
  }

  /// `? :` of a non-optional value and an optional.
  @_disfavoredOverload
  public static func conditional<T, L, R>(
    _ test: T,
    _ left: L,
    _ right: R
  ) -> PredicateExpressions.Conditional<T, Promoted<L>, R> where R.Output == L.Output?, T.Output == Bool {
    PredicateExpressions.build_Conditional(test, Promoted(left), right)
  }

  /// `let x: T = …`
  public static func typed<E>(_: E.Output.Type, _ expression: E) -> E where E: PredicateExpression { expression }

  /// `let x: T? = …` of a non-optional value.
  @_disfavoredOverload
  public static func typed<E>(_: E.Output?.Type, _ expression: E) -> Promoted<E> where E: PredicateExpression {
    Promoted(expression)
  }
}

// MARK: - Patterns and types

extension __Build {
  /// `contains` of an array literal. Without it, `["a"]` would be the characters of a string.
  public static func containsElement<L, R>(
    _ list: L,
    _ element: R
  ) -> PredicateExpressions.SequenceContains<L, R> {
    PredicateExpressions.build_contains(list, element)
  }

  /// Whether a value matches a pattern of its type.
  public static func matches<P, E>(_ pattern: P, _ expression: E) -> PredicateExpressions.Equal<E, P> {
    PredicateExpressions.build_Equal(lhs: expression, rhs: pattern)
  }

  /// Whether an optional matches a non-optional value.
  @_disfavoredOverload
  public static func matches<P, E>(_ pattern: P, _ expression: E) -> PredicateExpressions.Equal<E, Promoted<P>>
  where E.Output == P.Output? {
    PredicateExpressions.build_Equal(lhs: expression, rhs: Promoted(pattern))
  }

  /// Whether a value is in a range.
  public static func matches<P, E>(
    _ pattern: P,
    _ expression: E
  ) -> PredicateExpressions.RangeExpressionContains<P, E>
  where P.Output: RangeExpression, P.Output.Bound == E.Output {
    PredicateExpressions.RangeExpressionContains(range: pattern, element: expression)
  }

  /// `is`
  public static func check<E, Desired>(
    _ expression: E,
    _: Desired.Type
  ) -> PredicateExpressions.TypeCheck<E, Desired> { PredicateExpressions.TypeCheck(expression) }

  /// `as?`
  public static func cast<E, Desired>(
    _ expression: E,
    _: Desired.Type
  ) -> PredicateExpressions.ConditionalCast<E, Desired> { PredicateExpressions.ConditionalCast(expression) }

  /// `as!` and `as`
  public static func forceCast<E, Desired>(
    _ expression: E,
    _: Desired.Type
  ) -> PredicateExpressions.ForceCast<E, Desired> { PredicateExpressions.ForceCast(expression) }
}
