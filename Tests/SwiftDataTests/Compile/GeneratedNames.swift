import Foundation
import SwiftData

// Code that uses what Apple's macros generate, or that conforms to no more than Apple's protocols ask for.

@Model final class Preset {
  var name: String

  init(name: String, _$backingData backing: any BackingData<Preset> = Preset.createBackingData()) {
    self.name = name
    _$backingData = backing
    self.name = name
  }
}

extension Preset {
  var registrar: ObservationRegistrar { _$observationRegistrar }

  var observedName: String {
    _$observationRegistrar.access(self, keyPath: \.name)
    return _$backingData.getValue(forKey: \.name)
  }
}

/// Constants with the names of the parameters of what `@Model` generates.
@Model final class Marker {
  let index: Int
  let access: String
  let row: Double
  let operation: Bool

  init(index: Int, access: String, row: Double, operation: Bool) {
    (self.index, self.access, self.row, self.operation) = (index, access, row, operation)
  }
}

/// A token of a store of its own.
struct CountingToken: HistoryToken {
  var id: Int
  var tokenValue: [String: Int]?

  static func < (left: Self, right: Self) -> Bool { left.id < right.id }
}
