#if Sync
import SyncProtocol

/// Objects that one account shares with others, as this account sees them.
public struct SyncShare: Sendable, Hashable, Identifiable {
  /// The rights of a participant.
  public enum Permission: String, Sendable, Hashable, Codable {
    /// Read the shared objects. The engine undoes changes of the program and reports ``SyncError/Code/forbidden``.
    case readOnly
    /// Read, change, add and delete shared objects.
    case readWrite
  }

  /// An account that the share was offered to.
  public struct Participant: Sendable, Hashable, Identifiable {
    /// The name of the account.
    public let account: String
    /// The rights of the account.
    public let permission: Permission
    /// Whether the account accepted. An account that was only invited reads nothing.
    public let hasAccepted: Bool
    /// The fingerprint of the account's public key, which equals the account's ``SyncEngine/keyFingerprint()`` unless the server names a
    /// false key. Nil if the account has not published a key.
    public let fingerprint: String?
    /// The name of the account.
    public var id: String { account }
  }

  /// The identifier, the same for all participants.
  public let id: String
  /// The title that the owner chose.
  public let title: String
  /// The account that made the share.
  public let owner: String
  /// The rights of this account. The owner may write.
  public let permission: Permission
  /// Whether this account is the owner or accepted the share.
  public let hasAccepted: Bool
  /// The accounts that the owner invited, in the order of their names. An account that has not accepted sees itself only.
  public let participants: [Participant]
  /// The fingerprint of the owner's public key, which equals the owner's ``SyncEngine/keyFingerprint()`` unless the server names a false
  /// key. Nil if the owner has not published a key.
  public let ownerFingerprint: String?

  init(_ info: ShareInfo) {
    (id, title, owner, hasAccepted) = (info.zone, info.title, info.owner, info.hasAccepted)
    permission = Permission(info.permission)
    participants = info.participants.map {
      Participant(
        account: $0.account, permission: Permission($0.permission), hasAccepted: $0.hasAccepted,
        fingerprint: $0.publicKey.map(Fingerprint.text))
    }
    ownerFingerprint = info.ownerKey.map(Fingerprint.text)
  }
}

extension SyncShare.Permission {
  init(_ permission: SharePermission) {
    switch permission {
    case .readOnly: self = .readOnly
    case .readWrite: self = .readWrite
    }
  }

  var wire: SharePermission {
    switch self {
    case .readOnly: .readOnly
    case .readWrite: .readWrite
    }
  }
}
#endif
