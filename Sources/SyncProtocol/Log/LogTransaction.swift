public import Foundation

/// The messages about the log of all zones (Documentation/sync-protocol.md).
public enum SyncLog {
  /// The version of these messages. A server refuses other versions with ``SyncFailure/Code/wrongVersion``.
  public static let version = 2

  /// The changes of one save in all zones. The server appends it to the logs of all these zones or to none.
  public struct Transaction: Hashable, Sendable, Identifiable {
    /// The identity. A server that has a transaction of this account and identity does not take it again.
    public var id: UUID
    /// The registers that the save wrote, by zone and record.
    public var parts: [ZoneName: [RecordName: Registers]] { didSet { partBytes = nil } }
    /// The bytes that ``parts`` were read from, by zone.
    private var partBytes: [ZoneName: Data]?

    /// Makes a transaction.
    public init(id: UUID, parts: [ZoneName: [RecordName: Registers]]) { (self.id, self.parts) = (id, parts) }

    /// Makes the transaction that a rebase sends.
    public init(_ transaction: OutgoingTransaction) { self.init(id: transaction.id, parts: transaction.parts) }

    /// Compares what the transactions say.
    public static func == (left: Transaction, right: Transaction) -> Bool {
      left.id == right.id && left.parts == right.parts
    }

    /// Hashes the identity.
    public func hash(into hasher: inout Hasher) { hasher.combine(id) }
  }
}

extension SyncLog.Transaction {
  /// The first byte, so that another format can be told from this one. The log before it had the format 1.
  private static let format: UInt8 = 2

  /// The bytes of each part, as the log of its zone keeps them.
  public var encodedParts: [ZoneName: Data] {
    partBytes ?? parts.mapValues { ZoneStates.Entry.Part.change($0).encoded }
  }

  /// The transaction as bytes. Equal transactions have equal bytes.
  public var encoded: Data {
    var writer = BinaryWriter(capacity: 1024)
    writer.byte(Self.format)
    id.write(to: &writer)
    let parts = encodedParts.sorted { $0.key < $1.key }
    writer.count(parts.count)
    for (zone, bytes) in parts {
      writer.zone(zone)
      writer.blob(bytes)
    }
    return writer.data
  }

  /// Reads ``encoded``.
  /// - Throws: `DecodingError`, also for registers that name a commit, which only the server gives.
  public init(encoded: Data) throws {
    var reader = BinaryReader(encoded)
    guard try reader.byte() == Self.format else {
      throw DecodingError.dataCorrupted(
        .init(codingPath: [], debugDescription: "the transaction has the format of another version"))
    }
    id = try UUID(from: &reader)
    let bytes = try reader.map(isEmptyAllowed: true, key: { try $0.zone() }) { try $0.blob() }
    try reader.end()
    parts = try bytes.mapValues { bytes in
      guard case .change(let changes) = try ZoneStates.Entry.Part(encoded: bytes),
        changes.values.allSatisfy({ $0.commit == nil })
      else {
        throw DecodingError.dataCorrupted(
          .init(codingPath: [], debugDescription: "the transaction has what only the server's log may have"))
      }
      return changes
    }
    partBytes = bytes
  }
}

extension SyncLog.Transaction: Codable {
  /// Decodes the bytes of a transaction.
  public init(from decoder: any Decoder) throws {
    try self.init(encoded: try decoder.singleValueContainer().decode(Data.self))
  }

  /// Encodes the transaction as bytes.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(encoded)
  }
}

extension SyncLog {
  /// An entry of the log: a transaction, or the records that the server forgot. It has the parts for the zones that the account may read.
  public struct Entry: Codable, Hashable, Sendable {
    /// The number of the entry, one of ``SyncWire/sequenceNumbers``. It ascends over the whole database of the server.
    public var commit: Int64
    /// The effects, by zone.
    public var parts: [ZoneName: ZoneStates.Entry.Part]
    /// The transaction, if it is one of ``PullRequest/held``. Then ``parts`` is empty, and the client has what it sent.
    public var id: UUID?

    private enum CodingKeys: String, CodingKey { case commit, parts, id }

    /// Makes an entry.
    public init(commit: Int64, parts: [ZoneName: ZoneStates.Entry.Part], id: UUID? = nil) {
      (self.commit, self.parts, self.id) = (commit, parts, id)
    }

    /// Decodes an entry.
    /// - Throws: `DecodingError`, also for a number that is not one of ``SyncWire/sequenceNumbers``.
    public init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      commit = try container.number(.commit, in: SyncWire.sequenceNumbers)
      let bytes = try container.decode([ZoneName: Data].self, forKey: .parts)
      parts = try bytes.mapValues { try ZoneStates.Entry.Part(encoded: $0) }
      id = try container.decodeIfPresent(UUID.self, forKey: .id)
    }

    /// Encodes the entry, with the bytes of each part.
    public func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(commit, forKey: .commit)
      try container.encode(parts.mapValues(\.encoded), forKey: .parts)
      try container.encodeIfPresent(id, forKey: .id)
    }

    /// The entry as ``ZoneStates`` take it in.
    public var reduced: ZoneStates.Entry { ZoneStates.Entry(commit: commit, parts: parts) }
  }
}
