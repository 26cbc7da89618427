public import SwiftData

/// A property that holds the result of a fetch and keeps it up to date.
///
///     struct Inbox {
///       @Query(filter: #Predicate<Message> { !$0.isRead }, sort: \.date, order: .reverse) var unread: [Message]
///     }
///     let inbox = withModelContext(context) { Inbox() }
///     show(inbox.unread)
///
/// The context is the one given to the query, or that of ``withModelContext(_:_:)`` around the place where the query is made
/// or read. There is no environment outside SwiftUI that it could come from. Reading the property gives what a fetch would
/// give at that moment, and is observable as ``ResultsObserver/results`` is.
///
/// It is in a module of its own, since Apple's is visible only where SwiftUI is imported too: `import SwiftDataQuery` stands
/// for that import.
///
/// (Apple's documentation, `Query`. There it is a macro and a wrapper; here it is a property wrapper alone, generic over its
/// result, `Query<[Message]>`: decision 9. Animations are accepted and do nothing.)
@propertyWrapper
public struct Query<Result: QueryResult> {
  private let state: QueryState<Result>

  init(
    _ descriptor: FetchDescriptor<Result.Model>, _ context: ModelContext?,
    _ open: @escaping (FetchDescriptor<Result.Model>, ModelContext) throws -> OpenQuery<Result>
  ) {
    state = QueryState(descriptor, context ?? ModelContext.current, open)
  }

  /// Finds all models.
  // Swift initialises a property without arguments by this form only: no parameters, no generics.
  public init() { self.init(FetchDescriptor(), nil, OpenQuery.list) }

  /// The models that the query finds; none where ``fetchError`` says why.
  public var wrappedValue: Result { state.value }

  /// Why there is no result: the query has no context, or its fetch failed.
  public var fetchError: (any Error)? { state.error }

  /// The context of the query.
  ///
  /// Apple's traps where there is none; this one is then a context of its own over no model at all, and ``fetchError`` says
  /// ``SwiftDataError/missingModelContext``. Assign a context to watch that one.
  public var modelContext: ModelContext {
    get { state.context ?? ModelContext.withoutStores() }
    nonmutating set { state.context = newValue }
  }

  /// Brings the result up to date at once, which reading it does too.
  public func update() { _ = state.value }
}

/// What a ``Query`` can find: `[Model]`, or ``SectionedResults``.
public protocol QueryResult: SendableMetatype {
  /// The class of the models.
  associatedtype Model: PersistentModel
  /// The result of a fetch; nil where it has to be sections.
  static func __list(_ models: [Model]) -> Self?
}

extension Array: QueryResult where Element: PersistentModel {
  public typealias Model = Element
  public static func __list(_ models: [Element]) -> [Element]? { models }
}

extension SectionedResults: QueryResult {
  /// A list without models is one without sections too.
  public static func __list(_ models: [Model]) -> SectionedResults? { models.isEmpty ? SectionedResults([]) : nil }
}

/// The observer behind a query, whatever its type.
struct OpenQuery<Result: QueryResult> {
  let value: () -> Result?
  let error: () -> (any Error)?

  static func list(_ descriptor: FetchDescriptor<Result.Model>, _ context: ModelContext) throws -> Self {
    let observer = try ResultsObserver<Result.Model, Never>(descriptor, nil, context, nil)
    return Self(
      value: { Result.__list(observer.results) },
      error: {
        if let error = observer.fetchError { return error }
        guard Result.__list(observer.results) == nil else { return nil }
        return SwiftDataError(
          .unsupportedKeyPath, entity: Result.Model.__entity.name,
          message: "the query is to find sections and does not say by what; give it a sectionBy")
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

/// What copies of one query share.
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
    // Nothing is a result of either kind.
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
        message: "the query has no context; make or read it within withModelContext(_:_:), or give it a modelContext")
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
