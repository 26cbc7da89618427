#if Sync
import Foundation
public import SwiftData
import SyncCore
import SyncProtocol
import Synchronization
import UntrustedInput

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

extension SyncEngine {
  /// The author of the saves that store what comes from other devices, as the history names it. A program must not use it. (Our own.)
  public static let author = "SwiftDataSync"

  /// The engines of containers that are open, by the containers' cores.
  private static let engines = Mutex<[ObjectIdentifier: [SyncEngine]]>([:])

  /// Makes and starts the engine of a store of a container.
  /// - Parameter bookkeeping: the file of the bookkeeping; nil keeps it in memory.
  @discardableResult
  static func open(
    _ container: ModelContainer, store: Int, bookkeeping: URL?, _ registration: SyncRemote.Registration
  ) -> SyncEngine {
    let opening = ReplicaOpening(container, store, bookkeeping, registration)
    let engine = SyncEngine(opening, registration)
    engines.withLock { $0[ObjectIdentifier(container.core), default: []].append(engine) }
    Task { await engine.launch() }
    return engine
  }

  static func forget(_ engine: SyncEngine, _ core: ObjectIdentifier) {
    engines.withLock { engines in
      engines[core]?.removeAll { $0 === engine }
      if engines[core]?.isEmpty == true { engines[core] = nil }
    }
  }

  static func engines(of core: ContainerCore) -> [SyncEngine] {
    engines.withLock { $0[ObjectIdentifier(core)] ?? [] }
  }
}

extension ModelContainer {
  /// The engines that sync the container's stores, one for each configuration that names a database with a server.
  public var syncEngines: [SyncEngine] { SyncEngine.engines(of: core) }

  /// Syncs a store in PostgreSQL, or a `DataStore` of your own. (Our own.)
  ///
  /// A store in SQLite needs no call: `ModelConfiguration(cloudKitDatabase:)` names its database.
  ///
  /// One program syncs a store, with one bookkeeping. If another one tries, the status of both engines has the error `busy`. The engine
  /// also syncs the saves of other programs.
  ///
  /// - Parameters:
  ///   - configuration: the name of the store's configuration.
  ///   - database: the identifier that ``SyncRemote/register(_:at:credentials:resolvers:conflictRetention:scopes:)`` got.
  ///   - bookkeeping: the file for the lock and the keys, and for a `DataStore` of your own also for the state of the sync. The next call
  ///     with the same store must name the same file: with an empty one, all objects of such a `DataStore` count as new.
  /// - Returns: the engine, which runs.
  /// - Throws: `SwiftDataError.loadIssueModelContainer` if the container has no such configuration, no server is
  ///   registered for the database, the store syncs already, or a model cannot sync.
  @discardableResult
  public func sync(
    configuration: String, with database: String, bookkeeping: URL
  ) throws -> SyncEngine {
    func refuse(_ message: String) -> SwiftDataError { SwiftDataError(.loadIssueModelContainer, message: message) }
    guard let index = core.stores.firstIndex(where: { $0.name == configuration }) else {
      throw refuse(
        "the container has no configuration \"\(configuration)\" to sync; it has"
          + " \(core.stores.map { "\"\($0.name)\"" }.joined(separator: ", "))")
    }
    guard let registration = SyncRemote.registration(named: database) else {
      throw refuse("no server is registered for \(database); call SyncRemote.register first")
    }
    let store = core.stores[index].identifier
    guard !syncEngines.contains(where: { $0.storeIdentifier == store }) else {
      throw refuse("the store \"\(configuration)\" syncs already; use its engine in syncEngines")
    }
    try SyncRules.check(
      UserStore.schema(of: core, store: index), canSeal: registration.credentials.encryptionSecret != nil,
      scopes: registration.scopes)
    return SyncEngine.open(self, store: index, bookkeeping: bookkeeping, registration)
  }
}

/// Opens the replica of a store, and keeps other processes from doing so.
// @unchecked Sendable because the engine, an actor, is the only one that calls `open` and `close`; the rest is immutable but
// for the weak reference, which may be read from anywhere.
final class ReplicaOpening: @unchecked Sendable {
  let name: String
  let storeIdentifier: String
  private weak var container: ModelContainer?
  private let core: ContainerCore
  private let store: Int
  private let url: URL?
  private let secret: String?
  private let resolvers: ConflictResolvers
  private let scopes: SyncScopes
  private var lock: Int32 = -1
  /// The keys and the bookkeeping of a store in memory, which live as long as that.
  private var (memory, memorySecrets): (SyncDatabase?, Secrets?)

  init(
    _ container: ModelContainer, _ store: Int, _ bookkeeping: URL?, _ registration: SyncRemote.Registration
  ) {
    (self.container, core, self.store) = (container, container.core, store)
    name = container.core.stores[store].name
    storeIdentifier = container.core.stores[store].identifier
    url = bookkeeping
    secret = registration.credentials.encryptionSecret
    (resolvers, scopes) = (registration.resolvers, registration.scopes)
  }

  var coreIdentity: ObjectIdentifier { ObjectIdentifier(core) }

  /// Whether the program released its container.
  var isAbandoned: Bool { container == nil }

  /// - Throws: ``SyncError`` if another process syncs the store; an error of the bookkeeping's store.
  func open() throws -> ZoneReplica {
    try takeLock()
    let user = UserStore(ModelContainer(core: core), store: store, scopes: scopes)
    if let url { try FormerBookkeeping.refuse(file: url) }
    let database = try database(user)
    try FormerBookkeeping.refuse(database)
    let secrets = try memorySecrets ?? Secrets(at: url?.appendingPathExtension("keys"))
    if url == nil { (memory, memorySecrets) = (database, secrets) }
    return try ZoneReplica(
      user: user, database: database, secrets: secrets, keyring: secret.map(Keyring.init), resolvers: resolvers,
      now: { Int64(Date().timeIntervalSince1970 * 1000) })
  }

  private func database(_ user: UserStore) throws -> SyncDatabase {
    guard let store = user.transactionStore else { return try memory ?? SyncDatabase(at: url) }
    return SyncDatabase(of: store)
  }

  func close() {
    guard lock >= 0 else { return }
    // A child that another thread starts just now has the descriptor until it runs its own program, and the lock with it.
    flock(lock, LOCK_UN)
    _ = closeFile(lock)
    lock = -1
  }

  deinit { close() }

  private func takeLock() throws {
    guard let url, lock < 0 else { return }
    let path = url.path + ".lock"
    let file = openFile(path, O_CREAT | O_RDWR | O_CLOEXEC, 0o600)
    guard file >= 0 else {
      throw SyncError(code: .store, message: "the file \(path) cannot be made; make its folder writable")
    }
    guard flock(file, LOCK_EX | LOCK_NB) == 0 else {
      _ = closeFile(file)
      throw SyncError(
        code: .busy,
        message:
          "another process or container syncs the store \(name); it sends what this one saves, and this one takes"
          + " over when it ends")
    }
    lock = file
  }
}

/// Calls back when any context saves to a store.
// @unchecked Sendable because it is immutable, and notification centers can be called from every thread.
final class ObserverToken: @unchecked Sendable {
  private let token: any NSObjectProtocol

  init(_ store: String, _ body: @escaping @Sendable () -> Void) {
    token = NotificationCenter.default.addObserver(forName: ModelContext.didSave, object: nil, queue: nil) { note in
      guard let context = note.object as? ModelContext, context.author != SyncEngine.author,
        context.container.core.stores.contains(where: { $0.identifier == store })
      else { return }
      body()
    }
  }

  deinit { NotificationCenter.default.removeObserver(token) }
}

extension SyncError {
  /// Makes the error that a program can act upon.
  init(_ error: any Error) {
    switch error {
    case let error as SyncError: self = error
    case let failure as SyncFailure:
      self.init(
        code: Self.code(failure.code), message: failure.message,
        retryAfter: failure.retryAfter?.clamped(to: Self.pauses))
    case let error as UntrustedInputError:
      self.init(
        code: .refused, message: "the answer of the server has a number that is not possible: \(error)")
    case let error as SwiftDataError: self.init(code: .store, message: "the store cannot be synced: \(error)")
    case let error as ReplicaError: self.init(code: .store, message: error.description)
    case let error as URLError:
      self.init(
        code: .offline,
        message: "the server cannot be reached (\(error.reason)); changes are kept and sent later")
    default: self.init(code: .offline, message: "the sync failed and is tried again: \(error)")
    }
  }

  /// How many seconds a server may have the engine wait.
  static let pauses = 0.0...86_400

  private static func code(_ code: SyncFailure.Code) -> Code {
    switch code {
    case .unauthorized: .unauthorized
    case .forbidden: .forbidden
    case .quotaExceeded: .quotaExceeded
    case .rateLimited, .unavailable: .offline
    default: .refused
    }
  }
}

extension URLError {
  /// The reason as text for people. Foundation on Linux has numbers only.
  fileprivate var reason: String {
    switch code {
    case .timedOut: "it did not answer in time"
    case .cannotConnectToHost: "nothing answers at its address"
    case .cannotFindHost: "no address was found for its name"
    case .networkConnectionLost: "the connection was lost"
    case .secureConnectionFailed: "no encrypted connection to it can be made; a server without TLS has a URL with http"
    case .serverCertificateUntrusted: "its certificate is not trusted by this machine or is for another name"
    case .badURL: "its URL is not the URL of a server"
    default: localizedDescription
    }
  }
}

extension RegisterValue {
  /// The value for people.
  var readableText: String {
    switch self {
    case .null: "nil"
    case .integer(let number): "\(number)"
    case .real(let bits): "\(Double(bitPattern: bits))"
    case .text(let text): text.text
    case .data(let data): "\(data.count) bytes"
    case .reference(let reference): reference.name.text
    case .asset(_, let size): "\(size) bytes"
    case .sealed: "an encrypted value"
    }
  }
}

// `open` and `close` are names of methods here.
private func openFile(_ path: String, _ flags: Int32, _ mode: mode_t) -> Int32 { open(path, flags, mode) }
private func closeFile(_ file: Int32) -> Int32 { close(file) }
#endif
