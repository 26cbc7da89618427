/// How far a message has come, and whether the server knows: the states of the guide and the ways between them.
///
/// A message that the server has not (`sending`) is never `synced`; everything else is possible.
public struct MessageState: Hashable, Sendable, CustomStringConvertible {
  /// Sending, sent, delivered or read.
  public var status: MessageStatus
  /// Pending, synced or failed.
  public var sync: SyncStatus

  /// Makes a state.
  public init(_ status: MessageStatus, _ sync: SyncStatus) {
    self.status = status
    self.sync = sync
  }

  /// What can happen to a message.
  public enum Event: String, CaseIterable, Sendable {
    /// The server took everything that was to be sent.
    case accepted
    /// It was changed here: its text, or that it was delivered or read here.
    case changed
    /// The server says that it reached somebody.
    case delivered
    /// The server says that all have read it.
    case read
    /// The server refused it, for now or for good.
    case failed
    /// The user wants it tried again.
    case retried
  }

  /// Whether a message can be in this state.
  public var isLegal: Bool { !(status == .sending && sync == .synced) }

  /// The state after an event; nil where that cannot happen.
  public func after(_ event: Event) -> MessageState? {
    guard isLegal else { return nil }
    let isOnServer = status != .sending
    switch event {
    case .accepted: return sync == .synced ? nil : MessageState(isOnServer ? status : .sent, .synced)
    case .changed: return MessageState(status, .pending)
    case .delivered: return isOnServer ? MessageState(max(status, .delivered), sync) : nil
    case .read: return isOnServer ? MessageState(.read, sync) : nil
    case .failed: return sync == .synced ? nil : MessageState(status, .failed)
    case .retried: return sync == .failed ? MessageState(status, .pending) : nil
    }
  }

  /// As in `sending/pending`.
  public var description: String { "\(status.rawValue)/\(sync.rawValue)" }
}

extension MessageStatus: Comparable, CaseIterable {
  /// In the order in which a message passes through them; it never goes back.
  public static let allCases: [MessageStatus] = [.sending, .sent, .delivered, .read]

  /// Whether one comes before the other.
  public static func < (lhs: Self, rhs: Self) -> Bool { lhs.rank < rhs.rank }

  private var rank: Int {
    switch self {
    case .sending: 0
    case .sent: 1
    case .delivered: 2
    case .read: 3
    }
  }
}

extension SyncStatus: CaseIterable {
  /// All of them.
  public static let allCases: [SyncStatus] = [.pending, .synced, .failed]
}
