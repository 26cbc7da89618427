public import Foundation
public import UntrustedInput

extension SyncLog {
  /// A start of a server on its database. A database that was restored from a backup has another list of epochs than clients know.
  public struct Epoch: Codable, Hashable, Sendable {
    /// A random name.
    public var name: UUID
    /// The last commit before the epoch, one of ``SyncWire/sequenceNumbers``.
    public var start: Int64

    /// Makes an epoch.
    public init(name: UUID, start: Int64) { (self.name, self.start) = (name, start) }

    /// Decodes an epoch.
    /// - Throws: `DecodingError`, also for a number that is not one of ``SyncWire/sequenceNumbers``.
    public init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      name = try container.decode(UUID.self, forKey: .name)
      start = try container.number(.start, in: SyncWire.sequenceNumbers)
    }

    /// Returns the last commit that a client shares with a restored server; nil if the server has all commits that the client has seen.
    /// - Parameters:
    ///   - known: the epochs that the client knows.
    ///   - epochs: the epochs of the server.
    ///   - latest: the newest commit of the server.
    ///   - cursor: the last commit that the client has seen.
    public static func fork(of known: [Epoch], and epochs: [Epoch], latest: Int64, cursor: Int64) -> Int64? {
      let common = zip(known, epochs).prefix { $0 == $1 }.count
      let fork = common < epochs.count ? epochs[common].start : latest
      return cursor > fork ? fork : nil
    }
  }

  /// Transactions of one account, in their order.
  ///
  /// The server takes each one for all of its zones or for none. It refuses those that follow a refused one.
  public struct PushRequest: Codable, Sendable {
    /// The last commit that the client has seen.
    public var cursor: Untrusted<Int64>
    /// The newest epoch that the client knows.
    public var epoch: UUID
    /// The transactions of the client that precede these and that the client has not seen in the log.
    public var before: [UUID]
    /// The transactions.
    public var transactions: [Transaction]

    /// Makes a request.
    public init(cursor: Int64, epoch: UUID, before: [UUID] = [], transactions: [Transaction]) {
      (self.cursor, self.epoch) = (Untrusted(cursor), epoch)
      (self.before, self.transactions) = (before, transactions)
    }
  }

  /// The answer to a ``PushRequest``. It acknowledges nothing: a client learns from ``PullResponse/taken`` what the log has.
  public struct PushResponse: Codable, Sendable {
    /// The number of transactions, from the first one on, that the log has.
    public var taken: Untrusted<Int>
    /// The transactions among ``taken`` that the log had before this request, and perhaps in another form; nil for none.
    public var repeated: [UUID]?
    /// The reason why the server refused the next one; nil if the log has all.
    public var refusal: SyncFailure?
    /// The time of the server in milliseconds since 1970.
    public var time: Untrusted<Int64>

    /// Makes a response.
    public init(taken: Int, repeated: [UUID]? = nil, refusal: SyncFailure?, time: Int64) {
      (self.taken, self.repeated, self.refusal, self.time) = (Untrusted(taken), repeated, refusal, Untrusted(time))
    }
  }
}
