#if Sync
import Foundation
import SwiftData
import SyncCore
import SyncProtocol

extension RegisterValue {
  /// A value with all its bytes.
  init(inline cell: SQLValue) {
    switch cell {
    case .null: self = .null
    case .integer(let value): self = .integer(value)
    case .real(let value): self = .real(value)
    case .text(let value): self = .text(ExactText(value))
    case .blob(let data): self = .data(data)
    }
  }

  /// A value that travels. Large values become assets, whose bytes are handed out.
  init(_ cell: SQLValue, asset: (String, Data) throws -> Void) rethrows {
    guard case .blob(let data) = cell, data.count > SyncWire.assetThreshold else {
      self.init(inline: cell)
      return
    }
    let name = UserStore.sha256(data)
    try asset(name, data)
    self = .asset(sha256: ExactText(name), size: data.count)
  }

  /// Whether two values are the same. A large save sends values as assets that others send as they are.
  func isSame(as other: RegisterValue?) -> Bool {
    switch (self, other) {
    case (.data(let bytes), .asset(let sha256, let size)?), (.asset(let sha256, let size), .data(let bytes)?):
      bytes.count == size && UserStore.sha256(bytes) == sha256.text
    default: self == other
    }
  }
}

extension Registers {
  /// The assets that the registers name.
  var assets: [(sha256: String, size: Int)] {
    fields.values.compactMap {
      if case .asset(let sha256, let size) = $0.value { (sha256.text, size) } else { nil }
    }
  }
}
#endif
