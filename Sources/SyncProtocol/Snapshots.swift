public import UntrustedInput

/// Says that a zone has a snapshot: transactions that make what the log up to a number makes.
///
/// The owner's device makes it. The server serves it in place of the log before that number, and later deletes that log. Clients keep the
/// number, so it is plain. Decoding checks that it is one of ``SyncWire/sequenceNumbers``.
public struct SnapshotInfo: Codable, Hashable, Sendable {
  /// The number whose state the snapshot is.
  public var through: Int64
  /// A digest of the rules of the models that it was made with. A replica with other rules folds the log again.
  public var rules: String

  /// Makes a description.
  public init(through: Int64, rules: String) { (self.through, self.rules) = (through, rules) }

  /// Decodes a description.
  /// - Throws: `DecodingError`, also for a number that is not one of ``SyncWire/sequenceNumbers``.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    through = try container.number(.through, in: SyncWire.sequenceNumbers)
    rules = try container.decode(String.self, forKey: .rules)
  }
}

/// Ends the making of a snapshot, after its parts were sent.
///
/// The requests with the parts and this one name their `maker` in the query, for example with a UUID for each snapshot. The first part of
/// another snapshot replaces the unfinished one, and the server refuses the other parts of another maker.
public struct SnapshotRequest: Codable, Sendable {
  /// The number whose state the snapshot is.
  public var through: Untrusted<Int64>
  /// How many parts were sent; 0 says that a snapshot would not be much smaller than the log.
  public var parts: Untrusted<Int>
  /// A digest of the rules of the models.
  public var rules: String

  /// Makes a request.
  public init(through: Int64, parts: Int, rules: String) {
    (self.through, self.parts, self.rules) = (Untrusted(through), Untrusted(parts), rules)
  }
}

extension SyncWire {
  /// The name of a field that only parts of snapshots have: the record that a record was merged with. A server refuses it elsewhere.
  public static let aliasField = ".alias"
}
