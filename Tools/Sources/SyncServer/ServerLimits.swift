/// The limits for each account.
public struct ServerLimits: Sendable {
  /// The largest body of a request, in bytes.
  public var bodySize = 64 << 20
  /// The largest number of transactions in one request.
  public var transactions = 1000
  /// The largest number of changes in one transaction.
  public var changes = 200_000
  /// The largest number of zones that one transaction writes to, and of parts that one push appends.
  public var parts = 10_000
  /// The quota of a zone for its transactions and assets, in bytes. The old identities of an account's transactions may have as many bytes,
  /// and at least 256 MiB.
  public var zoneSize: Int64 = 10 << 30
  /// The largest asset, in bytes.
  public var assetSize: Int64 = 1 << 30
  /// The number of tokens that flow into an account's bucket each second. A request takes one token.
  public var requestsPerSecond = 100.0
  /// The capacity of an account's token bucket: the number of requests that it may send at once.
  public var burst = 500.0
  /// The approximate size of the transactions in one response, in bytes.
  public var answerSize = 1 << 18
  /// The number of entries that a pull looks at in all zones together, at most about twice as many.
  public var scannedEntries = 2000
  /// The largest number of shares that an account may own, without those that it ended. With these it may own ten times as many.
  public var shares = 1000
  /// The largest number of participants of a share.
  public var participants = 1000
  /// The largest number of links of all shares of an account, with the invitations that are not accepted.
  public var invitations = 10_000
  /// The largest number of an account's requests that wait for changes at the same time.
  public var waiting = 100
  /// The time in milliseconds for which the server keeps the entries of a log. A client that was away for longer gets its zones whole.
  public var retention: Int64 = 30 * 86_400_000
  /// The smallest size of old entries in bytes for which the server folds the log of a zone.
  public var foldSize: Int64 = 64 << 10

  /// The default limits.
  public init() {}
}
