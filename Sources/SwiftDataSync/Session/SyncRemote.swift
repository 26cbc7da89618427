#if Sync
public import Foundation
import SwiftData
import SyncProtocol
import Synchronization

/// The account that a program syncs as.
public struct SyncCredentials: Sendable {
  /// The current token of the account.
  let token: @Sendable () async throws -> String
  /// The secret that encrypts attributes with `.allowsCloudEncryption`, or nil.
  let encryptionSecret: String?

  /// Makes credentials with a token.
  /// - Parameters:
  ///   - token: the token, as `swiftdata sync-token` prints it.
  ///   - encryptionSecret: a secret of the account, the same on all its devices. The server never sees it. Attributes with
  ///     `.allowsCloudEncryption` need it.
  public init(token: String, encryptionSecret: String? = nil) {
    self.init(encryptionSecret: encryptionSecret) { token }
  }

  /// Makes credentials with a function that returns the current token, for tokens that expire.
  /// - Parameters:
  ///   - encryptionSecret: a secret of the account, the same on all its devices. The server never sees it.
  ///   - token: called before each request.
  public init(encryptionSecret: String? = nil, token: @escaping @Sendable () async throws -> String) {
    (self.token, self.encryptionSecret) = (token, encryptionSecret)
  }
}

/// The servers that CloudKit databases sync with.
///
///     try SyncRemote.register("iCloud.com.example.app", at: url, credentials: SyncCredentials(token: token))
///     let container = try ModelContainer(
///       for: Trip.self,
///       configurations: ModelConfiguration(cloudKitDatabase: .private("iCloud.com.example.app")))
///
/// Register a server before the container is made. A configuration whose database is `.automatic`, the default, syncs with
/// the server that was registered first.
public enum SyncRemote {
  struct Registration: Sendable {
    let identifier: String
    let transport: any SyncTransport
    let credentials: SyncCredentials
    var resolvers: ConflictResolvers
    let conflictRetention: Duration
    let scopes: SyncScopes
    /// Whether configurations whose database is `.automatic` may use the server.
    let servesAutomatic: Bool
  }

  private static let registrations = Mutex<[Registration]>([])

  /// Names the server of a database.
  /// - Parameters:
  ///   - identifier: the name of the database, as `.private(…)` has it.
  ///   - url: the URL of the server; nil reads the environment variable `SWIFTDATA_SYNC_URL`.
  ///   - credentials: the account; nil reads the token in `SWIFTDATA_SYNC_TOKEN`.
  ///   - resolvers: what decides conflicts, at most one for each model.
  ///   - conflictRetention: the time for which values that lost a conflict are kept; 30 days by default.
  ///   - scopes: properties and models that do not sync with every participant of a share.
  /// - Throws: `SwiftDataError.loadIssueModelContainer` if neither the parameter nor the environment variable gives the URL or the token.
  public static func register(
    _ identifier: String, at url: URL? = nil, credentials: SyncCredentials? = nil,
    resolvers: [any ConflictResolver] = [], conflictRetention: Duration = .seconds(30 * 86_400),
    scopes: [SyncScope] = []
  ) throws {
    let environment = ProcessInfo.processInfo.environment
    guard let address = url?.absoluteString ?? environment["SWIFTDATA_SYNC_URL"] else {
      throw SwiftDataError(
        .loadIssueModelContainer,
        message: "no server is named for \(identifier); pass its URL, http://… or https://…, or set SWIFTDATA_SYNC_URL")
    }
    guard let url = URL(string: address), ["http", "https"].contains(url.scheme), url.host?.isEmpty == false else {
      throw SwiftDataError(
        .loadIssueModelContainer,
        message: "\"\(address)\" is not the URL of a server for \(identifier); write http://… or https://…")
    }
    guard let credentials = credentials ?? environment["SWIFTDATA_SYNC_TOKEN"].map({ SyncCredentials(token: $0) })
    else {
      throw SwiftDataError(
        .loadIssueModelContainer,
        message: "no account is named for \(identifier); pass SyncCredentials, or set SWIFTDATA_SYNC_TOKEN")
    }
    register(
      identifier, transport: HTTPTransport(url: url), credentials: credentials, resolvers: resolvers,
      conflictRetention: conflictRetention, scopes: scopes)
  }

  /// Names a way to the server of a database.
  /// - Parameters:
  ///   - identifier: the name of the database, as `.private(…)` has it.
  ///   - transport: how requests reach the server.
  ///   - credentials: the account.
  ///   - resolvers: what decides conflicts, at most one for each model.
  ///   - conflictRetention: the time for which values that lost a conflict are kept; 30 days by default.
  ///   - scopes: properties and models that do not sync with every participant of a share.
  ///   - servesAutomatic: whether configurations whose database is `.automatic` may use this server.
  public static func register(
    _ identifier: String, transport: any SyncTransport, credentials: SyncCredentials,
    resolvers: [any ConflictResolver] = [], conflictRetention: Duration = .seconds(30 * 86_400),
    scopes: [SyncScope] = [],
    servesAutomatic: Bool = true
  ) {
    var all = ConflictResolvers()
    for resolver in resolvers { all.add(resolver) }
    let registration = Registration(
      identifier: identifier, transport: transport, credentials: credentials, resolvers: all,
      conflictRetention: conflictRetention, scopes: SyncScopes(scopes), servesAutomatic: servesAutomatic)
    registrations.withLock { known in
      if let index = known.firstIndex(where: { $0.identifier == identifier }) {
        known[index] = registration
      } else {
        known.append(registration)
      }
    }
    ContainerSync.current.withLock { $0 = Hook() }
  }

  /// Forgets the server of a database. Containers that are open go on to sync.
  public static func unregister(_ identifier: String) {
    registrations.withLock { $0.removeAll { $0.identifier == identifier } }
  }

  static func registration(for configuration: ModelConfiguration) -> Registration? {
    registrations.withLock { known in
      if configuration.cloudKitDatabase.isAutomatic { return known.first(where: \.servesAutomatic) }
      return known.first { $0.identifier == configuration.cloudKitContainerIdentifier }
    }
  }

  static func registration(named identifier: String) -> Registration? {
    registrations.withLock { known in known.first { $0.identifier == identifier } }
  }

  /// Connects containers with the registered servers.
  private struct Hook: ContainerSyncing {
    func syncs(_ configuration: ModelConfiguration) -> Bool {
      configuration.allowsSave && SyncRemote.registration(for: configuration) != nil
    }

    func check(_ schema: Schema, _ configuration: ModelConfiguration) throws {
      let registration = SyncRemote.registration(for: configuration)
      try SyncRules.check(
        schema, canSeal: registration?.credentials.encryptionSecret != nil,
        scopes: registration?.scopes ?? SyncScopes())
    }

    func didOpen(_ container: ModelContainer) {
      for (index, store) in container.core.stores.enumerated() {
        guard let configuration = (store as? SQLiteStore)?.configuration, syncs(configuration),
          let registration = SyncRemote.registration(for: configuration)
        else { continue }
        SyncEngine.open(
          container, store: index,
          bookkeeping: configuration.isStoredInMemoryOnly ? nil : configuration.url.appendingPathExtension("sync"),
          registration)
      }
    }
  }
}
#endif
