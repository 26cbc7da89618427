public import Observation

/// Counts events of the history of a container's stores, so that somebody who follows it knows when to look.
///
///     let observer = try HistoryObserver(observedModels: [Trip.self], modelContainer: container)
///     withObservationTracking { _ = observer.eventCounter } onChange: { … fetchHistory … }
///
/// Saves of the container's own contexts count as well as those of other containers and processes; name the `authors` to
/// follow only some. (Apple's documentation, `HistoryObserver`; that own saves count is our reading of "any history change
/// in the container". It follows the default stores; a custom store has no history that could be followed without
/// reading it.)
public final class HistoryObserver: Observable {
  /// The container whose stores are observed.
  public let modelContainer: ModelContainer
  /// The models whose changes count, with their subclasses; empty counts all.
  public let observedModels: [any PersistentModel.Type]
  /// Whose saves count, by ``ModelContext/author``; empty counts all.
  public let authors: Set<String>

  private let registrar = ObservationRegistrar()
  /// For each store, the number of the last transaction that was looked at.
  private var positions: [String: Int64] = [:]
  private var counter = 0
  private let entities: [String]
  private let inbox = ContextInbox()
  private var reminder: LiveReminder?

  /// Starts to count.
  /// - Parameters:
  ///   - historyTokens: where to begin, by the identifier of the store; a store without one, and all where it is nil,
  ///     begin with what is saved from now on.
  ///   - observedModels: the models whose changes count, with their subclasses; empty counts all.
  ///   - authors: whose saves count; empty counts all.
  ///   - isolation: the actor that the observer is used on; that of the caller unless told.
  /// - Throws: ``SwiftDataError/historyTokenExpired`` where history after a token was deleted; an error of the store.
  public init(
    historyTokens: [String: any HistoryToken]? = nil, observedModels: [any PersistentModel.Type] = [],
    authors: Set<String> = [], modelContainer: ModelContainer, isolation: isolated (any Actor)? = #isolation
  ) throws {
    self.modelContainer = modelContainer
    self.observedModels = observedModels
    self.authors = authors
    let core = modelContainer.core
    let watch = core.watch()
    core.register(inbox)
    entities = try observedModels.flatMap { try core.table(for: $0.__entity).family.map(\.name) }
    for store in core.sqliteStores {
      if let token = historyTokens?[store.identifier] as? DefaultHistoryToken {
        try HistoryReader(store: store).check(token, authors: authors)
        positions[store.identifier] = token.transaction
      } else {
        positions[store.identifier] = try store.look { try StoreOpening.lastTransaction($0) } ?? 0
      }
    }
    reminder = LiveReminder(watch: watch, inbox: inbox, actor: isolation) { [weak self] in self?.update() }
    if historyTokens != nil { look() }
  }

  /// How often the observer found something that counts; several saves may be found at once.
  public var eventCounter: Int {
    update()
    registrar.access(self, keyPath: \.eventCounter)
    return counter
  }

  /// What the observer has looked at, by the identifier of the store: where to begin another day.
  public var historyTokens: [String: any HistoryToken] {
    update()
    registrar.access(self, keyPath: \.historyTokens)
    return Dictionary(
      uniqueKeysWithValues: positions.map { ($0, DefaultHistoryToken(store: $0, transaction: $1)) })
  }

  private func update() {
    if !inbox.takeAll().isEmpty { look() }
  }

  private func look() {
    for store in modelContainer.core.sqliteStores {
      let last = positions[store.identifier] ?? 0
      // A store that cannot be read tells those who use it.
      guard let news = try? HistoryReader(store: store).news(after: last, authors: authors, entities: entities),
        news.newest > last
      else { continue }
      registrar.withMutation(of: self, keyPath: \.historyTokens) { positions[store.identifier] = news.newest }
      if news.isRelevant { registrar.withMutation(of: self, keyPath: \.eventCounter) { counter += 1 } }
    }
  }
}

// Its counter belongs to one actor.
@available(*, unavailable)
extension HistoryObserver: Sendable {}
