import Foundation
import SwiftData
import SyncProtocol

// The log of all zones (Documentation/sync-protocol.md).

/// The newest commit of the database. There is one object.
@Model
final class LogHead {
  @Attribute(.unique) var key: Int = 0
  /// The number of the newest entry, over all zones.
  var commit: Int64 = 0
  /// The name of the newest epoch.
  var epoch: UUID = UUID()
  /// The newest commit up to which the log of any zone is folded. A client that has seen more needs no zone as a whole.
  var floor: Int64 = 0
  /// The number of folds. A reader that finds another number after its reads may have missed entries.
  var folds: Int64 = 0
  /// The time at which the PostgreSQL server was started that ``epoch`` began on; nil on SQLite.
  var serverStart: String?

  init() {}
}

/// A start of a server on this database.
@Model
final class LogEpoch {
  @Attribute(.unique) var name: UUID = UUID()
  /// The last commit before the epoch.
  var start: Int64 = 0
  /// The number of epochs before this one.
  var index: Int64 = 0

  init(name: UUID, start: Int64, index: Int64) { (self.name, self.start, self.index) = (name, start, index) }
}

/// A zone: a log that one account owns.
@Model
final class LogZone {
  /// The unique key: the name of the zone in messages.
  @Attribute(.unique) var key: String = ""
  /// The account that owns the zone.
  var account: String = ""
  /// The newest commit of the zone.
  var latest: Int64 = 0
  /// The size of entries, pages and assets in bytes, which the quota limits.
  var size: Int64 = 0
  /// The size of the entries in bytes.
  var logSize: Int64 = 0
  /// The commit whose state the pages of the zone are; 0 without pages. Entries up to it are not read.
  var folded: Int64 = 0
  /// The number of pages.
  var pages: Int64 = 0
  /// The size of the pages in bytes.
  var pageSize: Int64 = 0
  /// Whether entries up to ``folded``, or pages of another commit, may still be stored.
  var hasLeftovers: Bool = false
  /// The size of the assets after the last sweep, in bytes.
  var sweptSize: Int64 = 0
  /// The time of the last sweep in milliseconds since 1970.
  var sweepTime: Int64 = 0

  init(_ name: ZoneName, account: String) { (key, self.account) = (name.text, account) }
}

/// The part of an entry for one zone.
@Model
final class LogPart {
  #Index<LogPart>([\.zone, \.commit], [\.zone, \.moves, \.commit])
  /// The unique key: the zone and the commit.
  @Attribute(.unique) var key: String = ""
  var zone: String = ""
  var commit: Int64 = 0
  /// Whether the part moves a record into the zone or out of it.
  var moves: Bool = false
  /// The time of the commit in milliseconds since 1970.
  var time: Int64 = 0
  /// The size of the row, which the server sums up without reading ``bytes``. See ``size(of:)``.
  var size: Int64 = 0
  /// A `ZoneStates.Entry.Part` as bytes.
  var bytes: Data = Data()

  init(zone: String, commit: Int64, time: Int64, moves: Bool, bytes: Data) {
    (key, self.zone, self.commit) = ("\(zone)/\(commit)", zone, commit)
    (self.time, self.moves, size, self.bytes) = (time, moves, Self.size(of: bytes), bytes)
  }

  /// The size that a part counts for. A part without records takes room, too.
  static func size(of bytes: Data) -> Int64 { Int64(bytes.count) + 64 }
}

/// A page of the folded log of a zone: the registers of some records.
@Model
final class LogPage {
  #Index<LogPage>([\.zone, \.folded, \.index])
  /// The unique key: the zone, ``folded`` and ``index``.
  @Attribute(.unique) var key: String = ""
  var zone: String = ""
  /// The commit whose state the page is a part of. Pages of another commit than ``LogZone/folded`` are not read.
  var folded: Int64 = 0
  /// The place of the page. The names of records ascend through the pages.
  var index: Int64 = 0
  /// The size of ``bytes``.
  var size: Int64 = 0
  /// The registers as the bytes of a `ZoneStates.Entry.Part`.
  var bytes: Data = Data()

  init(zone: String, folded: Int64, index: Int64, bytes: Data) {
    (key, self.zone, self.folded) = ("\(zone)/\(folded)/\(index)", zone, folded)
    (self.index, size, self.bytes) = (index, Int64(bytes.count), bytes)
  }
}

/// A transaction of an account. Two accounts can have transactions with equal identities.
struct LogIdentity: Hashable, Sendable {
  let account: String
  let id: UUID
}

/// A transaction that the log took lately.
@Model
final class LogTransaction {
  #Index<LogTransaction>([\.time])
  /// The unique key: the account and the identity of the transaction.
  @Attribute(.unique) var key: String = ""
  var account: String = ""
  var identity: UUID = UUID()
  var commit: Int64 = 0
  /// The time of the commit in milliseconds since 1970.
  var time: Int64 = 0

  init(account: String, identity: UUID, commit: Int64, time: Int64) {
    (key, self.account) = (Self.key(LogIdentity(account: account, id: identity)), account)
    (self.identity, self.commit, self.time) = (identity, commit, time)
  }

  static func key(_ identity: LogIdentity) -> String { "\(identity.account)/\(identity.id.uuidString)" }
}

/// Transactions of an account that the log took long ago. Their identities begin with the same 12 bits.
@Model
final class LogTransactions {
  /// The unique key: the account and the bits.
  @Attribute(.unique) var key: String = ""
  /// The identity and the commit of each transaction, in 24 bytes each. See ``commits``.
  var bytes: Data = Data()

  init(key: String) { self.key = key }

  /// The number of groups that an account has: one for each value of the 12 bits.
  static let count: Int64 = 4096

  static func key(_ identity: LogIdentity) -> String { "\(identity.account)/\(identity.id.uuidString.prefix(3))" }
}

extension LogTransactions {
  /// The size of a transaction in bytes: an identity of 16 bytes and a commit of 8 bytes.
  private static let width = 24

  /// Returns the commit of a transaction; nil if ``bytes`` does not have it. A push asks for few of them, so none is copied.
  func commit(of identity: UUID) -> Int64? {
    let wanted = withUnsafeBytes(of: identity.uuid) { $0.loadUnaligned(as: (UInt64, UInt64).self) }
    return bytes.withUnsafeBytes { bytes in
      var found: Int64?
      for start in stride(from: 0, to: bytes.count / Self.width * Self.width, by: Self.width)
      where bytes.loadUnaligned(fromByteOffset: start, as: (UInt64, UInt64).self) == wanted {
        found = Int64(littleEndian: bytes.loadUnaligned(fromByteOffset: start + 16, as: Int64.self))
      }
      return found
    }
  }

  /// The transactions that ``bytes`` has.
  var commits: [(identity: UUID, commit: Int64)] {
    bytes.withUnsafeBytes { bytes in
      stride(from: 0, to: bytes.count / Self.width * Self.width, by: Self.width).map { start in
        (
          UUID(uuid: bytes.loadUnaligned(fromByteOffset: start, as: uuid_t.self)),
          Int64(littleEndian: bytes.loadUnaligned(fromByteOffset: start + 16, as: Int64.self))
        )
      }
    }
  }

  func append(_ transactions: [LogTransaction]) {
    var bytes = bytes
    for transaction in transactions {
      withUnsafeBytes(of: transaction.identity.uuid) { bytes.append(contentsOf: $0) }
      withUnsafeBytes(of: transaction.commit.littleEndian) { bytes.append(contentsOf: $0) }
    }
    self.bytes = bytes
  }
}

// MARK: - The former log

/// A transaction in the log of an earlier server, which had one log for each zone. This server only looks whether there are any.
@Model
final class ServerEntry {
  #Index<ServerEntry>([\.zone, \.sequence])
  @Attribute(.unique) var key: String = ""
  var zone: String = ""
  var sequence: Int64 = 0
  var account: String = ""
  var transaction: Data = Data()

  init(zone: String) { (key, self.zone) = (zone, zone) }
}

/// A part of a snapshot that an earlier server kept in place of a log.
@Model
final class ServerSnapshotPart {
  #Index<ServerSnapshotPart>([\.zone, \.through, \.index])
  @Attribute(.unique) var key: String = ""
  var zone: String = ""
  var through: Int64 = 0
  var index: Int = 0
  var size: Int64 = 0
  var bytes: Data = Data()

  init(zone: String) { (key, self.zone) = (zone, zone) }
}
