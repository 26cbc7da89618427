public import Foundation

/// The rights of a participant of a share.
public enum SharePermission: String, Codable, Hashable, Sendable {
  /// Read the shared objects.
  case readOnly
  /// Read, change, add and delete shared objects.
  case readWrite
}

/// A share as one account sees it.
public struct ShareInfo: Codable, Hashable, Sendable {
  /// An account that the share was offered to.
  public struct Participant: Codable, Hashable, Sendable {
    /// The name of the account.
    public var account: String
    /// The rights of the account.
    public var permission: SharePermission
    /// Whether the account accepted. An account that was only invited reads nothing.
    public var hasAccepted: Bool
    /// The account's public key; nil before the account published it.
    public var publicKey: Data?

    /// Makes a participant.
    public init(account: String, permission: SharePermission, hasAccepted: Bool, publicKey: Data? = nil) {
      (self.account, self.permission, self.hasAccepted) = (account, permission, hasAccepted)
      self.publicKey = publicKey
    }
  }

  /// The zone that holds the shared records.
  public var zone: String
  /// The account that made the share.
  public var owner: String
  /// The shared record. The zone also holds what this record owns.
  public var root: RecordName
  /// The title that the owner chose.
  public var title: String
  /// The rights of the asking account.
  public var permission: SharePermission
  /// Whether the asking account is the owner or accepted the share.
  public var hasAccepted: Bool
  /// The accounts that the owner invited, in the order of their names. An account that has not accepted sees itself only.
  public var participants: [Participant]
  /// The owner's public key; nil before the owner published it.
  public var ownerKey: Data?

  /// Makes a description.
  public init(
    zone: String, owner: String, root: RecordName, title: String, permission: SharePermission, hasAccepted: Bool,
    participants: [Participant], ownerKey: Data? = nil
  ) {
    (self.zone, self.owner, self.root, self.title) = (zone, owner, root, title)
    (self.permission, self.hasAccepted, self.participants) = (permission, hasAccepted, participants)
    self.ownerKey = ownerKey
  }
}

/// The shares of an account, or that they are those that the client has.
public struct SharesResponse: Codable, Sendable {
  /// Names the list. Equal lists of one account have equal names.
  public var version: String
  /// All shares; nil if the list is the one that the client named.
  public var shares: [ShareInfo]?

  /// Makes a response.
  public init(version: String, shares: [ShareInfo]?) { (self.version, self.shares) = (version, shares) }
}

/// Asks for a share of a record. The same record of the same account always gets the same zone.
public struct CreateShareRequest: Codable, Sendable {
  /// The record.
  public var root: RecordName
  /// The title that the owner chose, at most 256 bytes.
  public var title: String

  /// Makes a request.
  public init(root: RecordName, title: String) { (self.root, self.title) = (root, title) }
}

/// Offers a share to an account, or to everyone who has the link that the server answers with.
public struct InviteRequest: Codable, Sendable {
  /// The account; nil asks for a link.
  public var account: String?
  /// The rights of the participant. An invitation of a participant changes the participant's rights.
  public var permission: SharePermission

  /// Makes a request.
  public init(account: String?, permission: SharePermission) { (self.account, self.permission) = (account, permission) }
}

/// The answer to an ``InviteRequest``.
public struct InviteResponse: Codable, Sendable {
  /// The secret that accepts the share; nil if an account was named. The server does not keep it.
  public var link: String?

  /// Makes a response.
  public init(link: String?) { self.link = link }
}

/// Accepts the share that a link leads to.
public struct AcceptRequest: Codable, Sendable {
  /// The secret of the link.
  public var link: String

  /// Makes a request.
  public init(link: String) { self.link = link }
}

/// An answer that says only that the server did what was asked.
public struct Done: Codable, Sendable {
  /// Makes an answer.
  public init() {}
}
