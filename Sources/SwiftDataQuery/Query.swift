public import SwiftData

/// A property with the up-to-date result of a fetch.
///
///     struct Inbox {
///       @Query(filter: #Predicate<Message> { !$0.isRead }, sort: \.date, order: .reverse) var unread: [Message]
///     }
///     let inbox = withModelContext(context) { Inbox() }
///     show(inbox.unread)
///
/// The context is an argument, or the context of the ``withModelContext(_:_:)`` around the place where the query is created or
/// read, because there is no SwiftUI environment. Reading the property returns what a fetch would return at that
/// moment. It is observable like `ResultsObserver.results`.
///
/// It is in a module of its own, because Apple's is visible only with SwiftUI: `import SwiftDataQuery` replaces `import
/// SwiftUI`.
///
/// (Apple's documentation, `Query`. Apple's is a macro and a wrapper. This one is a property wrapper, generic over its
/// result, `Query<[Message]>`: decision 9. Animations have no effect.)
@propertyWrapper
public struct Query<Result: QueryResult> {
  private let state: QueryState<Result>

  init(
    _ descriptor: FetchDescriptor<Result.Model>, _ context: ModelContext?,
    _ open: @escaping (FetchDescriptor<Result.Model>, ModelContext) throws -> OpenQuery<Result>
  ) {
    state = QueryState(descriptor, context ?? ModelContext.current, open)
  }

  // Swift initializes a property without arguments only through an initializer without parameters and generics.
  /// Finds all models.
  public init() { self.init(FetchDescriptor(), nil, OpenQuery.list) }

  /// The found models. Empty if there is a ``fetchError``.
  public var wrappedValue: Result { state.value }

  /// The found models in sections; empty without `sectionBy`, and if the sections' titles are not strings. (Apple's documentation,
  /// `Query.sections`.)
  public var sections: SectionedResults<Result.Model, String> {
    wrappedValue as? SectionedResults<Result.Model, String> ?? SectionedResults([])
  }

  /// The error of the fetch, or of a missing context.
  public var fetchError: (any Error)? { state.error }

  /// The context of the query.
  ///
  /// Apple's traps without one. This one then has a context without models, and ``fetchError`` is
  /// `SwiftDataError.missingModelContext`. Assign a context to use that one.
  public var modelContext: ModelContext {
    get { state.context ?? ModelContext.withoutStores() }
    nonmutating set { state.context = newValue }
  }

  /// Updates the result at once. Reading the result does the same.
  public func update() { _ = state.value }
}

/// The result of a ``Query``: `[Model]` or `SectionedResults`.
public protocol QueryResult: SendableMetatype {
  /// The class of the models.
  associatedtype Model: PersistentModel
  /// The result of a fetch, or nil if the type requires sections.
  static func __list(_ models: [Model]) -> Self?
}

extension Array: QueryResult where Element: PersistentModel {
  /// The class of the models.
  public typealias Model = Element
  /// The models themselves.
  public static func __list(_ models: [Element]) -> [Element]? { models }
}

extension SectionedResults: QueryResult {
  /// An empty list is also an empty list of sections.
  public static func __list(_ models: [Model]) -> SectionedResults? { models.isEmpty ? SectionedResults([]) : nil }
}

/// The observer of a query, independent of its type.
struct OpenQuery<Result: QueryResult> {
  let value: () -> Result?
  let error: () -> (any Error)?

  static func list(_ descriptor: FetchDescriptor<Result.Model>, _ context: ModelContext) throws -> Self {
    let observer = try ResultsObserver<Result.Model, Never>(descriptor, nil, context, nil)
    return Self(
      value: { Result.__list(observer.list) },
      error: {
        if let error = observer.fetchError { return error }
        guard Result.__list(observer.list) == nil else { return nil }
        return SwiftDataError(
          .unsupportedKeyPath, entity: Result.Model.__entity.name,
          message: "the query returns sections, but has no sectionBy; add one")
      })
  }

  static func sections<Model, SectionTitle>(
    _ sectioning: Sectioning<Model, SectionTitle>
  ) -> (FetchDescriptor<Model>, ModelContext) throws -> Self where Result == SectionedResults<Model, SectionTitle> {
    { descriptor, context in
      let observer = try ResultsObserver<Model, SectionTitle>(descriptor, sectioning, context, nil)
      return Self(value: { observer.sections }, error: { observer.fetchError })
    }
  }
}

/// The shared state of copies of a query.
private final class QueryState<Result: QueryResult> {
  private let descriptor: FetchDescriptor<Result.Model>
  private let open: (FetchDescriptor<Result.Model>, ModelContext) throws -> OpenQuery<Result>
  private var observer: OpenQuery<Result>?
  private var openingError: (any Error)?
  private var givenContext: ModelContext?

  init(
    _ descriptor: FetchDescriptor<Result.Model>, _ context: ModelContext?,
    _ open: @escaping (FetchDescriptor<Result.Model>, ModelContext) throws -> OpenQuery<Result>
  ) {
    self.descriptor = descriptor
    self.givenContext = context
    self.open = open
  }

  var context: ModelContext? {
    get { givenContext ?? ModelContext.current }
    set {
      guard newValue != givenContext else { return }
      givenContext = newValue
      observer = nil
    }
  }

  var value: Result {
    openIfNeeded()
    // Both kinds of results can be empty.
    return observer?.value() ?? Result.__list([])!
  }

  var error: (any Error)? {
    openIfNeeded()
    return observer.map { $0.error() } ?? openingError
  }

  private func openIfNeeded() {
    guard observer == nil else { return }
    guard let context else {
      openingError = SwiftDataError(
        .missingModelContext, entity: Result.Model.__entity.name,
        message: "the query has no context; create or read it inside withModelContext(_:_:), or pass a modelContext")
      return
    }
    // From here on the query belongs to the context.
    givenContext = context
    do {
      observer = try open(descriptor, context)
      openingError = nil
    } catch {
      openingError = error
    }
  }
}
