#if Sync
import Foundation
import SyncProtocol

// A transaction travels in one request, so it must not become too large for one.

extension RecordChange {
  /// About how many bytes the change takes on its way.
  var roughSize: Int {
    fields.reduce(64) { size, field in
      switch field.value.value {
      case .text(let text): size + 32 + text.utf8.count
      case .data(let data), .sealed(let data): size + 32 + data.count
      case .null, .integer, .real, .record, .asset: size + 48
      }
    }
  }
}

/// The sizes of transactions.
enum TransactionSize {
  /// A transaction that nothing holds together is divided at this size, in bytes.
  static let part = 1 << 20
  /// The larger values of a transaction above this size, in bytes, become assets. The server takes no request above 64 MiB.
  static let most = 4 << 20
  /// The values that become assets then, in bytes.
  static let asset = 4 << 10
}

extension Replica {
  /// Divides changes that need not travel together.
  /// - Parameter limit: the most changes of a part.
  static func parts(of changes: [RecordChange], limit: Int) -> [ArraySlice<RecordChange>] {
    var parts: [ArraySlice<RecordChange>] = []
    var (start, size) = (0, 0)
    for (index, change) in changes.enumerated() {
      let added = change.roughSize
      if index > start, index - start == limit || size + added > TransactionSize.part {
        parts.append(changes[start..<index])
        (start, size) = (index, 0)
      }
      size += added
    }
    return parts + [changes[start...]]
  }

  /// Makes assets of the larger values of a save, if it is too large to travel at once.
  func shrink(_ changes: [RecordChange]) throws -> [RecordChange] {
    guard changes.reduce(0, { $0 + $1.roughSize }) > TransactionSize.most else { return changes }
    var changes = changes
    for index in changes.indices {
      for (property, write) in changes[index].fields {
        guard case .data(let bytes) = write.value, bytes.count > TransactionSize.asset else { continue }
        let sha256 = UserStore.sha256(bytes)
        try ledger.keepAsset(sha256, bytes, isOutgoing: true)
        changes[index].fields[property]?.value = .asset(sha256: sha256, size: bytes.count)
      }
    }
    return changes
  }
}
#endif
