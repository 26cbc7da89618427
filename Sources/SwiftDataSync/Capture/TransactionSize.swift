#if Sync
import Foundation
import SwiftData
import SyncCore
import SyncProtocol

// A transaction travels in one request, so it must not become too large for one.

/// The sizes of transactions.
enum TransactionSize {
  /// A transaction that nothing holds together is divided at this size, in bytes.
  static let part = 1 << 20
  /// The records of such a part.
  static let partRecords = 1000
  /// The larger values of a transaction above this size, in bytes, become assets.
  static let most = 4 << 20
  /// The values that become assets then, in bytes.
  static let asset = 4 << 10
  /// A save above this size, in bytes, is divided. The server takes no request above 64 MiB.
  static let request = 32 << 20
  /// The most records of a transaction. The server takes no more than 200,000.
  static let records = 100_000

  /// Divides changes. New records go first, so that others can lead to them. Deletions go last and stay together: what the program kept leaves
  /// its owner before, and where the deletion of an owner is refused, what it took along stays.
  /// - Parameters:
  ///   - limit: the most records of a part.
  ///   - size: the most bytes of a part, roughly.
  static func parts(
    of changes: [RecordKey: Registers], records limit: Int = partRecords, bytes size: Int = part
  ) -> [[RecordKey: Registers]] {
    guard changes.count > limit || roughSize(of: changes) > size else { return [changes] }
    let sorted = changes.sorted { left, right in
      let isNew = (left.value.born != nil, right.value.born != nil)
      return isNew.0 == isNew.1 ? left.key < right.key : isNew.0
    }
    return divide(sorted.filter { $0.value.dead == nil }, limit, size)
      + divide(sorted.filter { $0.value.dead != nil }, max(limit, records), max(size, request))
  }

  private static func divide(
    _ changes: [(key: RecordKey, value: Registers)], _ limit: Int, _ size: Int
  ) -> [[RecordKey: Registers]] {
    var parts: [[RecordKey: Registers]] = []
    var filled = 0
    for (key, registers) in changes {
      let added = registers.roughSize
      if parts.isEmpty || parts[parts.count - 1].count == limit || filled + added > size {
        parts.append([:])
        filled = 0
      }
      parts[parts.count - 1][key] = registers
      filled += added
    }
    return parts
  }

  static func roughSize(of changes: [RecordKey: Registers]) -> Int { changes.values.reduce(0) { $0 + $1.roughSize } }
}

extension Registers {
  /// About how many bytes the registers take on their way.
  var roughSize: Int {
    let values = fields.values.reduce(64) { size, write in
      switch write.value {
      case .text(let text): size + 32 + text.text.utf8.count
      case .data(let data), .sealed(let data): size + 32 + data.count
      case .null, .integer, .real, .reference, .asset: size + 48
      }
    }
    return edges.values.joined().reduce(values) { $0 + 96 + ($1.value.place?.value.key.text.utf8.count ?? 0) }
  }
}

extension ZoneReplica {
  /// The changes of a save as transactions. Larger values of a large save become assets. A save that is still too
  /// large for a request is divided, because it could never be sent otherwise.
  func parts(ofSave changes: [RecordKey: Registers]) throws -> [[RecordKey: Registers]] {
    TransactionSize.parts(
      of: try shrink(changes), records: TransactionSize.records, bytes: TransactionSize.request)
  }

  private func shrink(_ changes: [RecordKey: Registers]) throws -> [RecordKey: Registers] {
    guard TransactionSize.roughSize(of: changes) > TransactionSize.most else { return changes }
    var changes = changes
    for (key, registers) in changes {
      let view = rows
      let entity = try registers.born?.value ?? view.registers(of: key)?.born?.value
      // The bytes of encrypted values travel in the transaction, because the server could read assets.
      let encrypted = entity.map { sensitiveNames(of: $0.text) } ?? []
      for (property, write) in registers.fields where !encrypted.contains(property) {
        guard case .data(let bytes) = write.value, bytes.count > TransactionSize.asset else { continue }
        let sha256 = UserStore.sha256(bytes)
        try keepAsset(sha256, bytes)
        changes[key]?.fields[property]?.value = .asset(sha256: ExactText(sha256), size: bytes.count)
      }
    }
    return changes
  }
}
#endif
