import Foundation
import SwiftData
import SwiftDataSync

@Model
final class Trip {
  @Attribute(.unique) var id: UUID = UUID()
  var name: String = ""
  init(name: String) { self.name = name }
}

/// `Trips STORE NAME COUNT` saves a trip, and ends when the store has as many trips as other processes and this one saved.
/// `SWIFTDATA_SYNC_URL` and `SWIFTDATA_SYNC_TOKEN` name the server and the account.
@main
enum Trips {
  static func main() async throws {
    guard CommandLine.arguments.count == 4, let count = Int(CommandLine.arguments[3]) else {
      print("usage: Trips STORE NAME COUNT")
      exit(1)
    }
    // This line is all that a program adds to sync.
    try SyncRemote.register("iCloud.com.example.trips")
    let container = try ModelContainer(
      for: Trip.self,
      configurations: ModelConfiguration(
        url: URL(fileURLWithPath: CommandLine.arguments[1]), cloudKitDatabase: .private("iCloud.com.example.trips")))
    let context = ModelContext(container)
    context.insert(Trip(name: CommandLine.arguments[2]))
    try context.save()
    let byName = FetchDescriptor<Trip>(sortBy: [SortDescriptor(\.name)])
    for try await update in container.mainContext.values(for: byName) where update.results.count >= count {
      print("\(CommandLine.arguments[2]) sees", update.results.map(\.name).joined(separator: ", "))
      break
    }
    // The others may still need the trip of this process.
    try await container.syncEngines[0].syncNow()
  }
}
