import Foundation
import Sorted
import SortedWeb
import SwiftData

/// The stores and the files of a web server, with something for each route. Everything has a fixed name, so that an input can name it.
struct WebWorld {
  let inbox: ModelContainer
  let own: ModelContainer
  let options: WebOptions
  private let folder: URL
  /// The newest saves of the two stores after they were filled.
  private var filledInbox: DefaultHistoryToken?
  private var filledOwn: DefaultHistoryToken?

  /// The cookies of the owner and of ann. Each has another session too.
  static let cookies = [
    "me": "J0TM0Qx1M71zatiQ-d1cqyrbJ7B9UAuUk_Kc3EIMsuA", "ann": "SZFeDX1LQC4wF9AQvBwOg8rGx5fWwW5mNA_jJoaTpqE",
  ]
  private static let sessions = [
    "me": ["bcxUOdaRIt_s9QO4GzahOkEgvYVIz-VzFLiWAP7OCAc", "oK4_j9opSFgIgAlBdeuGjRcoaVjCKzlldmR-Awvni9A"],
    "ann": ["SD1k_gUuyNqKQaT2rhDDYfrMj5wiwBIJarPYMEmiDlY", "bMhbIQqaNXcdOrjh1YZXR7RNP9nTD1aMVlZhpZPRu70"],
  ]
  /// All requests come through a proxy, which says whose they are.
  static let proxy = "10.0.0.1"
  /// The hash of `correct horse`, with few rounds.
  private static let passwordHash = "scrypt$2$8$MDEyMzQ1Njc4OWFiY2RlZg==$i72ACQO5TM8Kytco55dBeRZj8nZEvu8KQilylloNY34="
  private static let file = "AAAAAAAA-0000-4000-8000-000000000001"
  /// The name of a picture begins with a digest of its owner, `me`.
  private static let picture = "J0TM0Qx1M71zatiQ-d1cqy.AAAAAAAA-0000-4000-8000-000000000002"
  /// With the secret `fuzz`, its link is `eu4grQkNSc7JIGjb-0pGCbbBQTXa11WY0sdRj4wAcKc.aW52aXRlZDpndWVzdDox`.
  private static let invitation = "invited:guest:1"
  /// A pixel.
  private static let pixel =
    Data(
      base64Encoded: "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==")
    ?? Data()

  init() throws {
    inbox = try SortedContainer.inMemory()
    own = try WebSchema.inMemory()
    folder = FileManager.default.temporaryDirectory.appendingPathComponent("fuzz-web-\(UUID().uuidString)")
    var options = WebOptions(
      hasAccounts: true, files: folder, maximumUpload: 1 << 16, trustedProxies: [Self.proxy], burst: 1_000_000)
    // The cost of a password would be most of a run.
    options.passwordRounds = 2
    self.options = options
    let context = ModelContext(own)
    let site = SiteEntity()
    site.secret = "fuzz"
    context.insert(site)
    try context.save()
  }

  /// Makes everything as it was at the beginning.
  mutating func fill() throws {
    try fillInbox()
    try fillOwn()
  }

  /// Makes what a request changed as it was.
  mutating func fillIfChanged() throws {
    if try ModelContext(inbox).currentHistoryToken() != filledInbox { try fillInbox() }
    if try ModelContext(own).currentHistoryToken() != filledOwn { try fillOwn() }
  }

  private mutating func fillInbox() throws {
    let context = ModelContext(inbox)
    for type in SortedSchemaV6.models { try Self.clear(type, context) }
    let talk = ConversationEntity(
      id: "c", participantIDs: ["me", "ann", Self.invitation], displayName: "Talk", isGroup: true)
    talk.avatarURL = "https://example.org/picture.png"
    context.insert(talk)
    for (number, sender) in ["me", "ann", "me", "me"].enumerated() {
      let message = MessageEntity(
        id: "m\(number + 1)", conversationID: "c", senderID: sender,
        text: "*message* \(number + 1) https://example.org/\(number)", createdAt: Self.time(number),
        status: number == 3 ? .sending : .sent, syncStatus: number == 3 ? .failed : .synced)
      talk.messages.append(message)
      talk.updateWithMessage(message)
    }
    talk.messages[0].attachments = [
      AttachmentEntity(
        id: Self.file, type: .image, localURL: folder.appendingPathComponent(Self.file).absoluteString,
        fileSize: Int64(Self.pixel.count), mimeType: "image/png", fileName: "a.png")
    ]
    let users = [("me", "a", "/pictures/\(Self.picture)"), ("ann", "b", "https://example.org/ann.png")]
    for (id, answer, picture) in users {
      let user = UserEntity(id: id, email: "", displayName: id, photoURL: picture)
      user.faqs = [FAQEntity(id: answer, category: .other, questionPattern: "What?", answer: "That.")]
      context.insert(user)
    }
    try context.save()
    try context.deleteHistory(HistoryDescriptor<DefaultHistoryTransaction>())
    try fillFolder()
    filledInbox = try ModelContext(inbox).currentHistoryToken()
  }

  private mutating func fillOwn() throws {
    let context = ModelContext(own)
    for type in WebSchema.models where type != SiteEntity.self { try Self.clear(type, context) }
    for (user, digests) in Self.sessions {
      context.insert(AccountEntity(userID: user, passwordHash: Self.passwordHash))
      context.insert(PlaceEntity(userID: user, conversationID: "c"))
      for digest in digests {
        context.insert(
          SessionEntity(tokenDigest: digest, userID: user, isOwner: user == "me", expiresAt: .distantFuture))
      }
    }
    let invitation = InvitationEntity(inviterID: "me", name: "guest", conversationID: "c")
    invitation.id = Self.invitation
    context.insert(invitation)
    context.insert(HiddenMessageEntity(userID: "me", conversationID: "c", messageID: "m3"))
    let look = LookEntity(userID: "me")
    look.showsLinkPreviews = true
    context.insert(look)
    // Without the network, what was fetched before is all that a preview shows.
    context.insert(
      LinkPreviewEntity(
        link: "https://example.org/0", title: "Example", summary: "Words", site: "example.org", fetchedAt: Date()))
    try context.save()
    try context.deleteHistory(HistoryDescriptor<DefaultHistoryTransaction>())
    filledOwn = try ModelContext(own).currentHistoryToken()
  }

  private func fillFolder() throws {
    let files = FileManager.default
    for name in try files.contentsOfDirectory(atPath: folder.path) where name != Self.file && name != "pictures" {
      try files.removeItem(at: folder.appendingPathComponent(name))
    }
    let pictures = folder.appendingPathComponent("pictures")
    for name in try files.contentsOfDirectory(atPath: pictures.path) where name != Self.picture {
      try files.removeItem(at: pictures.appendingPathComponent(name))
    }
    for place in [folder.appendingPathComponent(Self.file), pictures.appendingPathComponent(Self.picture)]
    where !files.fileExists(atPath: place.path) { try Self.pixel.write(to: place) }
  }

  /// Minutes of a fixed day.
  private static func time(_ minute: Int) -> Date { Date(timeIntervalSince1970: 1_767_225_600 + Double(minute) * 60) }

  private static func clear<T: PersistentModel>(_ type: T.Type, _ context: ModelContext) throws {
    try context.delete(model: type)
  }
}
