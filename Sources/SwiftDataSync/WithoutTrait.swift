#if !Sync
public import Foundation

// Without the trait Sync the module has only names, so that the compiler says what is missing. `register` and the credentials are here
// because the compiler looks up members before it reports that their type is unavailable.

/// Needs the package trait `Sync`.
@available(
  *, unavailable,
  message: "SwiftDataSync needs the trait Sync of the package: .package(url: …, from: …, traits: [\"Sync\"])"
)
public enum SyncRemote {
  /// Needs the package trait `Sync`.
  public static func register(
    _ identifier: String, at url: URL? = nil, credentials: SyncCredentials? = nil,
    resolvers: [any ConflictResolver] = [], conflictRetention: Duration = .zero, scopes: [SyncScope] = []
  ) throws {}

  /// Needs the package trait `Sync`.
  public static func register(
    _ identifier: String, transport: any SyncTransport, credentials: SyncCredentials,
    resolvers: [any ConflictResolver] = [], conflictRetention: Duration = .zero, scopes: [SyncScope] = [],
    servesAutomatic: Bool = true
  ) {}
}

/// Needs the package trait `Sync`.
@available(
  *, unavailable,
  message: "SwiftDataSync needs the trait Sync of the package: .package(url: …, from: …, traits: [\"Sync\"])"
)
public struct SyncCredentials {
  /// Needs the package trait `Sync`.
  public init(token: String, encryptionSecret: String? = nil) {}

  /// Needs the package trait `Sync`.
  public init(encryptionSecret: String? = nil, token: @escaping @Sendable () async throws -> String) {}
}

/// Needs the package trait `Sync`.
@available(
  *, unavailable,
  message: "SwiftDataSync needs the trait Sync of the package: .package(url: …, from: …, traits: [\"Sync\"])"
)
public enum SyncEngine {}

/// Needs the package trait `Sync`.
@available(
  *, unavailable,
  message: "SwiftDataSync needs the trait Sync of the package: .package(url: …, from: …, traits: [\"Sync\"])"
)
public enum SyncScope {}

/// Needs the package trait `Sync`.
@available(
  *, unavailable,
  message: "SwiftDataSync needs the trait Sync of the package: .package(url: …, from: …, traits: [\"Sync\"])"
)
public enum SyncShare {}

/// Needs the package trait `Sync`.
@available(
  *, unavailable,
  message: "SwiftDataSync needs the trait Sync of the package: .package(url: …, from: …, traits: [\"Sync\"])"
)
public enum SyncStatus {}

/// Needs the package trait `Sync`.
@available(
  *, unavailable,
  message: "SwiftDataSync needs the trait Sync of the package: .package(url: …, from: …, traits: [\"Sync\"])"
)
public enum SyncEvent {}

/// Needs the package trait `Sync`.
@available(
  *, unavailable,
  message: "SwiftDataSync needs the trait Sync of the package: .package(url: …, from: …, traits: [\"Sync\"])"
)
public enum SyncError {}

/// Needs the package trait `Sync`.
@available(
  *, unavailable,
  message: "SwiftDataSync needs the trait Sync of the package: .package(url: …, from: …, traits: [\"Sync\"])"
)
public enum SyncConflict {}

/// Needs the package trait `Sync`.
@available(
  *, unavailable,
  message: "SwiftDataSync needs the trait Sync of the package: .package(url: …, from: …, traits: [\"Sync\"])"
)
public enum HTTPTransport {}

/// Needs the package trait `Sync`.
@available(
  *, unavailable,
  message: "SwiftDataSync needs the trait Sync of the package: .package(url: …, from: …, traits: [\"Sync\"])"
)
public enum SyncRequest {}

/// Needs the package trait `Sync`.
@available(
  *, unavailable,
  message: "SwiftDataSync needs the trait Sync of the package: .package(url: …, from: …, traits: [\"Sync\"])"
)
public enum SyncReply {}

/// Needs the package trait `Sync`.
@available(
  *, unavailable,
  message: "SwiftDataSync needs the trait Sync of the package: .package(url: …, from: …, traits: [\"Sync\"])"
)
public protocol ConflictResolver {}

/// Needs the package trait `Sync`.
@available(
  *, unavailable,
  message: "SwiftDataSync needs the trait Sync of the package: .package(url: …, from: …, traits: [\"Sync\"])"
)
public protocol SyncTransport {}
#endif
