package import Foundation
package import SwiftData

/// What each of two processes saves, for the other to see.
@Model package final class Sighting {
  package var process: String
  package var number: Int
  package var time: Date

  package init(process: String, number: Int) {
    self.process = process
    self.number = number
    self.time = Date()
  }
}

@ModelActor package actor SightingWriter {
  /// One save for each sighting, so that the processes take turns.
  package func save(_ count: Int, process: String) async throws {
    for number in 0..<count {
      modelContext.insert(Sighting(process: process, number: number))
      try modelContext.save()
      try await Task.sleep(for: .milliseconds(5))
    }
  }
}

package func sightingsContainer(_ path: String) throws -> ModelContainer {
  let schema = Schema([Sighting.self])
  var configuration = ModelConfiguration(schema: schema, url: URL(fileURLWithPath: path))
  // Two processes save as fast as they can. One that gave up would leave the other waiting for its saves.
  configuration.lockTimeout = .seconds(300)
  return try ModelContainer(for: schema, configurations: configuration)
}
