import Foundation
import SwiftData
import Testing

@Suite("A model configuration")
struct ConfigurationTests {
  @Test("keeps its file in the directory for programs' data")
  func defaultPlace() {
    let program = ProcessInfo.processInfo.processName
    #expect(ModelConfiguration().url.path.hasSuffix("/\(program)/default.store"))
    #expect(ModelConfiguration().name == "default")
    #expect(ModelConfiguration("Inbox").url.lastPathComponent == "Inbox.store")
    let shared = ModelConfiguration("Inbox", groupContainer: .identifier("group.example"))
    #expect(shared.url.path.hasSuffix("/group.example/Inbox.store"))
    #expect(shared.groupAppContainerIdentifier == "group.example")
    #expect(ModelConfiguration().groupAppContainerIdentifier == nil)
  }

  @Test("in memory has no file")
  func inMemory() {
    let configuration = ModelConfiguration(isStoredInMemoryOnly: true)
    #expect(configuration.url.path == "/dev/null")
    #expect(configuration.isStoredInMemoryOnly)
    #expect(configuration.allowsSave)
    #expect(configuration.debugDescription.contains("in memory"))
  }

  @Test("takes any duration as a lock timeout", arguments: [.seconds(Int64.max), .seconds(-1), .zero] as [Duration])
  func lockTimeout(_ timeout: Duration) throws {
    let folder = try TemporaryStore()
    var configuration = ModelConfiguration(url: folder.url)
    configuration.lockTimeout = timeout
    let context = ModelContext(try ModelContainer(for: Agency.Client.self, configurations: configuration))
    #expect(try context.fetchCount(FetchDescriptor<Agency.Client>()) == 0)
    #expect(timeout.asWait == (timeout > .zero ? 2_000_000 : 0))
  }

  @Test("names some of the models")
  func models() {
    #expect(ModelConfiguration(for: Agency.Client.self).schema?.entities.map(\.name) == ["Client"])
    #expect(ModelConfiguration().schema == nil)
  }

  @Test("at a place of its own is named after the file")
  func url() {
    let url = URL(fileURLWithPath: "/data/mail.store")
    #expect(ModelConfiguration(url: url).name == "mail")
    #expect(ModelConfiguration("post", url: url).name == "post")
    #expect(ModelConfiguration(url: url, allowsSave: false).debugDescription.contains("read-only"))
  }

  @Test("accepts a word about the history in the seeds' order and in Apple's")
  func history() {
    let seeds = ModelConfiguration(
      schema: nil,
      cloudKitDatabase: .private("iCloud.example"),
      allowsSave: true,
      isHistoryEnabled: true
    )
    #expect(seeds.cloudKitContainerIdentifier == "iCloud.example")
    #expect(!ModelConfiguration(isHistoryEnabled: false).isHistoryEnabled)
    #expect(ModelConfiguration(url: URL(fileURLWithPath: "/x.store"), isHistoryEnabled: true).isHistoryEnabled)
  }

  @Test("updates on collisions unless told to throw, and a change makes it another configuration")
  func policy() {
    var configuration = ModelConfiguration("a")
    #expect(configuration.uniquenessPolicy == .upsert)
    configuration.uniquenessPolicy = .reject
    #expect(configuration != ModelConfiguration("a"))
    #expect(ModelConfiguration("a") == ModelConfiguration("a"))
  }

  @Test(
    "refuses names that no file can have",
    arguments: ["a/b", "..\u{0}", "tab\tbed", ""]
  )
  func invalidNames(name: String) throws {
    for group in [ModelConfiguration.GroupContainer.automatic, .none] {
      let error = try #require(throws: SwiftDataError.self) {
        try ModelConfiguration(name, groupContainer: group).validate()
      }
      #expect(error == .configurationFileNameContainsInvalidCharacters)
    }
  }

  @Test("accepts a name as long as the file system allows, and no longer")
  func longNames() throws {
    let longest = String(repeating: "n", count: 255 - ".store-journal".count)
    try ModelConfiguration(longest).validate()
    let error = try #require(throws: SwiftDataError.self) { try ModelConfiguration(longest + "n").validate() }
    #expect(error == .configurationFileNameTooLong)
    #expect(error.description.contains("247"))
    #expect(throws: SwiftDataError.configurationFileNameTooLong) {
      try ModelConfiguration(url: URL(fileURLWithPath: "/" + longest + "nn.store")).validate()
    }
  }

  @Test("in memory may have any name")
  func memoryNames() throws {
    try ModelConfiguration("a/b", isStoredInMemoryOnly: true).validate()
  }

  @Test("may share neither its name nor its file with another one of a container")
  func duplicates() throws {
    let store = try TemporaryStore()
    let schema = Schema(Agency.Client.self)
    let other = store.folder.appendingPathComponent("x/../test.store")
    for pair in [
      [ModelConfiguration("a", url: store.url), ModelConfiguration("b", url: other)],
      [ModelConfiguration("a", isStoredInMemoryOnly: true), ModelConfiguration("a", url: store.url)],
    ] {
      #expect(throws: SwiftDataError.duplicateConfiguration) {
        try ModelContainer(for: schema, configurations: pair)
      }
    }
  }

  @Test("does not help a schema with two models of one name")
  func schemaIsChecked() throws {
    let schema = Schema(Agency.Stop.self, Other.Stop.self)
    #expect(throws: SwiftDataError.unknownSchema) {
      try ModelContainer(for: schema, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    }
  }

  @Test("refuses a URL that is no file")
  func remote() throws {
    let url = try #require(URL(string: "https://example.org/x.store"))
    #expect(throws: SwiftDataError.loadIssueModelContainer) { try ModelConfiguration(url: url).validate() }
  }

  @Test("with a CloudKit database names everything that breaks CloudKit's rules at once")
  func cloudKit() throws {
    let schema = Schema(Agency.Trip.self)
    let error = try #require(throws: SwiftDataError.self) {
      try ModelConfiguration(schema: schema, cloudKitDatabase: .private("iCloud.example")).validate()
    }
    #expect(error == .loadIssueModelContainer)
    let text = error.description
    for name in ["Trip.code", "Trip.name", "Trip.start", "Stop.city", "Stop.days", "Trip.stops", "Trip.name+start"] {
      #expect(text.contains(name), "\(text) should name \(name)")
    }
    for name in ["Trip.price", "Trip.note", "Trip.isSelected", "Stop.trip,"] {
      #expect(!text.contains(name), "\(text) should not name \(name)")
    }
  }

  @Test("without a named database, or with models that obey, has nothing to object")
  func cloudKitObeyed() throws {
    let schema = Schema(Agency.Trip.self)
    try ModelConfiguration(schema: schema).validate()
    try ModelConfiguration(schema: schema, cloudKitDatabase: .none).validate()
    try ModelConfiguration(schema: Schema(Cloudy.self), cloudKitDatabase: .private("iCloud.example")).validate()
  }
}

@Model
private final class Cloudy {
  var name: String = ""
  var note: String?
  var parent: Cloudy?
  @Relationship(inverse: \Cloudy.parent) var children: [Cloudy]? = []
  init() {}
}
