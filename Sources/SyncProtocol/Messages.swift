public import Foundation
public import UntrustedInput

/// The messages between client and server: JSON over HTTP.
public enum SyncWire {
  /// The version of the messages. A server refuses other versions with ``SyncFailure/Code/wrongVersion``.
  public static let version = 1
  /// How far a client's clock may be ahead of the server's, in milliseconds.
  public static let clockTolerance: Int64 = 600_000
  /// The size of a chunk of an asset, in bytes.
  public static let chunkSize = 256 * 1024
  /// Values of more bytes than this travel as assets.
  public static let assetThreshold = 64 * 1024
  /// The header that carries ``version``.
  public static let versionHeader = "Sync-Version"
  /// The header with the account, percent-encoded, that the client has synced its store as. A server refuses the token of another
  /// account with ``SyncFailure/Code/unauthorized``.
  public static let accountHeader = "Sync-Account"
  /// The zone that each account has for itself.
  public static let privateZone = "private"

  /// Encodes a message. Keys are sorted, so that equal messages are equal bytes.
  /// - Throws: `EncodingError`.
  public static func encode(_ message: some Encodable) throws -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return try encoder.encode(message)
  }

  /// Decodes a message.
  /// - Throws: `DecodingError`.
  public static func decode<Message: Decodable>(_ type: Message.Type, from data: Data) throws -> Message {
    try JSONDecoder().decode(type, from: data)
  }

  /// Says for people why a message cannot be decoded. The reason begins with the path of the field.
  public static func reason(_ error: DecodingError) -> String {
    let (context, key): (DecodingError.Context, (any CodingKey)?) =
      switch error {
      case .dataCorrupted(let context), .typeMismatch(_, let context), .valueNotFound(_, let context): (context, nil)
      case .keyNotFound(let key, let context): (context, key)
      @unknown default: (.init(codingPath: [], debugDescription: "\(error)"), nil)
      }
    let path = (context.codingPath + [key].compactMap(\.self)).map { $0.intValue.map(String.init) ?? $0.stringValue }
    // The sender chooses the names of fields, too.
    let field = path.isEmpty ? "the message" : "`\(path.joined(separator: ".").prefix(200))`"
    return "\(field): \(key == nil ? context.debugDescription.prefix(200) : "it is missing")"
  }
}

/// Transactions that a client sends. The server takes all of them or none.
public struct PushRequest: Codable, Sendable {
  /// The sequence number up to which the client has seen the zone.
  public var base: Untrusted<Int64>
  /// The transactions, in order.
  public var transactions: [SyncTransaction]

  /// Makes a request.
  public init(base: Int64, transactions: [SyncTransaction]) {
    (self.base, self.transactions) = (Untrusted(base), transactions)
  }
}

/// The sequence numbers that transactions got.
public struct PushResponse: Codable, Sendable {
  /// One number for each transaction of the request, in order. A transaction that was sent before keeps its number.
  public var sequences: [Untrusted<Int64>]
  /// The time of the server in milliseconds since 1970.
  public var time: Untrusted<Int64>
  /// How many bytes of log a snapshot would replace; nil if the server wants none. Only the owner of the zone is asked for one.
  public var snapshotWanted: Untrusted<Int64>?

  /// Makes a response.
  public init(sequences: [Int64], time: Int64, snapshotWanted: Int64? = nil) {
    self.sequences = sequences.map(Untrusted.init(_:))
    (self.time, self.snapshotWanted) = (Untrusted(time), snapshotWanted.map(Untrusted.init(_:)))
  }
}

/// Asks which transactions the server took of those that the account sent to a zone.
public struct KnownRequest: Codable, Sendable {
  /// The identifiers of transactions.
  public var transactions: [UUID]
  /// Asks only for those up to this sequence number; nil asks for all.
  public var through: Untrusted<Int64>?

  /// Makes a request.
  public init(transactions: [UUID], through: Int64? = nil) {
    (self.transactions, self.through) = (transactions, through.map(Untrusted.init(_:)))
  }
}

/// The transactions of a ``KnownRequest`` that are in the log of the zone and that the account sent.
///
/// The server answers for a zone that the account cannot use any more, too: its answer to the push may have been lost.
public struct KnownResponse: Codable, Sendable {
  /// The identifiers of the transactions.
  public var transactions: [UUID]

  /// Makes a response.
  public init(transactions: [UUID]) { self.transactions = transactions }
}

/// A transaction with its place in the log of its zone.
///
/// The merge goes through entries in inner loops, so ``sequence`` is a plain number. Decoding checks that it is one of
/// ``SyncWire/sequenceNumbers``.
public struct LogEntry: Codable, Sendable {
  /// Its place, one of ``SyncWire/sequenceNumbers``. Numbers of a zone ascend without gaps.
  public var sequence: Int64
  /// The account that sent it.
  public var account: String
  /// What was saved.
  public var transaction: SyncTransaction

  /// Makes an entry.
  public init(sequence: Int64, account: String, transaction: SyncTransaction) {
    (self.sequence, self.account, self.transaction) = (sequence, account, transaction)
  }

  /// Decodes an entry.
  /// - Throws: `DecodingError`, also for a number that is not one of ``SyncWire/sequenceNumbers``.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    sequence = try container.number(.sequence, in: SyncWire.sequenceNumbers)
    account = try container.decode(String.self, forKey: .account)
    transaction = try container.decode(SyncTransaction.self, forKey: .transaction)
  }
}

/// A part of the log of a zone.
public struct ChangesResponse: Codable, Sendable {
  /// The entries that follow the number that the client named, in order.
  public var entries: [LogEntry]
  /// The newest number of the zone.
  public var latest: Untrusted<Int64>
  /// The sequence number up to which the server deleted the log. A client that has seen less starts with the snapshot.
  public var compacted: Untrusted<Int64>
  /// The time of the server in milliseconds since 1970.
  public var time: Untrusted<Int64>
  /// All zones that the account may read. Only an answer about ``SyncWire/privateZone`` has them.
  public var zones: [ZoneInfo]?
  /// Names the list of the zones with their newest numbers; nil from a server that does not name lists.
  public var version: String?
  /// True if the list is the one that the client named but for newest numbers: ``zones`` has only the zones with another number.
  public var isPartial: Bool?
  /// The newest snapshot of the zone; nil if it has none.
  public var snapshot: SnapshotInfo?
  /// True if ``entries`` are parts of ``snapshot``. Their numbers ascend without gaps. The last one is ``SnapshotInfo/through``.
  public var isSnapshot: Bool?
  /// How many bytes of log a snapshot would replace; nil if the server wants none. Only the owner of the zone is asked for one.
  public var snapshotWanted: Untrusted<Int64>?

  /// Makes a response.
  public init(
    entries: [LogEntry], latest: Int64, compacted: Int64, time: Int64, zones: [ZoneInfo]? = nil,
    version: String? = nil, isPartial: Bool? = nil
  ) {
    self.entries = entries
    (self.latest, self.compacted, self.time) = (Untrusted(latest), Untrusted(compacted), Untrusted(time))
    (self.zones, self.version, self.isPartial) = (zones, version, isPartial)
  }
}

/// The zones that a client waits for, with the sequence number up to which it has seen each.
public struct WaitRequest: Codable, Sendable {
  /// Sequence numbers by zone. Beside a ``version``, those that differ from the newest numbers of that list.
  public var positions: [String: Untrusted<Int64>]
  /// How many seconds to wait at most.
  public var seconds: UntrustedDouble
  /// The generations of the keys that the client has, by zone; nil for a client that encrypts nothing.
  public var keys: [String: Untrusted<Int>]?
  /// How many invitations the client knows of. Another number ends the waiting; nil waits for changes only.
  public var invitations: Untrusted<Int>?
  /// The list of zones that the client has, as the server named it. Another list ends the waiting.
  public var version: String?

  /// Makes a request.
  public init(
    positions: [String: Int64], seconds: Double, keys: [String: Int]? = nil, invitations: Int? = nil,
    version: String? = nil
  ) {
    (self.positions, self.seconds) = (positions.mapValues(Untrusted.init(_:)), UntrustedDouble(seconds))
    (self.keys, self.invitations) = (keys?.mapValues(Untrusted.init(_:)), invitations.map(Untrusted.init(_:)))
    self.version = version
  }
}

/// The newest sequence numbers of the zones that a client waited for, and all zones that it may read.
public struct WaitResponse: Codable, Sendable {
  /// The newest sequence numbers by zone.
  public var latest: [String: Untrusted<Int64>]
  /// What the account may do in which zone.
  public var zones: [ZoneInfo]
  /// How many shares the account is invited to and did not accept; nil if the client did not ask.
  public var invitations: Untrusted<Int>?
  /// Names the list of the zones with their newest numbers; nil from a server that does not name lists.
  public var version: String?
  /// True if the list is the one that the client named but for newest numbers: ``zones`` and ``latest`` have only the zones with another
  /// number, and those that the client named.
  public var isPartial: Bool?

  /// Makes a response.
  public init(
    latest: [String: Int64], zones: [ZoneInfo], invitations: Int? = nil, version: String? = nil, isPartial: Bool? = nil
  ) {
    (self.latest, self.zones) = (latest.mapValues(Untrusted.init(_:)), zones)
    self.invitations = invitations.map(Untrusted.init(_:))
    (self.version, self.isPartial) = (version, isPartial)
  }

  /// Whether there are keys to get or to wrap.
  /// - Parameter known: the generations that the client has by zone; nil for a client that encrypts nothing.
  public func hasKeys(newerThan known: [String: Int]?) -> Bool {
    guard let known else { return false }
    return zones.contains { $0.needsKeys == true || $0.keyGeneration ?? 0 > known[$0.name] ?? 0 }
  }
}

/// A zone as one account sees it.
///
/// Clients keep it, so its numbers are plain. Decoding checks that ``latest`` is one of ``SyncWire/sequenceNumbers`` and
/// ``keyGeneration`` one of ``SyncWire/generations``.
public struct ZoneInfo: Codable, Hashable, Sendable {
  /// The name of the zone: ``SyncWire/privateZone``, or that of a share.
  public var name: String
  /// The account that the zone belongs to.
  public var owner: String
  /// Whether the account may change it.
  public var isWritable: Bool
  /// The newest sequence number.
  public var latest: Int64
  /// The record that a share was made of; nil for ``SyncWire/privateZone``.
  public var root: RecordName?
  /// The newest generation of the zone's key that the account can unwrap; nil if there is none.
  public var keyGeneration: Int?
  /// True if the account owns the zone and has to wrap its key for a participant, or to make a new one.
  public var needsKeys: Bool?

  /// Makes a description.
  public init(
    name: String, owner: String, isWritable: Bool, latest: Int64, root: RecordName? = nil, keyGeneration: Int? = nil,
    needsKeys: Bool? = nil
  ) {
    (self.name, self.owner, self.isWritable, self.latest) = (name, owner, isWritable, latest)
    (self.root, self.keyGeneration, self.needsKeys) = (root, keyGeneration, needsKeys)
  }

  /// Decodes a description.
  /// - Throws: `DecodingError`, also for a number that is too large or negative.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    name = try container.decode(String.self, forKey: .name)
    owner = try container.decode(String.self, forKey: .owner)
    isWritable = try container.decode(Bool.self, forKey: .isWritable)
    latest = try container.number(.latest, in: SyncWire.sequenceNumbers)
    root = try container.decodeIfPresent(RecordName.self, forKey: .root)
    keyGeneration = try container.numberIfPresent(.keyGeneration, in: SyncWire.generations)
    needsKeys = try container.decodeIfPresent(Bool.self, forKey: .needsKeys)
  }
}

/// Why a server refused a request.
public struct SyncFailure: Error, Codable, Hashable, Sendable, CustomStringConvertible {
  /// What a client can act upon.
  public enum Code: String, Codable, Sendable {
    /// The token is missing, forged, expired, or of a key that the server does not know.
    case unauthorized
    /// The account may not do this in this zone.
    case forbidden
    /// The zone, share or link does not exist, or the account may not use it.
    case notFound
    /// The request is not understood.
    case invalid
    /// The request, or a part of it, is too large.
    case tooLarge
    /// The zone has no room left.
    case quotaExceeded
    /// Too many requests; wait.
    case rateLimited
    /// A moment is too far ahead of the server's clock; ``SyncFailure/time`` is the one that counts.
    case clockAhead
    /// The client names a sequence number that the zone does not have.
    case unknownSequence
    /// The log was compacted beyond what the client has seen; it starts anew.
    case compacted
    /// The client speaks another version of the protocol.
    case wrongVersion
    /// The transaction names an asset that the server does not have.
    case missingAsset
    /// The key is not the one that follows the newest one of the zone: another device was faster.
    case keyConflict
    /// The client has not seen what it has to see before a push. It pulls, lays its transactions over the new states and pushes again.
    case behind
    /// Another transaction moved a record that this one writes or leads to, or the other way round. The remedy is that of ``behind``.
    case moved
    /// The server cannot answer now; try again.
    case unavailable
  }

  /// What a client can act upon.
  public var code: Code
  /// The reason and the remedy, as text for people.
  public var message: String
  /// The time of the server in milliseconds since 1970.
  public var time: Untrusted<Int64>?
  /// How many seconds to wait before the next request.
  public var retryAfter: UntrustedDouble?

  /// The failure of a request with the token of another account than the one that a store has synced as (``SyncWire/accountHeader``).
  /// - Parameters:
  ///   - account: the account of the store.
  ///   - other: the account of the token.
  /// - Returns: a failure with the code ``Code/unauthorized``.
  public static func otherAccount(_ account: String, _ other: String) -> SyncFailure {
    SyncFailure(
      .unauthorized,
      "the store syncs with the account \(account), and the token is that of \(other). Nothing was sent or taken in. Use a token of"
        + " \(account), or open another store for \(other)")
  }

  /// Makes a failure.
  public init(_ code: Code, _ message: String, time: Int64? = nil, retryAfter: Double? = nil) {
    (self.code, self.message) = (code, message)
    (self.time, self.retryAfter) = (time.map(Untrusted.init(_:)), retryAfter.map(UntrustedDouble.init(_:)))
  }

  /// The message.
  public var description: String { message }
  /// Whether the same request may succeed later.
  public var isTransient: Bool { [.rateLimited, .unavailable].contains(code) }
  /// The status of the response in HTTP.
  public var status: Int {
    switch code {
    case .unauthorized: 401
    case .forbidden: 403
    case .notFound: 404
    case .keyConflict, .behind, .moved: 409
    case .invalid, .clockAhead, .unknownSequence, .missingAsset, .wrongVersion: 400
    case .compacted: 410
    case .tooLarge: 413
    case .quotaExceeded: 507
    case .rateLimited: 429
    case .unavailable: 503
    }
  }
}

/// How much of an asset a server has.
public struct AssetState: Codable, Sendable {
  /// How many bytes.
  public var size: Untrusted<Int64>
  /// Whether these are all, and have the right checksum.
  public var isComplete: Bool

  /// Makes a state.
  public init(size: Int64, isComplete: Bool) { (self.size, self.isComplete) = (Untrusted(size), isComplete) }
}
