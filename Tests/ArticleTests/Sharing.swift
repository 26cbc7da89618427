#if Sync
  import Foundation
  import SwiftData
  import SwiftDataSync

  // The code of the article needs a server with two accounts, so it is only compiled. `SharingOverHTTPTests` runs the same calls.

  private enum Chat {
    @Model final class Playlist {
      var title: String = ""
      init() {}
    }

    @Model final class Conversation {
      var isPinned: Bool = false
      init() {}
    }

    @Model final class Message {
      var uploadProgress: Double = 0
      init() {}
    }

    @Model final class UploadJob {
      var file: String = ""
      init() {}
    }
  }

  private typealias Conversation = Chat.Conversation
  private typealias Message = Chat.Message
  private typealias UploadJob = Chat.UploadJob

  private func owner(container: ModelContainer, playlist: Chat.Playlist) async throws -> String {
    let engine = container.syncEngines[0]
    let share = try await engine.share(playlist.persistentModelID, title: "Road trip")
    try await engine.invite("bob", to: share.id, permission: .readWrite)
    let link = try await engine.makeLink(to: share.id)  // read-only by default
    return link
  }

  private func participant(engine: SyncEngine, link: String) async throws {
    for offer in try await engine.shares() where !offer.hasAccepted { _ = try await engine.accept(offer.id) }
    _ = try await engine.accept(link: link)
  }

  private func scopes() throws {
    try SyncRemote.register(
      "iCloud.com.example.chat",
      scopes: [.account(\Conversation.isPinned), .device(\Message.uploadProgress), .device(UploadJob.self)])
  }
#endif
