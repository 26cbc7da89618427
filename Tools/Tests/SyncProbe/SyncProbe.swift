import Foundation
import SwiftData
import SwiftDataSync

/// What the probe keeps: one of two that each save changes together, and notes.
@Model
final class ProbeNote {
  @Attribute(.unique) var id: UUID = UUID()
  var text: String = ""
  var folder: ProbeFolder?
  init(_ text: String) { self.text = text }
}

@Model
final class ProbeFolder {
  @Attribute(.unique) var name: String = ""
  /// Replaced by each save, so that a snapshot is much smaller than the log.
  var summary: String = ""
  @Relationship(deleteRule: .cascade, inverse: \ProbeNote.folder) var notes: [ProbeNote] = []
  init(_ name: String) { self.name = name }
}

/// A program that syncs. It saves notes, prints each save that returned, and goes on until it is killed or told to end.
///
///     SyncProbe write STORE URL TOKEN NAME COUNT   prints how many notes it has, saves up to COUNT, then syncs until all are sent
///     SyncProbe read STORE URL TOKEN COUNT         syncs until there are COUNT notes, and prints them
///     SyncProbe edit STORE URL TOKEN COUNT         replaces a long text COUNT times, and syncs after each time
@main
enum SyncProbe {
  static func main() async throws {
    let arguments = CommandLine.arguments
    guard arguments.count >= 6, let url = URL(string: arguments[3]) else {
      print(
        "usage: SyncProbe write STORE URL TOKEN NAME COUNT | read STORE URL TOKEN COUNT | edit STORE URL TOKEN COUNT")
      exit(2)
    }
    try SyncRemote.register("probe", at: url, credentials: SyncCredentials(token: arguments[4]))
    let container = try ModelContainer(
      for: ProbeNote.self, ProbeFolder.self,
      configurations: ModelConfiguration(url: URL(fileURLWithPath: arguments[2]), cloudKitDatabase: .private("probe")))
    if arguments[1] == "write", arguments.count > 6 {
      try await write(container, arguments[5], Int(arguments[6]) ?? 1)
    } else if arguments[1] == "edit" {
      try await edit(container, Int(arguments[5]) ?? 1)
    } else {
      try await read(container, Int(arguments[5]) ?? 1)
    }
  }

  private static func write(_ container: ModelContainer, _ name: String, _ count: Int) async throws {
    let context = ModelContext(container)
    let had = try context.fetch(FetchDescriptor<ProbeNote>()).filter { $0.text.hasPrefix(name + "-") }.count
    print("had \(had)")
    fflush(nil)
    let folder = try context.fetch(FetchDescriptor<ProbeFolder>()).first ?? ProbeFolder("all")
    context.insert(folder)
    for number in had..<max(had, count) {
      let note = ProbeNote("\(name)-\(number)")
      context.insert(note)
      note.folder = folder
      folder.summary = String(repeating: "\(name) \(number), ", count: 4000)
      try context.save()
      print("saved \(note.text)")
      fflush(nil)
      try await Task.sleep(for: .milliseconds(2))
    }
    await finish(container) { true }
    print("sent")
  }

  private static func edit(_ container: ModelContainer, _ count: Int) async throws {
    for number in 0..<count {
      let context = ModelContext(container)
      try context.fetch(FetchDescriptor<ProbeFolder>()).first?.summary = String(repeating: "\(number), ", count: 4000)
      try context.save()
      await finish(container) { true }
    }
    // The snapshot is sent beside the exchanges.
    try await Task.sleep(for: .seconds(1))
  }

  private static func read(_ container: ModelContainer, _ count: Int) async throws {
    await finish(container) {
      (try? ModelContext(container).fetchCount(FetchDescriptor<ProbeNote>())) ?? 0 >= count
    }
    let notes = try ModelContext(container).fetch(FetchDescriptor<ProbeNote>(sortBy: [SortDescriptor(\.text)]))
    for note in notes { print("note \(note.text) in \(note.folder?.name ?? "none")") }
  }

  /// Syncs until nothing is left to send and the condition holds.
  private static func finish(_ container: ModelContainer, _ condition: () -> Bool) async {
    guard let engine = container.syncEngines.first else { return }
    while true {
      do {
        try await engine.syncNow()
        if engine.status.pendingChanges == 0, condition() { return }
      } catch {
        FileHandle.standardError.write(Data("\(error)\n".utf8))
      }
      try? await Task.sleep(for: .milliseconds(100))
    }
  }
}
