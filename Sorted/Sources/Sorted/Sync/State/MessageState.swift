/// The delivery state of a message and its sync state, with the guide's transitions.
///
/// A message that the server does not have (`sending`) is never `synced`. All other combinations are possible.
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

  /// An event of a message.
  public enum Event: String, CaseIterable, Sendable {
    /// The server accepted everything pending.
    case accepted
    /// The text was edited here, or the message was delivered or read here.
    case changed
    /// The server reports a delivery.
    case delivered
    /// The server reports that all have read it.
    case read
    /// The server refused it, temporarily or permanently.
    case failed
    /// The user requested a retry.
    case retried
  }

  /// Whether a message can be in this state.
  public var isLegal: Bool { !(status == .sending && sync == .synced) }

  /// The state after an event, or nil if the event cannot happen.
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

  /// The state as text: `sending/pending`.
  public var description: String { "\(status.rawValue)/\(sync.rawValue)" }
}

extension MessageStatus: Comparable, CaseIterable {
  /// All states in the order in which a message passes through them. A message never returns to an earlier state.
  public static let allCases: [MessageStatus] = [.sending, .sent, .delivered, .read]

  /// Whether one state precedes the other.
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
