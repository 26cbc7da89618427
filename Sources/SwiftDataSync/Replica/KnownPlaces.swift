#if Sync
import SyncProtocol

/// What a replica knows of the zones: how far it has seen each, and which shares the account may read.
///
/// It remembers what changed, so that a save of the ledger writes what changed and not all.
struct KnownPlaces {
  /// The zones' sequence numbers up to which the replica has seen them.
  private(set) var positions: [String: Int64] = [:]
  /// What the replica knows of the snapshots of zones.
  private(set) var snapshots: [String: KnownSnapshot] = [:]
  /// The zones of shares that the account may read, in the order of their names; nil before there was one.
  private(set) var shares: [ZoneInfo]?
  private var byName: [String: ZoneInfo] = [:]
  /// The zones that are not in their rows as they are here.
  private var changed: Set<String> = []
  private var readable: (account: String?, zones: ReadableZones)?

  init() {}

  init(positions: [String: Int64], snapshots: [String: KnownSnapshot], shares: [ZoneInfo]?) {
    (self.positions, self.snapshots, self.shares) = (positions, snapshots, shares)
    byName = Self.byName(shares)
  }

  func position(_ zone: String) -> Int64? { positions[zone] }

  /// The number of the snapshot of which the replica has some parts and lacks others; nil if it reads the log.
  func unfinishedSnapshot(_ zone: String) -> Int64? { snapshots[zone]?.unfinished }

  /// Whether an answer is of what the replica reads: of a snapshot or, with nil, of the log. It asks for a snapshot at the start of a zone
  /// only. A late answer can be of the other one, and has other numbers.
  func fits(_ snapshot: Int64?, _ zone: String) -> Bool {
    guard let unfinished = unfinishedSnapshot(zone) else { return snapshot == nil || position(zone) ?? 0 == 0 }
    return snapshot == unfinished
  }

  func share(_ zone: String) -> ZoneInfo? { byName[zone] }

  mutating func setPosition(_ position: Int64?, of zone: String) {
    guard positions[zone] != position else { return }
    positions[zone] = position
    changed.insert(zone)
  }

  /// Notes that the replica took in parts of a snapshot.
  /// - Parameter position: the number of the last part.
  mutating func didTake(_ snapshot: Int64, upTo position: Int64, of zone: String) {
    setPosition(position, of: zone)
    setSnapshot(position < snapshot ? .init(unfinished: snapshot) : .init(compared: snapshot), of: zone)
  }

  mutating func setSnapshot(_ snapshot: KnownSnapshot?, of zone: String) {
    guard snapshots[zone] != snapshot else { return }
    snapshots[zone] = snapshot
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

/// What a replica knows of the snapshot of a zone.
struct KnownSnapshot: Equatable {
  /// The number of the snapshot of which the replica has some parts and lacks others. A position is the number of a part then.
  var unfinished: Int64?
  /// The number of the newest snapshot whose rules were compared with those of the models.
  var compared: Int64?
}
#endif
