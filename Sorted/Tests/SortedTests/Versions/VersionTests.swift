import Foundation
import SwiftData
import Testing

@testable import Sorted

@Suite("The versions of the inbox's schema") struct VersionTests {
  private typealias V1 = SortedSchemaV1
  private typealias V2 = SortedSchemaV2
  private static let start = Date(timeIntervalSince1970: 1_700_000_000.123)

  /// A store as the first version of the app left it.
  private func fill(_ store: URL, conversations: Int = 5, messages: Int = 40) throws {
    let schema = Schema(versionedSchema: V1.self)
    let context = ModelContext(
      try ModelContainer(for: schema, configurations: [ModelConfiguration(schema: schema, url: store)]))
    for number in 0..<conversations {
      let conversation = V1.ConversationEntity(
        id: "c\(number)", participantIDs: ["u\(number)", "me"], createdAt: Self.start)
      conversation.displayName = number % 2 == 0 ? nil : "Name \(number)"
      conversation.isPinned = number % 3 == 0
      conversation.unreadCount = number
      context.insert(conversation)
      for index in 0..<messages { conversation.messages.append(message(number, index)) }
    }
    let user = UserEntity(id: "me", email: "me@example.com", displayName: "Me", createdAt: Self.start)
    user.faqs = [FAQEntity(id: "f", category: .career, questionPattern: "q", answer: "a", createdAt: Self.start)]
    context.insert(user)
    try context.save()
  }

  private func message(_ number: Int, _ index: Int) -> V1.MessageEntity {
    let message = V1.MessageEntity(
      id: "m\(number).\(index)", conversationID: "c\(number)", senderID: "u\(number)", text: "täxt \(index)",
      createdAt: Self.start.addingTimeInterval(Double(index)), status: .sent,
      syncStatus: [.synced, .pending, .failed][index % 3])
    message.readBy = (0..<(index % 3)).map { "r\($0)" }
    message.category = index % 2 == 0 ? .fan : nil
    if message.syncStatus == .failed {
      message.retryCount = index % 5
      message.lastSyncAttempt = index % 4 == 0 ? nil : Self.start.addingTimeInterval(100)
      message.syncError = "no network"
    }
    if index % 7 == 0 {
      let file = V1.AttachmentEntity(
        id: "a\(number).\(index)", type: .image, fileSize: .max, mimeType: "image/png", fileName: "p.png",
        createdAt: Self.start)
      file.url = index % 2 == 0 ? "https://example.com/\(index)" : nil
      message.attachments = [file]
    }
    return message
  }

  /// All values of all rows of a version, a line for each row, with the names of the columns as they were in V1.
  private func rows(_ store: URL, _ version: any VersionedSchema.Type) throws -> [String] {
    let schema = Schema(versionedSchema: version)
    let context = ModelContext(
      try ModelContainer(for: schema, configurations: [ModelConfiguration(schema: schema, url: store)]))
    return version == V1.self ? try oldRows(context) : try newRows(context)
  }

  private func oldRows(_ context: ModelContext) throws -> [String] {
    let messages = try context.fetch(FetchDescriptor<V1.MessageEntity>(sortBy: [SortDescriptor(\.id)])).map {
      line(
        $0.id, $0.conversationID, $0.senderID, $0.text, $0.createdAt, $0.updatedAt, $0.status, $0.syncStatus,
        $0.retryCount, $0.lastSyncAttempt, $0.syncError, $0.readBy, $0.category, $0.conversation?.id,
        $0.attachments.map(\.id))
    }
    let conversations = try context.fetch(FetchDescriptor<V1.ConversationEntity>(sortBy: [SortDescriptor(\.id)])).map {
      line(
        $0.id, $0.participantIDs, $0.displayName, $0.isGroup, $0.isPinned, $0.unreadCount, $0.createdAt,
        $0.messages.map(\.id))
    }
    let attachments = try context.fetch(FetchDescriptor<V1.AttachmentEntity>(sortBy: [SortDescriptor(\.id)])).map {
      line($0.id, $0.type, $0.url, $0.fileSize, $0.mimeType, $0.fileName, $0.uploadStatus, $0.message?.id)
    }
    return messages + conversations + attachments + (try unchangedRows(context))
  }

  private func newRows(_ context: ModelContext) throws -> [String] {
    let messages = try context.fetch(FetchDescriptor<MessageEntity>(sortBy: [SortDescriptor(\.id)])).map {
      line(
        $0.id, $0.conversationID, $0.senderID, $0.text, $0.createdAt, $0.updatedAt, $0.status, $0.syncStatus,
        $0.retryCount, $0.lastSyncAttempt, $0.syncError, $0.readBy, $0.category, $0.conversation?.id,
        $0.attachments.map(\.id))
    }
    let conversations = try context.fetch(FetchDescriptor<ConversationEntity>(sortBy: [SortDescriptor(\.id)])).map {
      line(
        $0.id, $0.participantIDs, $0.displayName, $0.isGroup, $0.isPinned, $0.unreadCount, $0.createdAt,
        $0.messages.map(\.id))
    }
    let attachments = try context.fetch(FetchDescriptor<AttachmentEntity>(sortBy: [SortDescriptor(\.id)])).map {
      line($0.id, $0.type, $0.remoteURL, $0.fileSize, $0.mimeType, $0.fileName, $0.uploadStatus, $0.message?.id)
    }
    return messages + conversations + attachments + (try unchangedRows(context))
  }

  private func unchangedRows(_ context: ModelContext) throws -> [String] {
    try context.fetch(FetchDescriptor<UserEntity>()).map { line($0.id, $0.email, $0.createdAt, $0.faqs.map(\.answer)) }
  }

  private func line<each Value>(_ values: repeat each Value) -> String {
    var parts = [String]()
    // A date's description has no fractions of a second.
    for value in repeat each values {
      parts.append((value as? Date).map { "\($0.timeIntervalSinceReferenceDate)" } ?? "\(value)")
    }
    return parts.joined(separator: "|")
  }

  @Test("The first version has the guide's properties and no others")
  func guide() {
    let now = SortedContainer.schema.entitiesByName.mapValues { Set($0.storedPropertiesByName.keys) }
    let first = Schema(versionedSchema: V1.self).entitiesByName.mapValues { Set($0.storedPropertiesByName.keys) }
    let second = Schema(versionedSchema: V2.self).entitiesByName.mapValues { Set($0.storedPropertiesByName.keys) }
    #expect(Set(first.keys) == Set(second.keys))
    let added: Set = [
      "SyncStateEntity", "SyncConflictEntity", "AttachmentUploadEntity", "AssistCorrectionEntity", "SharedInboxEntity",
      "MessageVectorEntity",
    ]
    #expect(Set(now.keys) == Set(first.keys).union(added))
    #expect(second["MessageEntity"] == first["MessageEntity"]?.union(["nextSyncAttempt"]))
    #expect(second["ConversationEntity"] == first["ConversationEntity"]?.union(["isKept"]))
    let sync: Set = ["pendingFields", "changeID", "serverTime"]
    let third = Schema(versionedSchema: SortedSchemaV3.self).entitiesByName.mapValues {
      Set($0.storedPropertiesByName.keys)
    }
    #expect(third["MessageEntity"] == second["MessageEntity"]?.union(sync).union(["editedAt"]))
    let fourth = Schema(versionedSchema: SortedSchemaV4.self).entitiesByName.mapValues {
      Set($0.storedPropertiesByName.keys)
    }
    #expect(
      fourth["MessageEntity"]
        == third["MessageEntity"]?.union(["replyToID", "reactions", "deletedAt", "assistVersion"]))
    #expect(now["MessageEntity"] == fourth["MessageEntity"]?.union(["deliveredTo"]))
    let fifth = Schema(versionedSchema: SortedSchemaV5.self).entitiesByName.mapValues {
      Set($0.storedPropertiesByName.keys)
    }
    #expect(fifth["ConversationEntity"] == third["ConversationEntity"]?.union(["pinnedMessageIDs"]))
    #expect(fifth["ConversationEntity"] == fourth["ConversationEntity"])
    #expect(now["ConversationEntity"] == fifth["ConversationEntity"]?.union(["departures", "unpinnings"]))
    for unchanged in ["MessageEntity", "AttachmentEntity"] { #expect(now[unchanged] == fifth[unchanged]) }
    #expect(fourth["AttachmentEntity"] == second["AttachmentEntity"])
    #expect(
      third["ConversationEntity"]
        == second["ConversationEntity"]?.union(sync)
        .union(["hasPendingFields", "fieldTimes", "noticeTime", "messageCursor"]))
    #expect(now["AttachmentEntity"] == second["AttachmentEntity"]?.union(["contents"]))
    #expect(second["AttachmentEntity"] == first["AttachmentEntity"]?.subtracting(["url"]).union(["remoteURL"]))
    #expect(now["UserEntity"] == first["UserEntity"])
    #expect(now["FAQEntity"] == first["FAQEntity"])
  }

  @Test("A store of the first version opens with every row, the renamed column's values and the computed ones")
  func migration() throws {
    let folder = try TemporaryFolder()
    try fill(folder.store)
    let before = try rows(folder.store, V1.self)
    #expect(before.count == 5 * 40 + 5 + 5 * 6 + 1)
    let container = try SortedContainer.open(folder.store)
    #expect(container.migrations.flatMap(\.steps).map(\.isCustom) == [true, false, false, false, false])
    #expect(try rows(folder.store, SortedSchemaV6.self) == before)

    let context = ModelContext(container)
    let messages = try context.fetch(FetchDescriptor<MessageEntity>())
    for message in messages {
      guard message.shouldRetry, let last = message.lastSyncAttempt else {
        #expect(message.nextSyncAttempt == nil)
        continue
      }
      #expect(message.nextSyncAttempt == last.addingTimeInterval([1, 1, 2][message.retryCount]))
    }
    #expect(messages.contains { $0.nextSyncAttempt != nil })
    #expect(try context.fetch(FetchDescriptor<ConversationEntity>()).allSatisfy { !$0.isKept })
    #expect(try SortedContainer.open(folder.store).migrations.isEmpty)
  }

  @Test("A store of the second version opens with every row as it was, and nothing in it waits for a server")
  func secondVersion() throws {
    let folder = try TemporaryFolder()
    let schema = Schema(versionedSchema: V2.self)
    let old = ModelContext(
      try ModelContainer(for: schema, configurations: [ModelConfiguration(schema: schema, url: folder.store)]))
    let kept = V2.ConversationEntity(id: "c", participantIDs: ["u", "me"], createdAt: Self.start)
    kept.isKept = true
    let message = V2.MessageEntity(
      id: "m", conversationID: "c", senderID: "u", text: "täxt", createdAt: Self.start, status: .sent,
      syncStatus: .failed)
    message.retryCount = 1
    message.lastSyncAttempt = Self.start
    message.computeNextSyncAttempt()
    let file = V2.AttachmentEntity(
      id: "a", type: .image, fileSize: 1, mimeType: "image/png", fileName: "p.png", createdAt: Self.start)
    file.remoteURL = "https://example.com/1"
    message.attachments = [file]
    kept.messages = [message]
    old.insert(kept)
    try old.save()

    let container = try SortedContainer.open(folder.store)
    #expect(container.migrations.flatMap(\.steps).map(\.isCustom) == [false, false, false, false])
    let context = ModelContext(container)
    let conversation = try #require(try context.fetch(FetchDescriptor<ConversationEntity>()).first)
    #expect(conversation.isKept && conversation.serverTime == 0 && !conversation.hasPendingFields)
    #expect(conversation.fieldTimes.isEmpty && conversation.pendingFields.isEmpty)
    let migrated = try #require(conversation.messages.first)
    #expect(migrated.text == "täxt" && migrated.nextSyncAttempt == Self.start.addingTimeInterval(1))
    #expect(migrated.pendingFields.isEmpty && migrated.editedAt == nil && migrated.serverTime == 0)
    #expect(migrated.attachments.map(\.remoteURL) == ["https://example.com/1"])
    #expect(try SyncStateEntity.of(context) == nil)
    #expect(try SortedContainer.open(folder.store).migrations.isEmpty)
  }

  @Test("A store of the third version opens with every row as it was, and its messages wait for the assistant")
  func thirdVersion() throws {
    let folder = try TemporaryFolder()
    let schema = Schema(versionedSchema: SortedSchemaV3.self)
    let old = ModelContext(
      try ModelContainer(for: schema, configurations: [ModelConfiguration(schema: schema, url: folder.store)]))
    let conversation = SortedSchemaV3.ConversationEntity(id: "c", participantIDs: ["u", "me"], createdAt: Self.start)
    let message = SortedSchemaV3.MessageEntity(
      id: "m", conversationID: "c", senderID: "u", text: "I love your video", createdAt: Self.start, status: .sent,
      syncStatus: .synced)
    message.category = .spam
    message.editedAt = Self.start
    conversation.messages = [message]
    old.insert(conversation)
    try old.save()

    let container = try SortedContainer.open(folder.store)
    #expect(container.migrations.flatMap(\.steps).map(\.isCustom) == [false, false, false])
    let context = ModelContext(container)
    let migrated = try #require(try context.fetch(FetchDescriptor<MessageEntity>()).first)
    #expect(migrated.text == "I love your video" && migrated.category == .spam && migrated.editedAt == Self.start)
    #expect(migrated.conversation?.id == "c" && migrated.assistVersion == 0)
    #expect(try AssistService(container: container).pendingCount() == 1)
    #expect(try SortedContainer.open(folder.store).migrations.isEmpty)
  }

  @Test("A store of the fourth version opens with every row as it was, and syncs with nobody's server")
  func fourthVersion() throws {
    let folder = try TemporaryFolder()
    let schema = Schema(versionedSchema: SortedSchemaV4.self)
    let old = ModelContext(
      try ModelContainer(for: schema, configurations: [ModelConfiguration(schema: schema, url: folder.store)]))
    let conversation = SortedSchemaV4.ConversationEntity(id: "c", participantIDs: ["u", "me"], createdAt: Self.start)
    conversation.pinnedMessageIDs = ["m"]
    let message = SortedSchemaV4.MessageEntity(
      id: "m", conversationID: "c", senderID: "u", text: "täxt", createdAt: Self.start, status: .sent,
      syncStatus: .synced)
    (message.reactions, message.assistVersion) = (["me": "👍"], 7)
    message.attachments = [
      SortedSchemaV4.AttachmentEntity(
        id: "a", type: .image, fileSize: 1, mimeType: "image/png", fileName: "p.png", createdAt: Self.start)
    ]
    conversation.messages = [message]
    old.insert(conversation)
    try old.save()

    let container = try SortedContainer.open(folder.store)
    #expect(container.migrations.flatMap(\.steps).map(\.isCustom) == [false, false])
    let context = ModelContext(container)
    let migrated = try #require(try context.fetch(FetchDescriptor<MessageEntity>()).first)
    #expect(migrated.text == "täxt" && migrated.reactions == ["me": "👍"] && migrated.assistVersion == 7)
    #expect(migrated.deliveredTo.isEmpty && migrated.conversation?.pinnedMessageIDs == ["m"])
    #expect(migrated.attachments.map(\.contents) == [nil])
    #expect(migrated.attachments.map(\.uploadStatus) == [.pending])
    #expect(try SharedInboxEntity.of(context) == nil)
  }

  @Test("A store of the fifth version opens with every row as it was, and nobody has left")
  func fifthVersion() throws {
    let folder = try TemporaryFolder()
    let schema = Schema(versionedSchema: SortedSchemaV5.self)
    let old = ModelContext(
      try ModelContainer(for: schema, configurations: [ModelConfiguration(schema: schema, url: folder.store)]))
    let conversation = SortedSchemaV5.ConversationEntity(id: "c", participantIDs: ["u", "me"], createdAt: Self.start)
    conversation.pinnedMessageIDs = ["m"]
    let message = SortedSchemaV5.MessageEntity(
      id: "m", conversationID: "c", senderID: "u", text: "täxt", createdAt: Self.start, status: .sent,
      syncStatus: .synced)
    message.deliveredTo = ["me"]
    let file = SortedSchemaV5.AttachmentEntity(
      id: "a", type: .image, fileSize: 1, mimeType: "image/png", fileName: "p.png", createdAt: Self.start)
    file.contents = Data([1])
    message.attachments = [file]
    conversation.messages = [message]
    old.insert(conversation)
    try old.save()

    let container = try SortedContainer.open(folder.store)
    #expect(container.migrations.flatMap(\.steps).map(\.isCustom) == [false])
    let context = ModelContext(container)
    let migrated = try #require(try context.fetch(FetchDescriptor<ConversationEntity>()).first)
    #expect(migrated.participantIDs == ["u", "me"] && migrated.pinnedMessageIDs == ["m"])
    #expect(migrated.departures.isEmpty && migrated.unpinnings.isEmpty)
    #expect(migrated.messages.map(\.deliveredTo) == [["me"]])
    #expect(migrated.messages.flatMap(\.attachments).map(\.contents) == [Data([1])])
    #expect(try SortedContainer.open(folder.store).migrations.isEmpty)
  }

  @Test("A new store is of the newest version, and the commands tell of a migration once")
  func program() throws {
    let folder = try TemporaryFolder()
    #expect(try SortedContainer.open(folder.store).migrations.isEmpty)
    let old = folder.url.appendingPathComponent("old.store")
    try fill(old, conversations: 1, messages: 3)
    let sorted = SortedProgram(dataHome: folder.url)
    let first = try sorted.run("list", "--store", old.path)
    #expect(first.status == 0)
    #expect(first.errors.contains("1.0.0 to 2.0.0"))
    #expect(first.errors.contains("2.0.0 to 3.0.0"))
    #expect(first.errors.contains("3.0.0 to 4.0.0"))
    #expect(first.errors.contains("4.0.0 to 5.0.0"))
    #expect(first.errors.contains("5.0.0 to 6.0.0"))
    let second = try sorted.run("list", "--store", old.path)
    #expect(second.errors.isEmpty)
    #expect(second.output == first.output)
  }
}
