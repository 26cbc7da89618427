/// What one account may use.
public struct ServerLimits: Sendable {
  /// The largest body of a request, in bytes.
  public var bodySize = 64 << 20
  /// The most transactions in one request.
  public var transactions = 1000
  /// The most changes in one transaction.
  public var changes = 200_000
  /// How many bytes the transactions and assets of a zone may take.
  public var zoneSize: Int64 = 10 << 30
  /// The largest asset, in bytes.
  public var assetSize: Int64 = 1 << 30
  /// How many requests an account may make in a second, for long.
  public var requestsPerSecond = 100.0
  /// How many requests an account may make at once.
  public var burst = 500.0
  /// About how many bytes of transactions an answer has.
  public var answerSize = 1 << 18
  /// How many shares an account may own.
  public var shares = 1000
  /// How many participants a share may have.
  public var participants = 1000
  /// How many requests of an account may wait for changes at once.
  public var waiting = 100
  /// After how many transactions the server asks a device of the owner for a snapshot of a zone.
  public var snapshotAfter: Int64 = 1000
  /// How long the server keeps the log that a snapshot replaces, in milliseconds. Programs that know no snapshots can read it meanwhile.
  public var retention: Int64 = 30 * 86_400_000

  /// The default limits.
  public init() {}
}
