public import Observation

// @unchecked Sendable because only `state` changes after `init`, behind a lock. It updates on the actor of `reminder`, or where it is read.
/// Counts changes in the history of a container's stores, so that a follower of the history knows when to read it.
///
///     let observer = try HistoryObserver(observedModels: [Trip.self], modelContainer: container)
///     withObservationTracking { _ = observer.eventCounter } onChange: { … fetchHistory … }
///
/// It counts saves of the container's own contexts and of other containers and processes. Set `authors` to follow only
/// some. (Apple's documentation, `HistoryObserver`. Including own saves is our reading of "any history change in the
/// container". It follows default stores only, because reading a custom store's history could be expensive.)
public final class HistoryObserver: Observable, @unchecked Sendable {
  /// The container whose stores are observed.
  public let modelContainer: ModelContainer
  /// The observed models with their subclasses; empty means all.
  public let observedModels: [any PersistentModel.Type]
  /// The observed values of ``ModelContext/author``; empty means all.
  public let authors: Set<String>

  private let registrar = ObservationRegistrar()
  private struct State {
    /// For each store, the number of the last transaction that was read.
    var positions: [String: Int64] = [:]
    var counter = 0
    /// Whether a store could not be read. The next update reads it again.
    var isBehind = false
  }
  private let state = Lock(State())
  private let entities: [String]
  private let inbox = ContextInbox()
  private var reminder: LiveReminder?

  /// Starts counting.
  /// - Parameters:
  ///   - historyTokens: the starting positions by store identifier. A store without a token starts at its current
  ///     position.
  ///   - observedModels: the observed models with their subclasses; empty means all.
  ///   - authors: the observed authors; empty means all.
  ///   - modelContainer: the container whose stores are observed.
  ///   - isolation: the actor that uses the observer. The default is the caller's.
  /// - Throws: ``SwiftDataError/historyTokenExpired`` if history after a token was deleted, and errors of the store.
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
    var positions: [String: Int64] = [:]
    for store in core.sqliteStores {
      if let token = historyTokens?[store.identifier] as? DefaultHistoryToken {
        try HistoryReader(store: store).check(token, authors: authors)
        positions[store.identifier] = token.transaction
      } else {
        positions[store.identifier] = try store.look { try StoreFile.lastTransaction($0) } ?? 0
      }
    }
    state.withLock { [positions] in $0.positions = positions }
    reminder = LiveReminder(watch: watch, inbox: inbox, actor: isolation) { [weak self] in self?.update() }
    if historyTokens != nil { look() }
  }

  /// The number of times that the observer found a relevant change. Several saves may count once.
  public var eventCounter: Int {
    update()
    registrar.access(self, keyPath: \.eventCounter)
    return state.withLock { $0.counter }
  }

  /// The positions that the observer has read up to, by store identifier. Use them to continue later.
  public var historyTokens: [String: any HistoryToken] {
    update()
    registrar.access(self, keyPath: \.historyTokens)
    return Dictionary(
      uniqueKeysWithValues: state.withLock { $0.positions }.map {
        ($0, DefaultHistoryToken(store: $0, transaction: $1))
      })
  }

  private func update() {
    let isBehind = state.withLock { state in
      defer { state.isBehind = false }
      return state.isBehind
    }
    if !inbox.takeAll().isEmpty || isBehind { look() }
  }

  private func look() {
    for store in modelContainer.core.sqliteStores {
      let identifier = store.identifier
      let last = state.withLock { $0.positions[identifier] ?? 0 }
      // A store that cannot be read throws when it is used.
      guard
        let summary = try? HistoryReader(store: store).externalSummary(
          after: last, authors: authors, entities: entities)
      else {
        state.withLock { $0.isBehind = true }
        continue
      }
      guard summary.newest > last else { continue }
      var isNew = false
      registrar.withMutation(of: self, keyPath: \.historyTokens) {
        isNew = state.withLock { state in
          // Another thread may have read as far meanwhile.
          guard summary.newest > state.positions[identifier] ?? 0 else { return false }
          state.positions[identifier] = summary.newest
          return true
        }
      }
      if isNew, summary.isRelevant {
        registrar.withMutation(of: self, keyPath: \.eventCounter) { state.withLock { $0.counter += 1 } }
      }
    }
  }
}
