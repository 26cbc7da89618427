// Watches a query in the terminal while a model actor writes in the background.
import Foundation
import SwiftData

@Model
final class Reading {
  var sensor: String
  var value: Double
  init(sensor: String, value: Double) {
    self.sensor = sensor
    self.value = value
  }
}

/// Writes from its own context, off the main thread.
@ModelActor
actor Recorder {
  func record(_ values: [Double], sensor: String) throws {
    for value in values {
      modelContext.insert(Reading(sensor: sensor, value: value))
      try modelContext.save()
    }
  }
}

let container = try ModelContainer(for: Reading.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
let highest = FetchDescriptor<Reading>(
  predicate: #Predicate { $0.sensor == "boiler" && $0.value > 60 },
  sortBy: [SortDescriptor(\.value, order: .reverse)]
)

let recorder = Recorder(modelContainer: container)
Task {
  try await recorder.record([12, 15, 11], sensor: "cellar")  // the query does not read these: no update comes
  try await recorder.record([55, 71, 64, 90], sensor: "boiler")
}

// Each update has the whole result and the differences. Several saves may arrive as one update.
for try await update in container.mainContext.values(for: highest) where update.results.count == 3 {
  print(update.results.map { "\($0.value)" }.joined(separator: "  "))
  break
}
