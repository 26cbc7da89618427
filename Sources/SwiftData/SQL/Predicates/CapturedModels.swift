public import Foundation

// `$0.album == album`: a predicate cannot hold a model, so it holds the model's identifier.

extension __Build {
  /// A captured model, or nil.
  ///
  /// Two models are equal if their identifiers are: the same object in one context, or the same row in two contexts.
  public struct CapturedModel<Model: PersistentModel> {
    fileprivate let identifier: PredicateExpressions.Value<PersistentIdentifier?>
  }

  /// The identifier of a model, as an optional.
  public typealias Identity<E: PredicateExpression> =
    Promoted<PredicateExpressions.KeyPath<E, PersistentIdentifier>> where E.Output: PersistentModel

  /// The identifier of an optional model.
  public typealias OptionalIdentity<E: PredicateExpression, Model: PersistentModel> =
    PredicateExpressions.OptionalFlatMap<
      E, Model, PredicateExpressions.KeyPath<PredicateExpressions.Variable<Model>, PersistentIdentifier>,
      PersistentIdentifier
    > where E.Output == Model?

  /// A captured identifier.
  public typealias CapturedIdentity = PredicateExpressions.Value<PersistentIdentifier?>

  /// Captures a model, or nil.
  public static func value<Model: PersistentModel>(_ model: Model?) -> CapturedModel<Model> {
    CapturedModel(identifier: PredicateExpressions.Value(model?.persistentModelID))
  }

  private static func identity<E>(_ expression: E) -> Identity<E> {
    Promoted(member(expression, \.persistentModelID))
  }

  private static func identity<E, Model>(_ expression: E) -> OptionalIdentity<E, Model> {
    map(expression) { member($0, \.persistentModelID) }
  }
}

// MARK: - Comparisons

extension __Build {
  /// `model == captured`
  public static func equal<E, Model>(
    _ left: E,
    _ right: CapturedModel<Model>
  ) -> PredicateExpressions.Equal<Identity<E>, CapturedIdentity> where E.Output == Model {
    PredicateExpressions.build_Equal(lhs: identity(left), rhs: right.identifier)
  }

  /// `optionalModel == captured`
  public static func equal<E, Model>(
    _ left: E,
    _ right: CapturedModel<Model>
  ) -> PredicateExpressions.Equal<OptionalIdentity<E, Model>, CapturedIdentity> {
    PredicateExpressions.build_Equal(lhs: identity(left), rhs: right.identifier)
  }

  /// `captured == model`
  public static func equal<E, Model>(
    _ left: CapturedModel<Model>,
    _ right: E
  ) -> PredicateExpressions.Equal<Identity<E>, CapturedIdentity> where E.Output == Model { equal(right, left) }

  /// `captured == optionalModel`
  public static func equal<E, Model>(
    _ left: CapturedModel<Model>,
    _ right: E
  ) -> PredicateExpressions.Equal<OptionalIdentity<E, Model>, CapturedIdentity> { equal(right, left) }

  /// `model != captured`
  public static func notEqual<E, Model>(
    _ left: E,
    _ right: CapturedModel<Model>
  ) -> PredicateExpressions.NotEqual<Identity<E>, CapturedIdentity> where E.Output == Model {
    PredicateExpressions.build_NotEqual(lhs: identity(left), rhs: right.identifier)
  }

  /// `optionalModel != captured`
  public static func notEqual<E, Model>(
    _ left: E,
    _ right: CapturedModel<Model>
  ) -> PredicateExpressions.NotEqual<OptionalIdentity<E, Model>, CapturedIdentity> {
    PredicateExpressions.build_NotEqual(lhs: identity(left), rhs: right.identifier)
  }

  /// `captured != model`
  public static func notEqual<E, Model>(
    _ left: CapturedModel<Model>,
    _ right: E
  ) -> PredicateExpressions.NotEqual<Identity<E>, CapturedIdentity> where E.Output == Model { notEqual(right, left) }

  /// `captured != optionalModel`
  public static func notEqual<E, Model>(
    _ left: CapturedModel<Model>,
    _ right: E
  ) -> PredicateExpressions.NotEqual<OptionalIdentity<E, Model>, CapturedIdentity> { notEqual(right, left) }
}
