#if Sync
import Foundation
import SyncCore
import SyncProtocol
import UntrustedInput

// The requests that a replica sends, and the processing of the answers.

extension ZoneReplica {
  /// The next transactions to send; nil if the log has all of them.
  /// - Parameter sent: the transactions that were sent since the last pull.
  func pushRequest(after sent: [UUID] = [], limit: Int = 200) throws -> SyncLog.PushRequest? {
    let known = Set(sent)
    let unseen = unseenZones
    let rest = outbox.outgoing.drop { known.contains($0.id) }
      .prefix { !$0.isUndecided && unseen.isDisjoint(with: $0.parts.keys) }
    guard let epoch = store.replica.epochs.last?.name else { return nil }
    var transactions: [SyncLog.Transaction] = []
    var size = 0
    for transaction in rest.prefix(limit) {
      size += transaction.parts.values.joined().reduce(0) { $0 + $1.value.roughSize }
      if size > TransactionSize.most, !transactions.isEmpty { break }
      // A zone without its key waits.
      guard let transaction = try sealed(transaction) else { break }
      transactions.append(transaction)
    }
    guard !transactions.isEmpty else { return nil }
    return SyncLog.PushRequest(
      cursor: store.replica.cursor, epoch: epoch, before: sent, transactions: transactions)
  }

  /// Notes what a push appended to the log. A transaction that the log had before may have another form there: another copy of the store or
  /// an earlier try sent it.
  func didPush(_ request: SyncLog.PushRequest, _ response: SyncLog.PushResponse) {
    // A server that was restored meanwhile may have another form.
    guard request.epoch == store.replica.epochs.last?.name else { return }
    let repeated = Set(response.repeated ?? [])
    for transaction in request.transactions.prefix(response.taken.clamped(to: 0...request.transactions.count))
    where !repeated.contains(transaction.id) { pushed[transaction.id] = transaction }
  }

  var pendingCount: Int { outbox.count }

  /// Gives new times to the transactions that the server refused as too far ahead. The others may have been taken, and a second time for
  /// one write would undo what came between.
  /// - Parameter time: the server's time.
  /// - Throws: `UntrustedInputError` for a time out of range; an error of the store.
  func restamp(toServer time: Untrusted<Int64>) throws {
    let time = try time.inRange(SyncWire.times, field: "failure.time")
    try transaction {
      try captureSaves()
      store.replica.clockOffset = time - now()
      store.replica.clock.setBack()
      let latest = time + SyncWire.clockTolerance
      let transactions = outbox.transactions
      for transaction in transactions where transaction.time.milliseconds <= latest {
        store.replica.clock.witness(transaction.time)
      }
      var renewed: [HybridTime: HybridTime] = [:]
      for old in Set(transactions.map(\.time)).sorted() where old.milliseconds > latest { renewed[old] = tick() }
      guard !renewed.isEmpty else { return }
      // The order of the outbox stays: all of it is laid again.
      try update(acknowledged: Set(transactions.map(\.id)), appended: transactions.map { $0.renewed(renewed) })
    }
  }
}

extension LocalTransaction {
  /// The transaction with new times. A removal saw nothing that is later than itself.
  fileprivate func renewed(_ times: [HybridTime: HybridTime]) -> LocalTransaction {
    guard let time = times[time] else { return self }
    func renew(_ old: HybridTime) -> HybridTime { times[old] ?? old }
    var result = self
    result.time = time
    result.changes = changes.mapValues { registers in
      var registers = registers
      if let born = registers.born { registers.born = Stamped(renew(born.time), born.value) }
      registers.dead = registers.dead.map(renew)
      registers.fields = registers.fields.reduce(into: [:]) { fields, field in
        var value = field.value.value
        if field.key.text.hasPrefix("place:"), case .text(let place) = value {
          value = .text(ListEnd.renewed(place, times))
        }
        fields[field.key] = Stamped(renew(field.value.time), value)
      }
      registers.edges = registers.edges.mapValues { members in
        members.mapValues { edge in
          Edge(
            added: renew(edge.added), removed: min(renew(edge.removed), time),
            place: edge.place.map { place in
              let key = ListEnd.renewed(place.value.key, times)
              return Stamped(renew(place.time), Place(key, hint: place.value.hint))
            })
        }
      }
      return registers
    }
    return result
  }
}
#endif
