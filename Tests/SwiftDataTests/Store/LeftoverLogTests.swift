import Foundation
import SwiftData
import SwiftDataRecovery
import Testing

@Model private final class Letter {
  var number: Int
  @Attribute(.externalStorage) var scan: Data?
  init(number: Int, scan: Data? = nil) {
    self.number = number
    self.scan = scan
  }
}

@Suite("A log whose database was removed")
struct LeftoverLogTests {
  private let store: TemporaryStore

  init() throws { store = try TemporaryStore() }

  private func numbers(_ container: ModelContainer) throws -> [Int] {
    try ModelContext(container).fetch(FetchDescriptor<Letter>(sortBy: [SortDescriptor(\.number)])).map(\.number)
  }

  private func save(_ numbers: Int..., in container: ModelContainer, scan: Data? = nil) throws {
    let context = ModelContext(container)
    for number in numbers { context.insert(Letter(number: number, scan: scan)) }
    try context.save()
  }

  /// The names beside the store that say that something was set aside, without their endings.
  private func setAside() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: store.folder.path)
      .filter { $0.hasPrefix("test.store-left-behind-") && $0.hasSuffix("-wal") }.map { String($0.dropLast(4)) }
  }

  @Test("is set aside, and the store begins anew, also while the former container is open")
  func removed() throws {
    var former: ModelContainer? = try store.container(Letter.self)
    try save(1, 2, in: former!)
    try FileManager.default.removeItem(at: store.url)
    let new = try store.container(Letter.self)
    #expect(try numbers(new) == [])
    try save(3, in: new)
    #expect(try setAside().count == 1)
    // The former one closes its connections: the log of the new one has to stay.
    former = nil
    #expect(try numbers(new) == [3])
    try save(4, in: new)
    #expect(try numbers(try store.container(Letter.self)) == [3, 4])
    #expect(try store.shell("SELECT group_concat(number) FROM Letter") == "3,4")
    #expect(try store.shell("PRAGMA integrity_check") == "ok")
  }

  @Test("keeps the saves that only it has for a recovery, with the external files of their rows")
  func recovered() throws {
    let scan = Data(repeating: 7, count: 200_000)
    let former = try store.container(Letter.self)
    try save(1, 2, in: former, scan: scan)
    try FileManager.default.removeItem(at: store.url)
    try save(9, in: try store.container(Letter.self))
    let name = try #require(try setAside().first)
    let recovered = store.folder.appendingPathComponent("recovered.store")
    try ModelContainer.recover(
      from: store.folder.appendingPathComponent(name), to: recovered, for: Schema([Letter.self]))
    let container = try ModelContainer(for: Letter.self, configurations: ModelConfiguration(url: recovered))
    let letters = try ModelContext(container).fetch(FetchDescriptor<Letter>(sortBy: [SortDescriptor(\.number)]))
    #expect(letters.map(\.number) == [1, 2])
    #expect(letters.map(\.scan) == [scan, scan])
    withExtendedLifetime(former) {}
  }

  @Test("of a store that is opened by many at once is set aside once")
  func atOnce() async throws {
    do {
      let former = try store.container(Letter.self)
      try save(1, in: former)
      try FileManager.default.copyItem(atPath: store.url.path + "-wal", toPath: store.url.path + "-copy")
    }
    for name in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: store.url.path + name) }
    try FileManager.default.moveItem(atPath: store.url.path + "-copy", toPath: store.url.path + "-wal")
    let url = store.url
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<8 {
        group.addTask {
          let container = try ModelContainer(for: Letter.self, configurations: ModelConfiguration(url: url))
          let context = ModelContext(container)
          context.insert(Letter(number: number))
          try context.save()
        }
      }
      try await group.waitForAll()
    }
    #expect(try numbers(try store.container(Letter.self)) == Array(0..<8))
    #expect(try setAside().count == 1)
  }
}
