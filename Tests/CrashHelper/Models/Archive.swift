package import Foundation
package import SwiftData

// Three versions of an archive, for the tests that migrate it: in one go, and killed at any moment. Everything in a
// version follows from the number of a message, so that every row can be compared.

package enum ArchiveV1: VersionedSchema {
  package static let versionIdentifier = Schema.Version(1, 0, 0)
  package static var models: [any PersistentModel.Type] { [Message.self, Topic.self] }

  @Model package final class Message {
    package var number: Int32
    package var text: String
    package var sender: String?
    @Attribute(.externalStorage) package var attachment: Data?
    package var topics: [Topic] = []
    package init(number: Int) {
      self.number = Int32(number)
      self.text = Archive.text(number)
      self.sender = Archive.sender(number)
    }
  }

  @Model package final class Topic {
    package var name: String
    @Relationship(inverse: \Message.topics) package var messages: [Message] = []
    package init(name: String) { self.name = name }
  }
}

package enum ArchiveV2: VersionedSchema {
  package static let versionIdentifier = Schema.Version(2, 0, 0)
  package static var models: [any PersistentModel.Type] { [Message.self, Topic.self, Folder.self] }

  @Model package final class Message {
    #Index<Message>([\.number])
    package var number: Int
    @Attribute(originalName: "text") package var body: String
    package var sender: String = "nobody"
    package var isRead: Bool = false
    @Attribute(.externalStorage) package var attachment: Data?
    @Relationship(originalName: "topics") package var labels: [Topic] = []
    package var folder: Folder?
    package init(number: Int) {
      self.number = number
      self.body = Archive.text(number)
    }
  }

  @Model package final class Topic {
    package var name: String
    @Relationship(originalName: "messages", inverse: \Message.labels) package var labelled: [Message] = []
    package init(name: String) { self.name = name }
  }

  @Model package final class Folder {
    package var title: String
    package var messages: [Message] = []
    package init(title: String) { self.title = title }
  }
}

package enum ArchiveV3: VersionedSchema {
  package static let versionIdentifier = Schema.Version(3, 0, 0)
  package static var models: [any PersistentModel.Type] { [Message.self, Topic.self, Folder.self] }

  @Model package final class Message {
    #Index<Message>([\.number])
    #Unique<Message>([\.number])
    package var number: Int
    package var body: String
    package var sender: String = "nobody"
    /// Computed from the body by the stage.
    package var length: Int = -1
    @Attribute(.externalStorage) package var attachment: Data?
    package var labels: [Topic] = []
    package var folder: Folder?
    package init(number: Int) {
      self.number = number
      self.body = Archive.text(number)
    }
  }

  @Model package final class Topic {
    package var name: String
    @Relationship(inverse: \Message.labels) package var labelled: [Message] = []
    package init(name: String) { self.name = name }
  }

  @Model package final class Folder {
    package var title: String
    package var messages: [Message] = []
    package init(title: String) { self.title = title }
  }
}

package enum ArchivePlan: SchemaMigrationPlan {
  package static var schemas: [any VersionedSchema.Type] { [ArchiveV1.self, ArchiveV2.self, ArchiveV3.self] }
  package static var stages: [MigrationStage] { [first, second] }

  package static let first = MigrationStage.lightweight(fromVersion: ArchiveV1.self, toVersion: ArchiveV2.self)
  package static let second = MigrationStage.custom(
    fromVersion: ArchiveV2.self, toVersion: ArchiveV3.self,
    willMigrate: { context in
      context.insert(ArchiveV2.Folder(title: "All"))
      try context.save()
    },
    didMigrate: { context in
      let folder = try context.fetch(FetchDescriptor<ArchiveV3.Folder>())[0]
      try Archive.forEachPage(of: context) { messages in
        for message in messages {
          message.length = message.body.count
          if message.number % 1000 == 0 { message.folder = folder }
        }
        try context.save()
      }
    })
}

package enum Archive {
  package static func text(_ number: Int) -> String {
    "message \(number) says \(String(repeating: "x", count: number % 40))"
  }
  package static func sender(_ number: Int) -> String? { number % 3 == 0 ? nil : "sender \(number % 7)" }
  /// Every 500th message has a file beside the store.
  package static func attachment(_ number: Int) -> Data? {
    number % 500 == 0 ? Data(repeating: UInt8(truncatingIfNeeded: number), count: 140 << 10) : nil
  }

  package static func container(_ path: String, configure: (inout ModelConfiguration) -> Void = { _ in }) throws
    -> ModelContainer
  {
    var configuration = ModelConfiguration(url: URL(fileURLWithPath: path))
    configure(&configuration)
    return try ModelContainer(
      for: Schema(versionedSchema: ArchiveV3.self), migrationPlan: ArchivePlan.self, configurations: [configuration])
  }

  /// Makes a store of the first version.
  package static func make(_ path: String, count: Int) throws {
    let container = try ModelContainer(
      for: Schema(versionedSchema: ArchiveV1.self), configurations: ModelConfiguration(url: URL(fileURLWithPath: path)))
    for start in stride(from: 0, to: count, by: 10_000) {
      let context = ModelContext(container)
      var topics = try context.fetch(FetchDescriptor<ArchiveV1.Topic>(sortBy: [SortDescriptor(\.name)]))
      if topics.isEmpty {
        topics = ["even", "odd"].map { ArchiveV1.Topic(name: $0) }
        for topic in topics { context.insert(topic) }
      }
      for number in start..<min(start + 10_000, count) {
        let message = ArchiveV1.Message(number: number)
        message.attachment = attachment(number)
        context.insert(message)
        if number % 10 == 0 { message.topics = [topics[number / 10 % 2]] }
      }
      try context.save()
    }
  }

  /// Pages by number, so that no more than one is in memory.
  package static func forEachPage(of context: ModelContext, _ body: ([ArchiveV3.Message]) throws -> Void) throws {
    var last = -1
    while true {
      let previous = last
      var page = FetchDescriptor<ArchiveV3.Message>(
        predicate: #Predicate { $0.number > previous }, sortBy: [SortDescriptor(\.number)])
      page.fetchLimit = 5000
      let messages = try context.fetch(page)
      guard let newest = messages.last else { return }
      try body(messages)
      last = newest.number
    }
  }

  /// The first difference between a store and what was put in; nil where every row is as it should be.
  package static func difference(_ context: ModelContext, count: Int) throws -> String? {
    var number = 0
    var wrong: String?
    try forEachPage(of: context) { messages in
      for message in messages where wrong == nil {
        let labels = number % 10 == 0 ? [number / 10 % 2 == 0 ? "even" : "odd"] : []
        if message.number != number { wrong = "\(message.number) stands where \(number) should" }
        if message.body != text(number) { wrong = "body of \(number)" }
        if message.sender != sender(number) ?? "nobody" { wrong = "sender of \(number)" }
        if message.length != text(number).count { wrong = "length of \(number)" }
        if message.attachment != attachment(number) { wrong = "attachment of \(number)" }
        if message.labels.map(\.name) != labels { wrong = "labels of \(number)" }
        if message.folder?.title != (number % 1000 == 0 ? "All" : nil) { wrong = "folder of \(number)" }
        number += 1
      }
    }
    if number != count { return "\(number) messages" }
    let folders = try context.fetchCount(FetchDescriptor<ArchiveV3.Folder>())
    return folders == 1 ? wrong : "\(folders) folders"
  }
}
