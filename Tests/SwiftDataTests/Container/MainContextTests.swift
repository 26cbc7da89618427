import Dispatch
import Foundation
import Logging
import Synchronization
import SwiftData
import Testing

@Model private final class Note {
  var text: String
  @Relationship(inverse: \Note.parent) var children: [Note] = []
  var parent: Note?
  init(text: String) { self.text = text }
}

/// Carries what may not be carried, as careless code does.
// @unchecked Sendable because the tests are about exactly that.
private final class Smuggled<Value>: @unchecked Sendable {
  let value: Value
  init(_ value: Value) { self.value = value }
}

private enum Seen {
  static let lines = Mutex<[String]>([])

  struct Handler: LogHandler {
    let label: String
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.trace
    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
      get { metadata[key] }
      set { metadata[key] = newValue }
    }
    func log(event: LogEvent) {
      if label == "SwiftData.Concurrency" { Seen.lines.withLock { $0.append("\(event.message)") } }
    }
  }
}

@Suite("The main context off the main actor")
struct MainContextTests {
  private static func container(traps: Bool = false) throws -> ModelContainer {
    var configuration = ModelConfiguration(isStoredInMemoryOnly: true)
    configuration.trapsOnConcurrencyMisuse = traps
    return try ModelContainer(for: Note.self, configurations: configuration)
  }

  private static func onThread(_ body: @escaping @Sendable () -> Void) {
    let isDone = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      body()
      isDone.signal()
    }
    isDone.wait()
  }

  #if DEBUG
    @Test("is reported once for each place, with the call stack, and does what it does on the main actor")
    func reported() async {
      await #expect(processExitsWith: .success) {
        LoggingSystem.bootstrap { Seen.Handler(label: $0) }
        let context = try await MainActor.run {
          let main = try MainContextTests.container().mainContext
          // An autosave beside the thread would be reported too, rightly.
          main.autosaveEnabled = false
          return Smuggled(main)
        }
        for number in 0..<3 {
          MainContextTests.onThread { context.value.insert(Note(text: "\(number)")) }
        }
        MainContextTests.onThread { try? context.value.save() }
        let lines = Seen.lines.withLock { $0 }
        #expect(lines.count == 2)
        #expect(lines.first?.contains("a change on the mainContext of a container") == true)
        #expect(lines.first?.contains("\n") == true)
        #expect(lines.last?.contains("a save on the mainContext of a container") == true)
        let count = try await MainActor.run { try context.value.fetchCount(FetchDescriptor<Note>()) }
        #expect(count == 3)
      }
    }

    @Test("is not reported where it is only handed on")
    func handedOn() async {
      await #expect(processExitsWith: .success) {
        LoggingSystem.bootstrap { Seen.Handler(label: $0) }
        let context = try await MainActor.run { Smuggled(try MainContextTests.container().mainContext) }
        MainContextTests.onThread {
          let copies = [context.value, context.value]
          _ = copies[0] == copies[1]
          _ = copies[0].container
          _ = ObjectIdentifier(copies[0])
        }
        #expect(Seen.lines.withLock { $0 }.isEmpty)
      }
    }
  #endif

  @Test("stops the program where the configuration says so")
  func traps() async throws {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let context = try await MainActor.run { Smuggled(try MainContextTests.container(traps: true).mainContext) }
      MainContextTests.onThread { context.value.insert(Note(text: "a")) }
    }
    let message = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
    #expect(message.contains("the mainContext of a container"))
    #expect(message.contains("MainActor.run"))
  }

  @Test("and several threads in one context at a time lose nothing and break nothing")
  func defined() async throws {
    let file = try TemporaryStore()
    let container = try file.container(Note.self)
    let context = Smuggled(ModelContext(container))
    let group = DispatchGroup()
    for thread in 0..<4 {
      group.enter()
      Thread.detachNewThread {
        for number in 0..<50 {
          let note = Note(text: "\(thread)-\(number)")
          note.children.append(Note(text: "child"))
          context.value.insert(note)
          if number.isMultiple(of: 10) { try? context.value.save() }
          _ = try? context.value.fetch(FetchDescriptor<Note>(predicate: #Predicate { $0.text == "child" }))
          _ = context.value.hasChanges
          _ = context.value.insertedModelsArray.count
          let registered: Note? = context.value.registeredModel(for: note.persistentModelID)
          // Another thread may have saved it meanwhile, and the identifier was a temporary one.
          if let registered, registered !== note { Issue.record("another object") }
        }
        group.leave()
      }
    }
    await withCheckedContinuation { continuation in group.notify(queue: .global()) { continuation.resume() } }
    try context.value.save()
    let notes = try ModelContext(container).fetch(FetchDescriptor<Note>())
    #expect(notes.count == 400)
    #expect(Set(notes.map(\.text)).count == 201)
    #expect(notes.filter { $0.parent != nil }.count == 200)
  }

  @Test("an observer of the save may use the context on the thread that saves")
  func observer() throws {
    let context = ModelContext(try Self.container())
    let count = Mutex(0)
    let token = NotificationCenter.default.addObserver(forName: ModelContext.didSave, object: context, queue: nil) {
      guard let context = $0.object as? ModelContext else { return }
      count.withLock { $0 = (try? context.fetchCount(FetchDescriptor<Note>())) ?? -1 }
    }
    defer { NotificationCenter.default.removeObserver(token) }
    context.insert(Note(text: "a"))
    try context.save()
    #expect(count.withLock { $0 } == 1)
  }
}
