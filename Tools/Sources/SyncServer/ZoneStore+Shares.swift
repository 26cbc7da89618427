import Crypto
import Foundation
import SwiftData
import SyncProtocol

// Shares: the permissions of accounts in zones.

extension ZoneStore {
  // MARK: - Access

  /// The access of an account to a zone that it may read.
  struct Access {
    let zone: ZoneName
    let owner: String
    let isWritable: Bool

    /// The key of the zone in the store.
    var key: String { zone.text }
  }

  /// A zone that an account may read, and its newest commit.
  struct AccountZone {
    let zone: SyncLog.ReadableZone
    let latest: Int64

    /// The key of the zone in the store.
    var key: String { zone.name.text }
  }

  /// Returns the access of an account to a zone, whose name comes from a client.
  /// - Throws: as ``access(_:_:_:)``, also for a text that does not name a zone.
  func access(_ account: String, _ name: String, _ context: ModelContext) throws -> Access {
    guard let zone = ZoneName(text: name) else { throw zoneNotFound(name, account) }
    return try access(account, zone, context)
  }

  /// Returns the access of an account to a zone.
  /// - Throws: ``SyncFailure`` with the code `notFound` if the account may not read the zone. The error is the same whether the zone
  ///   exists or not.
  func access(_ account: String, _ zone: ZoneName, _ context: ModelContext) throws -> Access {
    if zone == .account(ExactText(account)) { return Access(zone: zone, owner: account, isWritable: true) }
    guard zone.isShare, let share = try share(zone.text, context) else { throw zoneNotFound(zone.text, account) }
    if share.owner == account { return Access(zone: zone, owner: account, isWritable: true) }
    guard let grant = try grant(share.zone, account, context), grant.isAccepted else {
      throw zoneNotFound(zone.text, account)
    }
    return Access(zone: zone, owner: share.owner, isWritable: grant.isWritable)
  }

  func zoneNotFound(_ name: String, _ account: String) -> SyncFailure {
    SyncFailure(
      .notFound,
      "there is no zone \(name.prefix(80)) that the account \(account) may use; ask its owner for an invitation")
  }

  /// Returns all zones that an account may read, and the number of invitations that the account has not accepted.
  ///
  /// The zones are the account's own zone, the zones of the account's own shares, and the zones of the shares that it accepted.
  /// - Complexity: five statements.
  func zones(of account: String, _ context: ModelContext) throws -> (zones: [AccountZone], invitations: Int) {
    let (grants, shares) = try related(to: account, context)
    let isWritable = Dictionary(uniqueKeysWithValues: grants.filter(\.isAccepted).map { ($0.zone, $0.isWritable) })
    let readable = shares.filter { $0.owner == account || isWritable[$0.zone] != nil }
    let own = ZoneName.account(ExactText(account))
    let keys = [own.text] + readable.map(\.zone)
    let found = try context.fetch(
      FetchDescriptor<LogZone>(predicate: #Predicate<LogZone> { keys.contains($0.key) }))
    let latest = Dictionary(uniqueKeysWithValues: found.map { ($0.key, $0.latest) })
    let generations = readable.isEmpty ? [:] : try keyGenerations(of: account, context)
    let zones = readable.sorted { $0.zone < $1.zone }.compactMap { share in
      ZoneName(text: share.zone).map { name in
        SyncLog.ReadableZone(
          name: name, owner: share.owner, isWritable: isWritable[share.zone] ?? true, root: RecordName(share.root),
          keyGeneration: generations[share.zone], needsKeys: share.owner == account && share.needsKeys ? true : nil)
      }
    }
    let all = [SyncLog.ReadableZone(name: own, owner: account, isWritable: true)] + zones
    return (
      all.map { AccountZone(zone: $0, latest: latest[$0.name.text] ?? 0) }, grants.count { !$0.isAccepted }
    )
  }

  /// Returns the grants of an account, and the shares that it owns or has a grant for.
  private func related(
    to account: String, _ context: ModelContext
  ) throws -> (grants: [ServerGrant], shares: [ServerShare]) {
    let grants = try context.fetch(
      FetchDescriptor<ServerGrant>(predicate: #Predicate<ServerGrant> { $0.account == account }))
    let names = grants.map(\.zone)
    let shares = try context.fetch(
      FetchDescriptor<ServerShare>(
        predicate: #Predicate<ServerShare> { $0.owner == account || names.contains($0.zone) },
        sortBy: [SortDescriptor(\.zone)]))
    return (grants, shares)
  }

  func share(_ zone: String, _ context: ModelContext) throws -> ServerShare? {
    try context.fetch(FetchDescriptor<ServerShare>(predicate: #Predicate<ServerShare> { $0.zone == zone })).first
  }

  private func grant(_ zone: String, _ account: String, _ context: ModelContext) throws -> ServerGrant? {
    let key = ServerGrant.key(zone, account)
    return try context.fetch(FetchDescriptor<ServerGrant>(predicate: #Predicate<ServerGrant> { $0.key == key })).first
  }

  func grants(_ zone: String, _ context: ModelContext) throws -> [ServerGrant] {
    try context.fetch(
      FetchDescriptor<ServerGrant>(
        predicate: #Predicate<ServerGrant> { $0.zone == zone }, sortBy: [SortDescriptor(\.account)]))
  }

  /// Returns a share that the account owns.
  private func ownShare(_ zone: String, _ account: String, _ context: ModelContext) throws -> ServerShare {
    let access = try access(account, zone, context)
    guard let share = try share(zone, context) else { throw zoneNotFound(zone, account) }
    guard access.owner == account else {
      throw SyncFailure(
        .forbidden, "the share belongs to \(access.owner); only \(access.owner) can change the share, so ask the owner")
    }
    return share
  }

  // MARK: - Reading

  /// Returns the shares that an account owns, takes part in, or is invited to.
  func shares(of account: String, _ context: ModelContext) throws -> [ShareInfo] {
    let (own, shares) = try related(to: account, context)
    let names = shares.map(\.zone)
    let all = Dictionary(
      grouping: try context.fetch(
        FetchDescriptor<ServerGrant>(
          predicate: #Predicate<ServerGrant> { names.contains($0.zone) }, sortBy: [SortDescriptor(\.account)])),
      by: \.zone)
    let accounts = Set(shares.map(\.owner) + all.values.joined().map(\.account)).sorted()
    let keys = Dictionary(uniqueKeysWithValues: try accountKeys(accounts, context).map { ($0.account, $0.key) })
    return shares.map { share in
      Self.info(share, account, own.first { $0.zone == share.zone }, all[share.zone] ?? [], keys)
    }
  }

  private func info(_ share: ServerShare, _ account: String, _ context: ModelContext) throws -> ShareInfo {
    let grants = try grants(share.zone, context)
    let keys = Dictionary(
      uniqueKeysWithValues: try accountKeys([share.owner] + grants.map(\.account), context).map { ($0.account, $0.key) }
    )
    return Self.info(share, account, try grant(share.zone, account, context), grants, keys)
  }

  private static func info(
    _ share: ServerShare, _ account: String, _ own: ServerGrant?, _ grants: [ServerGrant], _ keys: [String: Data]
  ) -> ShareInfo {
    let isOwner = share.owner == account
    let hasAccepted = isOwner || own?.isAccepted == true
    return ShareInfo(
      zone: share.zone, owner: share.owner, root: RecordName(share.root), title: share.title,
      permission: isOwner || own?.isWritable == true ? .readWrite : .readOnly, hasAccepted: hasAccepted,
      participants: grants.filter { hasAccepted || $0.account == account }.map {
        .init(
          account: $0.account, permission: $0.isWritable ? .readWrite : .readOnly, hasAccepted: $0.isAccepted,
          publicKey: keys[$0.account])
      }, ownerKey: keys[share.owner])
  }

  // MARK: - Changing

  /// Makes a share of a record. The name of its zone is a hash of account and record, so a repeated request is idempotent.
  func createShare(_ request: CreateShareRequest, account: String) throws -> ShareInfo {
    guard Self.isValidText(request.root.text, 1...64), Self.isValidText(request.title, 0...256) else {
      throw SyncFailure(
        .invalid, "the name of a shared record has 1 to 64 bytes, and the title of a share has at most 256 bytes")
    }
    let zone = "share-" + Self.hash("\(account)/\(request.root.text)").prefix(32)
    return try transaction { context in
      if let share = try share(zone, context) {
        try reopen(share, context)
        if share.title != request.title { share.title = request.title }
        return try info(share, account, context)
      }
      let all = try context.fetchCount(
        FetchDescriptor<ServerShare>(predicate: #Predicate<ServerShare> { $0.owner == account }))
      guard all < 10 * limits.shares else {
        throw SyncFailure(
          .quotaExceeded,
          "an account may own \(10 * limits.shares) shares with those that it ended; share an object again"
            + " that was shared before")
      }
      try checkShares(of: account, context)
      let share = ServerShare(zone: zone, owner: account, root: request.root.text, title: request.title)
      context.insert(share)
      return try info(share, account, context)
    }
  }

  /// Checks that an account may own one more share that is not ended.
  private func checkShares(of account: String, _ context: ModelContext) throws {
    let open = try context.fetchCount(
      FetchDescriptor<ServerShare>(predicate: #Predicate<ServerShare> { $0.owner == account && !$0.isEnded }))
    guard open < limits.shares else {
      throw SyncFailure(.quotaExceeded, "an account may own \(limits.shares) shares; end one of them")
    }
  }

  /// Makes an ended share count again.
  private func reopen(_ share: ServerShare, _ context: ModelContext) throws {
    guard share.isEnded else { return }
    try checkShares(of: share.owner, context)
    share.isEnded = false
  }

  /// Invites an account to a share, or makes a link that any account can accept.
  func invite(_ request: InviteRequest, to zone: String, account: String) throws -> InviteResponse {
    let isWritable = request.permission == .readWrite
    guard let guest = request.account else {
      let secret = SymmetricKey(size: .bits256).withUnsafeBytes { Data($0) }.hexadecimal
      try transaction { context in
        let share = try ownShare(zone, account, context)
        try reopen(share, context)
        let count = try context.fetchCount(
          FetchDescriptor<ServerLink>(predicate: #Predicate<ServerLink> { $0.zone == zone }))
        guard count < limits.participants else {
          throw SyncFailure(
            .quotaExceeded, "a share may have \(limits.participants) links; revoke a participant, which ends all links")
        }
        try checkInvitations(of: account, context)
        context.insert(ServerLink(hash: Self.hash(secret), zone: share.zone, isWritable: isWritable))
      }
      return InviteResponse(link: secret)
    }
    guard TokenKeys.isAccount(guest), guest != account else {
      throw SyncFailure(
        .invalid, "an invitation needs the name of another account, of 1 to 128 bytes and without a slash")
    }
    try transaction { context in
      let share = try ownShare(zone, account, context)
      try reopen(share, context)
      if try grant(zone, guest, context) == nil { try checkInvitations(of: account, context) }
      let grant = try makeGrant(share, guest, context)
      if grant.isWritable != isWritable { grant.isWritable = isWritable }
      requestKeys(share)
    }
    return InviteResponse(link: nil)
  }

  /// Checks that an account may make one more link or invitation.
  private func checkInvitations(of account: String, _ context: ModelContext) throws {
    var open = FetchDescriptor<ServerShare>(
      predicate: #Predicate<ServerShare> { $0.owner == account && !$0.isEnded })
    open.propertiesToFetch = [\.zone]
    let zones = try context.fetch(open).map(\.zone)
    let links = try context.fetchCount(
      FetchDescriptor<ServerLink>(predicate: #Predicate<ServerLink> { zones.contains($0.zone) }))
    let invitations = try context.fetchCount(
      FetchDescriptor<ServerGrant>(predicate: #Predicate<ServerGrant> { zones.contains($0.zone) && !$0.isAccepted }))
    guard links + invitations < limits.invitations else {
      throw SyncFailure(
        .quotaExceeded,
        "the shares of an account may have \(limits.invitations) links and invitations that are not accepted; revoke some of those who are"
          + " invited, which also ends the links of the share")
    }
  }

  private func makeGrant(_ share: ServerShare, _ account: String, _ context: ModelContext) throws -> ServerGrant {
    if let grant = try grant(share.zone, account, context) { return grant }
    let zone = share.zone
    let count = try context.fetchCount(
      FetchDescriptor<ServerGrant>(predicate: #Predicate<ServerGrant> { $0.zone == zone }))
    guard count < limits.participants else {
      throw SyncFailure(.quotaExceeded, "a share may have \(limits.participants) participants; remove one of them")
    }
    let grant = ServerGrant(zone: zone, account: account)
    context.insert(grant)
    return grant
  }

  /// Accepts a link.
  func accept(link: String, account: String) throws -> ShareInfo {
    let hash = Self.hash(link)
    return try transaction { context in
      let links = FetchDescriptor<ServerLink>(predicate: #Predicate<ServerLink> { $0.hash == hash })
      guard let link = try context.fetch(links).first, let share = try share(link.zone, context) else {
        throw SyncFailure(.notFound, "the link is not valid, or the owner revoked it; ask the owner for a new link")
      }
      guard share.owner != account else { return try info(share, account, context) }
      let grant = try makeGrant(share, account, context)
      // A link for reading does not revoke the permission to write that an invitation gave.
      if link.isWritable, !grant.isWritable { grant.isWritable = true }
      if !grant.isAccepted { grant.isAccepted = true }
      requestKeys(share)
      return try info(share, account, context)
    }
  }

  /// Accepts an invitation.
  func accept(zone: String, account: String) throws -> ShareInfo {
    try transaction { context in
      guard let share = try share(zone, context), let grant = try grant(zone, account, context) else {
        throw SyncFailure(
          .notFound, "the account \(account) is not invited to the share; ask the owner for an invitation")
      }
      if !grant.isAccepted { grant.isAccepted = true }
      if try keyGenerations(of: account, context)[zone] != share.keyGeneration { requestKeys(share) }
      return try info(share, account, context)
    }
  }

  /// Removes a participant. The owner may remove each participant, and a participant may remove itself.
  func removeParticipant(_ guest: String, from zone: String, account: String) throws {
    try transaction { context in
      if guest != account { _ = try ownShare(zone, account, context) }
      guard let grant = try grant(zone, guest, context) else {
        throw SyncFailure(
          .notFound,
          "the account \(guest.prefix(128)) is not a participant of the share; read the list of participants again")
      }
      context.delete(grant)
      if let share = try share(zone, context) { try revokeKey(of: guest, share, context) }
      // The removed participant may have the links, and could use them to return.
      if guest != account { try deleteLinks(zone, context) }
    }
  }

  /// Removes all participants and links of a share. The zone remains, and only the owner can read it.
  func endShare(_ zone: String, account: String) throws {
    try transaction { context in
      let share = try ownShare(zone, account, context)
      if !share.isEnded { share.isEnded = true }
      for grant in try grants(share.zone, context) {
        try revokeKey(of: grant.account, share, context)
        context.delete(grant)
      }
      try deleteLinks(zone, context)
    }
  }

  private func deleteLinks(_ zone: String, _ context: ModelContext) throws {
    for link in try context.fetch(
      FetchDescriptor<ServerLink>(predicate: #Predicate<ServerLink> { $0.zone == zone }))
    { context.delete(link) }
  }

  private static func hash(_ text: String) -> String { Data(SHA256.hash(data: Data(text.utf8))).hexadecimal }
}

extension Data {
  /// The bytes as text, with two lowercase hexadecimal digits for each byte.
  var hexadecimal: String { map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() }
}
