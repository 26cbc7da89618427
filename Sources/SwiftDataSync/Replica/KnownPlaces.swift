import SyncProtocol

/// What a replica knows of the zones: how far it has seen each, and which shares the account may read.
///
/// It remembers what changed, so that a save of the ledger writes what changed and not all.
struct KnownPlaces {
  /// The zones' sequence numbers up to which the replica has seen them.
  private(set) var positions: [String: Int64] = [:]
  /// The zones of shares that the account may read, in the order of their names; nil before there was one.
  private(set) var shares: [ZoneInfo]?
  private var byName: [String: ZoneInfo] = [:]
  /// The zones that are not in their rows as they are here.
  private var changed: Set<String> = []
  private var readable: (account: String?, zones: ReadableZones)?

  init() {}

  init(positions: [String: Int64], shares: [ZoneInfo]?) {
    (self.positions, self.shares) = (positions, shares)
    byName = Self.byName(shares)
  }

  func position(_ zone: String) -> Int64? { positions[zone] }

  func share(_ zone: String) -> ZoneInfo? { byName[zone] }

  mutating func setPosition(_ position: Int64?, of zone: String) {
    guard positions[zone] != position else { return }
    positions[zone] = position
    changed.insert(zone)
  }

  mutating func setShares(_ shares: [ZoneInfo]?) {
    let old = byName
    self.shares = shares
    byName = Self.byName(shares)
    readable = nil
    for name in Set(old.keys).union(byName.keys) where old[name] != byName[name] { changed.insert(name) }
  }

  /// The zones that changed since the last call, in order.
  mutating func takeChanges() -> [String] {
    defer { changed = [] }
    return changed.sorted()
  }

  /// The zones that an account can read. They are made once for many folds.
  mutating func readable(by account: String?) -> ReadableZones {
    if let readable, readable.account == account { return readable.zones }
    let zones = account.map { ReadableZones(account: $0, shares: shares) } ?? ReadableZones()
    readable = (account, zones)
    return zones
  }

  private static func byName(_ shares: [ZoneInfo]?) -> [String: ZoneInfo] {
    Dictionary((shares ?? []).map { ($0.name, $0) }) { first, _ in first }
  }
}
