import BenchKit
import SwiftData

/// A request of a client.
enum ServerOperation: Sendable {
  /// The newest 20 messages of a conversation.
  case page(String)
  /// The message with an id.
  case point(String)
  /// The message with an id, `retryCount + 1`, saved.
  case raise(String)

  var isWrite: Bool {
    if case .raise = self { true } else { false }
  }
}

/// A client of a peer, which does one operation at a time.
enum ServerClient {
  /// The peer blocks, and each client has a thread. The closure runs on that thread and opens what the client needs.
  case thread(@Sendable () throws -> (ServerOperation) throws -> Void)
  /// Each client is a task.
  case task(@Sendable (ServerOperation) async throws -> Void)
}

/// A library under the load of many clients.
protocol ServerPeer: Sendable {
  /// A new client, before the clock starts.
  func client() throws -> ServerClient
  /// Saves new messages in one transaction, while the clients go on.
  func save(_ rows: RowSource) throws
  /// The number of rows in the history.
  func changes() throws -> Int
  /// The number of rows that ``save(_:)`` adds to the history.
  var changesOfSave: Int { get }
}

extension ServerPeer {
  var changesOfSave: Int { 0 }
}

/// The mix of a client: reads of one kind, and a share of writes.
struct ServerMix: Sendable {
  enum Reads: String, Codable, Sendable, CaseIterable { case pages, points }

  let reads: Reads
  /// The percentage of writes.
  let writes: Int

  /// Made before the clock starts, and the same for all peers.
  static let ids = (0..<4096).map { makeRow(($0 &* 7919 &+ 13) % 100_000).id }
  static let conversations = (0..<1000).map { conversationID($0) }

  func next(_ random: inout ServerRandom) -> ServerOperation {
    let number = random.next()
    let place = Int(number >> 32)
    if number % 100 < UInt64(writes) { return .raise(Self.ids[place % Self.ids.count]) }
    switch reads {
    case .pages: return .page(Self.conversations[place % Self.conversations.count])
    case .points: return .point(Self.ids[place % Self.ids.count])
    }
  }
}

/// SplitMix64. A client with the same seed asks for the same.
struct ServerRandom {
  private var state: UInt64

  init(seed: Int) { state = UInt64(seed) &* 0x9E37_79B9_7F4A_7C15 }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
