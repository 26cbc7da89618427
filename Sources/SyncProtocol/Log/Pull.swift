public import Foundation
public import UntrustedInput

extension SyncLog {
  /// Asks for what follows a commit in all zones of the account.
  public struct PullRequest: Codable, Sendable {
    /// The last commit that the client has seen.
    public var cursor: Untrusted<Int64>
    /// The newest epoch that the client knows; nil for a client that knows none.
    public var epoch: UUID?
    /// The zones whose states the client has as of ``cursor``; nil for all zones of the list ``version`` but those in ``loading``.
    ///
    /// If that list is out of date, the answer to nil has the new list and nothing else, and the cursor of the request. The client
    /// does not take the list in. It asks again and names the zones.
    public var known: [ZoneName]?
    /// The zones that the client has in part, with the ``ZoneLoad/position`` of the last answer.
    public var loading: [ZoneName: String]
    /// The transactions that the client does not know to be in the log.
    public var unsent: [UUID]
    /// The transactions of ``unsent`` that a push of this client appended, as ``PushResponse/repeated`` says, and whose parts it has as it sent them.
    /// Their entries come without parts; nil for none.
    public var held: [UUID]?
    /// The ``ZoneList/version`` that the client has; nil for none.
    public var version: String?

    /// Makes a request.
    public init(
      cursor: Int64, epoch: UUID?, known: [ZoneName]?, loading: [ZoneName: String] = [:], unsent: [UUID] = [],
      held: [UUID]? = nil, version: String? = nil
    ) {
      (self.cursor, self.epoch) = (Untrusted(cursor), epoch)
      (self.known, self.loading, self.unsent, self.held) = (known, loading, unsent, held)
      self.version = version
    }
  }

  /// The entries after a commit in all zones of an account, up to one commit.
  ///
  /// Clients keep the numbers, so they are plain. Decoding checks that they are of ``SyncWire/sequenceNumbers``.
  public struct PullResponse: Codable, Sendable {
    /// The commit up to which the answer goes. The client has seen it when it has taken the answer in.
    public var cursor: Int64
    /// The newest commit of the server. More answers follow while it is greater than ``cursor``, or a zone is loading.
    public var latest: Int64
    /// The epochs of the server if the client does not know the newest one; nil otherwise.
    ///
    /// An answer with epochs has nothing else but the ``cursor`` of the request. The client keeps the epochs and asks again. If
    /// ``Epoch/fork(of:and:latest:cursor:)`` finds a fork, it asks with no known zone.
    public var epochs: [Epoch]?
    /// The zones that the account may read; nil if the client has this list.
    public var list: ZoneList?
    /// The entries of the known zones, in ascending order.
    public var entries: [Entry]
    /// The zones that come whole, because the client does not know them or because the server folded their logs beyond the cursor.
    public var loads: [ZoneLoad]
    /// The transactions of ``PullRequest/unsent`` that the log has up to ``cursor``.
    public var taken: [UUID]
    /// The time of the server in milliseconds since 1970.
    public var time: Untrusted<Int64>

    /// Makes a response without zones, entries and transactions.
    public init(cursor: Int64, latest: Int64, time: Int64) {
      (self.cursor, self.latest, self.time) = (cursor, latest, Untrusted(time))
      (entries, loads, taken) = ([], [], [])
    }

    /// Decodes a response.
    /// - Throws: `DecodingError`, also for a number that is not one of ``SyncWire/sequenceNumbers``.
    public init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      cursor = try container.number(.cursor, in: SyncWire.sequenceNumbers)
      latest = try container.number(.latest, in: SyncWire.sequenceNumbers)
      epochs = try container.decodeIfPresent([Epoch].self, forKey: .epochs)
      list = try container.decodeIfPresent(ZoneList.self, forKey: .list)
      entries = try container.decode([Entry].self, forKey: .entries)
      loads = try container.decode([ZoneLoad].self, forKey: .loads)
      taken = try container.decode([UUID].self, forKey: .taken)
      time = try container.decode(Untrusted<Int64>.self, forKey: .time)
    }
  }

  /// A part of a zone that comes whole.
  ///
  /// The client keeps the parts of a zone apart from what it shows. When ``position`` is nil, the zone has its state as of
  /// ``PullResponse/cursor``, and replaces what the client had of the zone.
  public struct ZoneLoad: Codable, Sendable {
    /// The zone.
    public var zone: ZoneName
    /// Whether the zone begins here. The client drops what it had loaded of the zone.
    public var isStart: Bool
    /// Registers to join into the state, with the commits of their records.
    public var records: [RecordName: Registers]
    /// Entries to take in after ``records``.
    public var entries: [Entry]
    /// The position to ask for next. Its text has a meaning for the server only. It is nil for the last part.
    public var position: String?

    private enum CodingKeys: String, CodingKey { case zone, isStart, records, entries, position }

    /// Makes a part.
    public init(
      zone: ZoneName, isStart: Bool, records: [RecordName: Registers] = [:], entries: [Entry] = [], position: String?
    ) {
      (self.zone, self.isStart, self.records) = (zone, isStart, records)
      (self.entries, self.position) = (entries, position)
    }

    /// Decodes a part.
    /// - Throws: `DecodingError`.
    public init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      zone = try container.decode(ZoneName.self, forKey: .zone)
      isStart = try container.decode(Bool.self, forKey: .isStart)
      guard
        case .change(let records) = try ZoneStates.Entry.Part(
          encoded: try container.decode(Data.self, forKey: .records))
      else {
        throw DecodingError.dataCorruptedError(
          forKey: .records, in: container, debugDescription: "the bytes are not registers of records")
      }
      self.records = records
      entries = try container.decode([Entry].self, forKey: .entries)
      position = try container.decodeIfPresent(String.self, forKey: .position)
    }

    /// Encodes the part, with the bytes of its records.
    public func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(zone, forKey: .zone)
      try container.encode(isStart, forKey: .isStart)
      try container.encode(ZoneStates.Entry.Part.change(records).encoded, forKey: .records)
      try container.encode(entries, forKey: .entries)
      try container.encodeIfPresent(position, forKey: .position)
    }

    /// Takes the part into the state of the zone.
    public func load(into states: inout ZoneStates) {
      if isStart { states[zone] = ZoneState() }
      states[zone].join(ZoneState(records))
      for entry in entries {
        states.reduce(ZoneStates.Entry(commit: entry.commit, parts: entry.parts.filter { $0.key == zone }))
      }
    }
  }

  /// The zones that an account may read.
  public struct ZoneList: Codable, Hashable, Sendable {
    /// Names the list. Equal lists of one account have equal names.
    public var version: String
    /// The zones, the account's own zone first.
    public var zones: [ReadableZone]
    /// The number of shares that the account is invited to and has not accepted.
    public var invitations: Untrusted<Int>

    /// Makes a list.
    public init(version: String, zones: [ReadableZone], invitations: Int) {
      (self.version, self.zones, self.invitations) = (version, zones, Untrusted(invitations))
    }
  }

  /// A zone as one account sees it.
  ///
  /// Clients keep it, so its numbers are plain. Decoding checks that ``keyGeneration`` is one of ``SyncWire/generations``.
  public struct ReadableZone: Codable, Hashable, Sendable {
    /// The zone.
    public var name: ZoneName
    /// The account that the zone belongs to.
    public var owner: String
    /// Whether the account may write to the zone.
    public var isWritable: Bool
    /// The record that a share was made of; nil for the zone of an account.
    public var root: RecordName?
    /// The newest generation of the zone's key that the account can unwrap; nil if there is none.
    public var keyGeneration: Int?
    /// True if the account owns the zone and has to wrap its key for a participant, or to make a new one.
    public var needsKeys: Bool?

    /// Makes a description.
    public init(
      name: ZoneName, owner: String, isWritable: Bool, root: RecordName? = nil, keyGeneration: Int? = nil,
      needsKeys: Bool? = nil
    ) {
      (self.name, self.owner, self.isWritable) = (name, owner, isWritable)
      (self.root, self.keyGeneration, self.needsKeys) = (root, keyGeneration, needsKeys)
    }

    /// Decodes a description.
    /// - Throws: `DecodingError`, also for a number that is too large or negative.
    public init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      name = try container.decode(ZoneName.self, forKey: .name)
      owner = try container.decode(String.self, forKey: .owner)
      isWritable = try container.decode(Bool.self, forKey: .isWritable)
      root = try container.decodeIfPresent(RecordName.self, forKey: .root)
      keyGeneration = try container.numberIfPresent(.keyGeneration, in: SyncWire.generations)
      needsKeys = try container.decodeIfPresent(Bool.self, forKey: .needsKeys)
    }
  }

  /// Asks the server to answer when there is something to pull.
  public struct WaitRequest: Codable, Sendable {
    /// The last commit that the client has seen.
    public var cursor: Untrusted<Int64>
    /// The newest epoch that the client knows.
    public var epoch: UUID
    /// The ``ZoneList/version`` that the client has.
    public var version: String
    /// The longest time to wait in seconds.
    public var seconds: UntrustedDouble

    /// Makes a request.
    public init(cursor: Int64, epoch: UUID, version: String, seconds: Double) {
      (self.cursor, self.epoch, self.version) = (Untrusted(cursor), epoch, version)
      self.seconds = UntrustedDouble(seconds)
    }
  }

  /// The answer to a ``WaitRequest``.
  public struct WaitResponse: Codable, Sendable {
    /// Whether there is something to pull. Otherwise the time is over.
    public var isChanged: Bool

    /// Makes an answer.
    public init(isChanged: Bool) { self.isChanged = isChanged }
  }
}
