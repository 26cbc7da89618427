#if Sync
import Foundation
public import SwiftData
import SyncCore
import SyncProtocol

extension SyncEngine {
  // MARK: - For the owner

  /// Shares an object with all that it owns.
  ///
  /// The object owns what its relationships with the delete rule `.cascade` lead to, and so on. All of it moves to a zone of
  /// its own on the server. An object that gets an owner in the share later moves there too, and an object that gets an
  /// owner outside of the share leaves it. No other account can read the share before ``invite(_:to:permission:)`` or
  /// ``makeLink(to:permission:)``. A second call for the same object returns the same share.
  /// - Parameters:
  ///   - object: the identifier of a saved object.
  ///   - title: the name of the share for its participants, at most 256 bytes of UTF-8.
  /// - Returns: the share, after the server has the object.
  /// - Throws: ``SyncError``. Its code is ``SyncError/Code/refused`` for an object that is not saved in the engine's store
  ///   or is in another share, and ``SyncError/Code/forbidden`` for an object that another account shares.
  /// - Complexity: O(n) in the number of objects that move.
  public func share(_ object: PersistentIdentifier, title: String = "") async throws -> SyncShare {
    try await shareCall { engine in
      let row = try await engine.replicaOfAccount().row(of: object)
      try engine.replica().checkShareable(row)
      let info = try await engine.client.createShare(CreateShareRequest(root: row.name, title: title))
      // The zone of the share is known to the replica after this.
      try await engine.syncNow()
      try engine.replica().startShare(row, zone: info.zone)
      try await engine.syncNow()
      return SyncShare(info)
    }
  }

  /// Offers a share to an account, or changes the permission of a participant.
  /// - Parameters:
  ///   - account: the name of the account. It appears in the account's ``shares()``, where it can be accepted.
  ///   - share: a share of this account.
  ///   - permission: what the account may do.
  /// - Throws: ``SyncError``: ``SyncError/Code/forbidden`` if another account owns the share.
  public func invite(
    _ account: String, to share: SyncShare.ID, permission: SyncShare.Permission = .readOnly
  ) async throws {
    try await shareCall { engine in
      let replica = try engine.replica()
      if let zone = ZoneName(text: share) { try replica.admit(account, zone: zone) }
      _ = try await engine.client.invite(InviteRequest(account: account, permission: permission.wire), to: share)
      if replica.canSeal { try await engine.syncNow() }
    }
  }

  /// Makes a link that accepts a share.
  /// - Parameters:
  ///   - share: a share of this account.
  ///   - permission: what the accounts that accept the link may do.
  /// - Returns: a secret text. If a model has encrypted attributes, the text contains their key after `#`. Each account that
  ///   gets the text can accept the share, until ``revoke(_:from:)`` or ``endShare(_:)``.
  /// - Throws: ``SyncError``: ``SyncError/Code/forbidden`` if another account owns the share.
  public func makeLink(to share: SyncShare.ID, permission: SyncShare.Permission = .readOnly) async throws -> String {
    try await shareCall { engine in
      let response = try await engine.client.invite(InviteRequest(account: nil, permission: permission.wire), to: share)
      guard let link = response.link else { throw SyncFailure(.invalid, "the server answered without a link") }
      // The part after # is not for the server.
      return try engine.linkKey(of: share).map { "\(link)#\($0)" } ?? link
    }
  }

  /// Removes an account from a share, and makes all links to the share invalid, since the account may know them.
  ///
  /// The shared objects leave the account's stores when they sync the next time. Encrypted attributes get a new key, so that
  /// the account cannot read later values even with the help of the server.
  /// - Parameters:
  ///   - account: a participant, or an account that was invited.
  ///   - share: a share of this account.
  /// - Throws: ``SyncError``: ``SyncError/Code/forbidden`` if another account owns the share.
  public func revoke(_ account: String, from share: SyncShare.ID) async throws {
    try await shareCall { engine in
      let replica = try engine.replica()
      if replica.canSeal, let zone = ZoneName(text: share) { try replica.distrust(account, zone: zone) }
      try await engine.client.removeParticipant(account, from: share)
      if replica.canSeal { try await engine.syncNow() }
    }
  }

  /// Removes all participants and links of a share. The objects stay with this account.
  /// - Parameter share: a share of this account.
  /// - Throws: ``SyncError``: ``SyncError/Code/forbidden`` if another account owns the share.
  public func endShare(_ share: SyncShare.ID) async throws {
    try await shareCall { engine in
      try await engine.client.endShare(share)
      if try engine.replica().canSeal { try await engine.syncNow() }
    }
  }

  // MARK: - For participants

  /// All shares that the account owns, takes part in, or is invited to, in the order of their identifiers.
  /// - Throws: ``SyncError``.
  public func shares() async throws -> [SyncShare] {
    try await shareCall { engine in try await engine.listShares() }
  }

  /// The server sends the list only if it is another one than the engine has.
  private func listShares() async throws -> [SyncShare] {
    var response = try await client.shares(since: knownShares?.version)
    if response.shares == nil {
      if let knownShares, knownShares.version == response.version { return knownShares.shares }
      // Another call got another list meanwhile.
      response = try await client.shares(since: nil)
    }
    let shares = (response.shares ?? []).map(SyncShare.init)
    knownShares = (response.version, shares)
    return shares
  }

  /// The share that an object belongs to; nil for an object that is not shared.
  /// - Parameter object: the identifier of a saved object.
  /// - Throws: ``SyncError``.
  public func share(of object: PersistentIdentifier) async throws -> SyncShare? {
    try await shareCall { engine in
      let row = try await engine.replicaOfAccount().row(of: object)
      return try await engine.listShares().first { $0.id == row.zone.text }
    }
  }

  /// The shares that objects belong to, as far as this store knows. It does not ask the server.
  /// - Parameter objects: identifiers of saved objects.
  /// - Returns: the identifiers of shares by object, without the objects that are not shared.
  /// - Throws: ``SyncError`` with the code ``SyncError/Code/store``.
  /// - Complexity: a few statements for every 500 objects.
  public func knownShares(of objects: [PersistentIdentifier]) async throws -> [PersistentIdentifier: SyncShare.ID] {
    try await shareCall { engine in
      let replica = try engine.replica()
      try replica.capture()
      let rows = try replica.store.keys(of: objects.map(UserStore.text))
      var shares: [PersistentIdentifier: SyncShare.ID] = [:]
      for case let (object, row?) in zip(objects, rows) where row.zone.isShare { shares[object] = row.zone.text }
      return shares
    }
  }

  /// Accepts the share that a link leads to.
  /// - Parameter link: the text that ``makeLink(to:permission:)`` returned.
  /// - Returns: the share, after its objects are in the store.
  /// - Throws: ``SyncError``: ``SyncError/Code/refused`` for a link that is not valid any more.
  public func accept(link: String) async throws -> SyncShare {
    try await shareCall { engine in
      _ = try await engine.replicaOfAccount()
      let parts = link.split(separator: "#", maxSplits: 1)
      try await engine.publishKey(try engine.replica())
      let info = try await engine.client.accept(link: parts.first.map(String.init) ?? "")
      if parts.count == 2, let key = LinkKey(parts[1]) { try await engine.take(key, of: info) }
      try await engine.syncNow()
      return SyncShare(info)
    }
  }

  /// Accepts a share that the account was invited to.
  /// - Parameter share: one of ``shares()``.
  /// - Returns: the share, after its objects are in the store.
  /// - Throws: ``SyncError``: ``SyncError/Code/refused`` if the account is not invited.
  public func accept(_ share: SyncShare.ID) async throws -> SyncShare {
    try await shareCall { engine in
      try await engine.publishKey(try engine.replica())
      let info = try await engine.client.accept(zone: share)
      try await engine.syncNow()
      return SyncShare(info)
    }
  }

  /// Leaves a share of another account, or declines an invitation. The shared objects leave the store, after unsent changes of them were
  /// sent.
  /// - Parameter share: one of ``shares()``.
  /// - Throws: ``SyncError``.
  public func leave(_ share: SyncShare.ID) async throws {
    try await shareCall { engine in
      // Unsent changes would be lost. If the server refuses it, that does not keep the account in the share. The server also names
      // the account with the list of its zones.
      do { try await engine.syncNow() } catch let error as SyncError where error.code != .offline {}
      let account = try engine.replica().store.replica.account ?? ""
      try await engine.client.removeParticipant(account, from: share)
      try await engine.syncNow()
    }
  }

  /// Turns what the body throws into a ``SyncError``.
  private func shareCall<T: Sendable>(_ body: (isolated SyncEngine) async throws -> T) async throws -> T {
    do {
      return try await body(self)
    } catch {
      throw SyncError(error)
    }
  }

  /// The replica, after the server named the account. Without an account no object has a record.
  private func replicaOfAccount() async throws -> ZoneReplica {
    if try replica().store.replica.account == nil { try await syncNow() }
    return try replica()
  }
}

extension ZoneReplica {
  /// The row of a saved object.
  /// - Throws: ``SyncError`` for an object that is not saved.
  func row(of object: PersistentIdentifier) throws -> RecordKey {
    try capture()
    guard let row = try store.keys(of: [UserStore.text(object)])[0] else {
      throw SyncError(
        code: .refused, message: "the \(object.entityName) is not saved in the store that syncs; save it, then share it"
      )
    }
    return row
  }

  /// - Throws: ``SyncError`` if the row is in another share.
  func checkShareable(_ row: RecordKey) throws {
    guard row.zone.isShare, let share = store.zones[row.zone] else { return }
    let isOwn = share.owner == store.replica.account
    // The owner may share the root again, which returns the same share.
    if isOwn, share.root == row.name { return }
    throw SyncError(
      code: isOwn ? .refused : .forbidden,
      message: isOwn
        ? "the object is in another share already; an object can be in one share only"
        : "the object belongs to a share of \(share.owner); only \(share.owner) can share it")
  }

  /// Moves a row and all that it owns from the account's own zone to the zone of its share.
  /// - Throws: ``SyncError`` if the account does not have the zone.
  func startShare(_ row: RecordKey, zone: String) throws {
    guard let zone = ZoneName(text: zone), store.zones[zone] != nil else {
      throw SyncError(code: .refused, message: "the server does not list the new share; try again")
    }
    if row.zone != zone { try move(row, to: zone) }
  }
}
#endif
