import Dispatch
import Foundation
import Synchronization

/// Notices what other processes, and other containers of this one, save to the stores of a container, and tells the
/// container's contexts. It lives as long as somebody holds it.
///
/// It asks for the number of the newest transaction ten times a second, which costs some microseconds each time: see
/// decision 9. What the numbers leave out the history tells: which rows were saved.
// @unchecked Sendable because `seen` is only touched on the queue, and the rest is immutable.
final class StoreWatch: @unchecked Sendable {
  static var interval: DispatchTimeInterval { .milliseconds(100) }

  private weak var core: ContainerCore?
  private let timer: any DispatchSourceTimer
  private static let queue = DispatchQueue(label: "SwiftData.StoreWatch", qos: .utility)
  /// For each store, the number of the newest transaction that the contexts know of.
  private var seen: [Int64]

  init(_ core: ContainerCore) {
    self.core = core
    seen = core.watchedStores.map { $0.beginWatch() }
    timer = DispatchSource.makeTimerSource(queue: Self.queue)
    timer.schedule(deadline: .now() + Self.interval, repeating: Self.interval, leeway: .milliseconds(20))
    timer.setEventHandler { [weak self] in self?.look() }
    timer.resume()
  }

  deinit {
    timer.cancel()
    for store in core?.watchedStores ?? [] { store.endWatch() }
  }

  private func look() {
    guard let core else { return }
    for (index, store) in core.watchedStores.enumerated() {
      // A store that cannot be read now (it was erased, its disk is gone) says so to whoever uses it.
      guard let changes = try? store.externalChanges(after: &seen[index]) else { continue }
      core.announce(changes.savedChanges(in: core), from: nil)
      core.postRemoteChange(store)
    }
  }
}

extension ContainerCore {
  /// Watches the stores for as long as somebody holds the result; nil where nobody else can save to any of them.
  func watch() -> StoreWatch? {
    guard watchedStores.contains(where: \.isShared) else { return nil }
    return currentWatch.withLock { current in
      if let watch = current.watch { return watch }
      let watch = StoreWatch(self)
      current.watch = watch
      return watch
    }
  }

  fileprivate func postRemoteChange(_ store: any EngineStore) {
    NotificationCenter.default.post(
      name: RemoteChange.name, object: container.withLock { $0.container },
      userInfo: [RemoteChange.storeIdentifier: store.identifier])
  }
}

/// The notification about what others saved.
enum RemoteChange {
  static let name = Notification.Name("ModelContainer.remoteChange")
  static let storeIdentifier = "storeIdentifier"

  private struct Watches {
    /// Whether anybody asked for the notification's name, and so may be waiting for it.
    var areWanted = false
    var cores: [WeakCore] = []
  }
  private struct WeakCore { weak var core: ContainerCore? }
  private static let watches = Mutex(Watches())

  /// From now on all containers are watched.
  static func want() {
    watches.withLock { watches in
      guard !watches.areWanted else { return }
      watches.areWanted = true
      for core in watches.cores.compactMap(\.core) { core.keepWatch() }
      watches.cores = []
    }
  }

  /// A container was opened.
  static func register(_ core: ContainerCore) {
    watches.withLock { watches in
      if watches.areWanted { return core.keepWatch() }
      watches.cores.removeAll { $0.core == nil }
      watches.cores.append(WeakCore(core: core))
    }
  }
}
