import Foundation
import SyncCore
import SyncProtocol

/// What clients and servers read of the log, without either of them. The first line says what the rest is.
///
/// `pull` is the answer to a pull, and `push` a request to push, as JSON. `transaction` and `part` are the bytes of a transaction and of a part
/// of an entry.
enum SyncLogTarget {
  private static let models = SyncModels([
    "FuzzNote": .init(
      [
        .init("title", .attribute), .init("cover", .attribute), .init("owner", .toOne("FuzzNote", isExclusive: false)),
        .init("parts", .list("FuzzNote", inverse: "owner", isCascade: true)), .init("seen", .members("FuzzNote")),
        .init("next", .toOne("FuzzNote", isExclusive: true)),
      ], unique: [["title"]])
  ])

  static func run(_ bytes: Data) throws {
    let (head, body) = bytes.headAndBody
    switch head {
    case "pull":
      let answer = try SyncWire.decode(SyncLog.PullResponse.self, from: body)
      let sent = try SyncWire.encode(answer)
      let again = try SyncWire.decode(SyncLog.PullResponse.self, from: sent)
      if try SyncWire.encode(again) != sent { broken("an answer is another one when it is decoded") }
      var states = ZoneStates()
      for load in answer.loads { load.load(into: &states) }
      for entry in answer.entries { states.reduce(entry.reduced) }
      show(states)
    case "push":
      let request = try SyncWire.decode(SyncLog.PushRequest.self, from: body)
      for transaction in request.transactions { try check(transaction) }
    case "transaction": try check(try SyncLog.Transaction(encoded: body))
    case "part":
      let part = try ZoneStates.Entry.Part(encoded: body)
      if try ZoneStates.Entry.Part(encoded: part.encoded).encoded != part.encoded {
        broken("a part is another one when it is decoded")
      }
      join(ZoneStates.Entry(commit: 1, parts: [.account("ann"): part]))
    default: throw Refused()
    }
  }

  private static func check(_ transaction: SyncLog.Transaction) throws {
    // Without the bytes that it was read from.
    let encoded = SyncLog.Transaction(id: transaction.id, parts: transaction.parts).encoded
    let again = try SyncLog.Transaction(encoded: encoded)
    if again.id != transaction.id || SyncLog.Transaction(id: again.id, parts: again.parts).encoded != encoded {
      broken("a transaction is another one when it is decoded")
    }
    join(ZoneStates.Entry(commit: 1, parts: transaction.parts.mapValues { .change($0) }))
  }

  /// Takes an entry in twice, which is the same as once.
  private static func join(_ entry: ZoneStates.Entry) {
    var states = ZoneStates()
    states.reduce(entry)
    let once = bytes(of: states)
    states.reduce(entry)
    if bytes(of: states) != once { broken("an entry that comes twice changes the states") }
    show(states)
  }

  /// Bytes tell numbers apart that are not equal to themselves.
  private static func bytes(of states: ZoneStates) -> [ZoneName: Data] {
    states.zones.mapValues { ZoneStates.Entry.Part.change($0.records).encoded }
  }

  /// Shows the objects, as a client with models does.
  private static func show(_ states: ZoneStates) {
    for row in View(states, models).rows.values where row.entity != "FuzzNote" { broken("a row of \(row.entity)") }
    for (zone, state) in states.zones { _ = state.forgettable(among: Set(state.records.keys), in: zone) }
  }
}
