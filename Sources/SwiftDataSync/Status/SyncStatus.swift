#if Sync
public import Foundation
public import Observation
import Synchronization

/// The state of the sync of a store, which Observation tracks.
public final class SyncStatus: Observable, Sendable {
  struct Values: Sendable {
    var isSyncing = false
    var isUploading = false
    var isPaused = false
    var pendingChanges = 0
    var lastSync: Date?
    var error: SyncError?
    var zones: [String] = []
    var progress: Double?
  }

  private let registrar = ObservationRegistrar()
  private let values = Mutex(Values())

  init() {}

  /// Whether the store exchanges changes with the server just now.
  public var isSyncing: Bool { read(\.isSyncing, \.isSyncing) }
  /// Whether changes are on their way to the server just now.
  public var isUploading: Bool { read(\.isUploading, \.isUploading) }
  /// Whether the program paused the sync.
  public var isPaused: Bool { read(\.isPaused, \.isPaused) }
  /// The number of captured transactions that the server's log lacks.
  public var pendingChanges: Int { read(\.pendingChanges, \.pendingChanges) }
  /// The time of the last complete exchange: the store had all changes of the server, and the server all changes of the store.
  public var lastSync: Date? { read(\.lastSync, \.lastSync) }
  /// The error that stops the sync; nil if none does. The engine tries again by itself.
  public var error: SyncError? { read(\.error, \.error) }
  /// The received fraction of the server's changes, from 0 to 1, during a large pull. It is nil otherwise, and while a new device gets
  /// whole zones, because the engine does not know how much of them follows.
  public var progress: Double? { read(\.progress, \.progress) }

  private func read<Value: Sendable>(
    _ keyPath: KeyPath<SyncStatus, Value>, _ value: KeyPath<Values, Value> & Sendable
  ) -> Value {
    registrar.access(self, keyPath: keyPath)
    return values.withLock { $0[keyPath: value] }
  }

  private func write<Value: Sendable & Equatable>(
    _ keyPath: KeyPath<SyncStatus, Value>, _ value: WritableKeyPath<Values, Value> & Sendable, _ new: Value
  ) {
    guard values.withLock({ $0[keyPath: value] }) != new else { return }
    registrar.withMutation(of: self, keyPath: keyPath) { values.withLock { $0[keyPath: value] = new } }
  }

  func setSyncing(_ new: Bool) { write(\.isSyncing, \.isSyncing, new) }
  func setUploading(_ new: Bool) { write(\.isUploading, \.isUploading, new) }
  func setPaused(_ new: Bool) { write(\.isPaused, \.isPaused, new) }
  func setPending(_ new: Int) { write(\.pendingChanges, \.pendingChanges, new) }
  func setLastSync(_ new: Date) { write(\.lastSync, \.lastSync, new) }
  func setError(_ new: SyncError?) { write(\.error, \.error, new) }
  func setProgress(_ new: Double?) { write(\.progress, \.progress, new) }
}

/// An error that stops the sync of a store.
public struct SyncError: Error, Hashable, Sendable, CustomStringConvertible, LocalizedError {
  /// The kinds of errors, for a program that acts upon them.
  public enum Code: String, Sendable {
    /// The server cannot be reached. The sync goes on when it can.
    case offline
    /// The server refuses the account's token. Sign in again.
    case unauthorized
    /// The account may not do this.
    case forbidden
    /// A zone of the account on the server is full.
    case quotaExceeded
    /// The server refuses a request, or its answer cannot be understood. The message has the reason.
    case refused
    /// The user's store or the bookkeeping cannot be read or written.
    case store
    /// Another process syncs the same store.
    case busy
    /// The key of a share has not arrived, or the server names another key for an account than before.
    case encryptionKey
  }

  /// The kind of the error.
  public let code: Code
  /// The reason and the remedy, as text for people.
  public let message: String
  /// The seconds that the server asks to wait before the next try; nil if it does not say.
  var retryAfter: Double?

  /// The message.
  public var description: String { message }
  /// The message.
  public var errorDescription: String? { message }
}

/// A step of the sync of a store.
public struct SyncEvent: Sendable, Identifiable, Hashable {
  /// The kinds of steps.
  public enum Kind: String, Sendable {
    /// The engine opens its bookkeeping.
    case setUp
    /// The engine receives changes of other devices.
    case `import`
    /// The engine sends changes of the program.
    case export
    /// The account has more or fewer invitations than before. ``SyncEngine/shares()`` lists them.
    case sharing
  }

  /// The identifier, which the events of the beginning and of the end share.
  public let id: UUID
  /// The kind of the step.
  public let kind: Kind
  /// The configuration whose store it is.
  public let configuration: String
  /// The time at which the step began.
  public let start: Date
  /// The time at which the step ended; nil while it lasts.
  public var end: Date?
  /// The number of received or sent transactions.
  public var transactions = 0
  /// The error; nil if the step succeeded.
  public var error: SyncError?

  /// Whether it ended without an error.
  public var succeeded: Bool { end != nil && error == nil }
}
#endif
