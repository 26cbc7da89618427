import Foundation
import SwiftData

/// Wakes the requests that wait for changes of zones. This process announces its own saves. While requests wait, the watch
/// also reads the history of the store, because other processes save to it too.
actor ZoneWatch {
  private struct Waiter {
    let zones: Set<String>
    let continuation: CheckedContinuation<Void, Never>
  }

  private let container: ModelContainer
  /// The author of the saves that this process announces.
  private let author: String
  private var waiting: [UUID: Waiter] = [:]
  /// The number of requests between ``begin()`` and ``end()``.
  private var watching = 0
  private var poller: Task<Void, Never>?
  private var isStopped = false
  /// Counts announcements.
  private var generation = 0
  /// The generation of the last change of each zone since the first of the running requests began.
  private var changed: [String: Int] = [:]
  /// The generation of the last change that may concern every account.
  private var changedForAll = 0
  private var last: DefaultHistoryToken?
  /// The number of requests that a change woke. A test compares it with the number of changes.
  private(set) var wakes = 0

  init(_ container: ModelContainer, author: String) { (self.container, self.author) = (container, author) }

  /// The number of requests that wait.
  var count: Int { waiting.count }

  /// A moment in the life of the store. What is read after it need not be waited for.
  struct Mark: Sendable { fileprivate let generation: Int }

  var mark: Mark { Mark(generation: generation) }

  /// Called before the first ``mark`` of a request. From then on no change of the store is missed.
  func begin() {
    watching += 1
    startPolling()
  }

  func end() {
    watching -= 1
    if watching == 0 { changed = [:] }
  }

  /// Waits until one of some zones changed after a moment, or until time is over.
  func wait(for zones: Set<String>, since mark: Mark, seconds: Double) async {
    guard seconds > 0, !isStopped, !Task.isCancelled, changedForAll <= mark.generation,
      // An account can have many zones, and mostly nothing was announced meanwhile.
      generation == mark.generation || !zones.contains(where: { changed[$0, default: 0] > mark.generation })
    else { return }
    let id = UUID()
    let timer = Task {
      try? await Task.sleep(for: .seconds(seconds))
      self.resume(id)
    }
    await withTaskCancellationHandler {
      await withCheckedContinuation { waiting[id] = Waiter(zones: zones, continuation: $0) }
    } onCancel: {
      Task { await self.resume(id) }
    }
    timer.cancel()
  }

  private func resume(_ id: UUID) { waiting.removeValue(forKey: id)?.continuation.resume() }

  /// Wakes the requests that wait for one of some zones.
  func wake(_ zones: Set<String>) {
    generation += 1
    if watching > 0 { for zone in zones { changed[zone] = generation } }
    wake { !$0.zones.isDisjoint(with: zones) }
  }

  /// Wakes all requests, because a change may concern every account.
  func wakeAll() {
    generation += 1
    changedForAll = generation
    wake { _ in true }
  }

  private func wake(where isConcerned: (Waiter) -> Bool) {
    let woken = waiting.filter { isConcerned($0.value) }
    for (id, waiter) in woken {
      waiting[id] = nil
      waiter.continuation.resume()
    }
    wakes += woken.count
  }

  func stop() {
    isStopped = true
    wakeAll()
  }

  // MARK: - Saves of other processes

  private func startPolling() {
    guard poller == nil else { return }
    last = newest
    poller = Task {
      while !isStopped {
        try? await Task.sleep(for: .milliseconds(100))
        if watching == 0 { break }
        let now = newest
        guard let now, now != last else { continue }
        if let zones = try? zonesChangedByOthers(since: last) {
          if !zones.isEmpty { wake(zones) }
        } else {
          wakeAll()
        }
        last = now
      }
      poller = nil
    }
  }

  private var newest: DefaultHistoryToken? { try? ModelContext(container).newestHistoryToken() }

  /// - Returns: nil if a share changed, which may concern every account.
  /// - Throws: `SwiftDataError`, for example if the history after the token was trimmed.
  private func zonesChangedByOthers(since token: DefaultHistoryToken?) throws -> Set<String>? {
    let context = ModelContext(container)
    var descriptor = HistoryDescriptor<DefaultHistoryTransaction>()
    if let token { descriptor.predicate = #Predicate { $0.token > token } }
    var zones = Set<PersistentIdentifier>()
    for transaction in try context.fetchHistory(descriptor) where transaction.author != author {
      for change in transaction.changes {
        let identifier = change.changedPersistentIdentifier
        switch identifier.entityName {
        case "ServerZone": if change.isNews { zones.insert(identifier) }
        case "ServerShare", "ServerGrant", "ServerZoneKey": return nil
        default: break
        }
      }
    }
    guard !zones.isEmpty else { return [] }
    let changed = try context.fetch(
      FetchDescriptor<ServerZone>(predicate: #Predicate<ServerZone> { zones.contains($0.persistentModelID) }))
    return Set(changed.map(\.key))
  }
}
