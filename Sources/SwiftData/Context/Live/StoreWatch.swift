import Dispatch
public import Foundation
import Synchronization

/// Detects external commits to the stores of a container and informs its contexts. It lives as long as it is
/// referenced.
///
/// It reads the number of the newest transaction ten times a second, which costs some microseconds (decision 9). The
/// history then tells which rows changed.
final class StoreWatch: Sendable {
  private let watches: [Watch]

  init(_ core: ContainerCore) { watches = core.watchedStores.map { Watch($0, core) } }

  /// Watches one store.
  // @unchecked Sendable because `seen` is accessed only on the store's queue, and the rest is immutable.
  private final class Watch: @unchecked Sendable {
    static var interval: DispatchTimeInterval { .milliseconds(100) }

    private weak let store: (any WatchedStore)?
    private weak let core: ContainerCore?
    private let timer: any DispatchSourceTimer
    /// The number of the newest transaction that the contexts know.
    private var seen: Int64

    init(_ store: any WatchedStore, _ core: ContainerCore) {
      (self.store, self.core) = (store, core)
      seen = store.beginWatch()
      timer = DispatchSource.makeTimerSource(queue: store.watchQueue)
      timer.schedule(deadline: .now() + Self.interval, repeating: Self.interval, leeway: .milliseconds(20))
      timer.setEventHandler { [weak self] in self?.look() }
      timer.resume()
    }

    deinit {
      timer.cancel()
      store?.endWatch()
    }

    private func look() {
      // A store that cannot be read (erased, or its disk is gone) throws when it is used.
      guard let core, let store, let changes = try? store.externalChanges(after: &seen) else { return }
      core.announce(changes.savedChanges(in: core.tables), from: nil)
      core.postRemoteChange(store)
      core.postChange(store)
    }
  }
}

extension ContainerCore {
  fileprivate var watchedStores: [any WatchedStore] { stores.compactMap { $0 as? any WatchedStore } }

  /// Watches the stores as long as the result is referenced. Returns nil if no other process can save to them.
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

  /// Tells those who use Core Data's name of a change of a store, also of one that this container made.
  func postChange(_ store: any EngineStore) {
    guard RemoteChange.isCoreDataNameWanted else { return }
    let identifier = store.identifier
    // Core Data posts on a thread of its own: an observer may save, and the context that saves is not at rest yet.
    DispatchQueue.global().async { [weak self] in
      guard let self else { return }
      NotificationCenter.default.post(
        name: RemoteChange.coreDataName, object: container.withLock { $0.container },
        userInfo: [RemoteChange.storeIdentifier: identifier])
    }
  }
}

/// The notification about external commits.
enum RemoteChange {
  static let name = Notification.Name("ModelContainer.remoteChange")
  static let coreDataName = Notification.Name("NSPersistentStoreRemoteChangeNotification")
  static let storeIdentifier = "storeIdentifier"

  private static let coreDataNameWasRead = Atomic(false)

  /// Whether Core Data's name was read, so that it may have observers.
  static var isCoreDataNameWanted: Bool { coreDataNameWasRead.load(ordering: .relaxed) }

  /// Has every save be told of under Core Data's name from now on, and makes all containers watch their stores.
  static func wantCoreDataName() {
    coreDataNameWasRead.store(true, ordering: .relaxed)
    want()
  }

  private struct Watches {
    /// Whether the notification's name was read, so that it may have observers.
    var areWanted = false
    var cores = WeakList<ContainerCore>()
  }
  private static let watches = Lock(Watches())

  /// Makes all containers watch their stores from now on.
  static func want() {
    let cores = watches.withLock { watches in
      watches.areWanted = true
      return watches.cores.removeAll()
    }
    // Outside the lock. A server that does not answer must not stall the containers of other stores.
    for core in cores { core.keepWatch() }
  }

  /// Called when a container opens.
  static func register(_ core: ContainerCore) {
    let others = watches.withLock { watches -> [ContainerCore]? in
      watches.areWanted ? nil : watches.cores.append(core)
    }
    if others == nil { core.keepWatch() }
  }
}

#if !canImport(ObjectiveC)
  extension Notification.Name {
    /// Posted after every save to a store, on a background thread: by another process, another container or this one. The object is
    /// the container, the user info has the store's identifier under `"storeIdentifier"`. Reading this property makes every container
    /// watch its stores from then on. Not declared where Core Data exists. (Apple's documentation,
    /// `NSPersistentStoreRemoteChangeNotificationPostOptionKey`: "for every write to the store, including writes by other processes".)
    public static var NSPersistentStoreRemoteChange: Notification.Name {
      RemoteChange.wantCoreDataName()
      return RemoteChange.coreDataName
    }
  }
#endif
