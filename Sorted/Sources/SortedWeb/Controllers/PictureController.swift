import Foundation
import HTTPTypes
import Hummingbird
import Sorted
import SwiftData

/// The pictures that people show of themselves.
struct PictureController: Sendable {
  let site: Site

  /// Takes a picture from the settings, or removes the one that is there.
  func save(_ request: Request, _ context: WebContext) async throws -> Response {
    let (form, visit) = try await site.form(request, context)
    let (user, pictures) = (visit.viewer.userID, site.pictures)
    let stored = try form.flag("remove") ? nil : try await store(form, of: user)
    let old = try await site.write(visit.viewer) { access in
      access.work.ifRefused { pictures.discard(stored, of: user) }
      let user = try access.user()
      let before = user.photoURL
      user.photoURL = stored
      user.updatedAt = Date()
      return before
    }
    pictures.discard(old, of: user)
    return Pages.redirect("/settings?done=saved")
  }

  private func store(_ form: Form, of user: String) async throws -> String {
    guard let file = form.files.first else { throw PageError.invalid("Choose a picture.") }
    return try site.pictures.store(try await site.pictures.cropped(file), of: user)
  }

  /// Serves a picture that a profile shows. It refuses other files of the folder, even to a client that knows their names.
  func show(_ request: Request, _ context: WebContext) async throws -> Response {
    let viewer = try context.signedIn().viewer
    let address = PictureCabinet.path + (try context.parameters.require("picture"))
    let owners = try await site.read(viewer) { access in
      try access.work.inbox.fetch(FetchDescriptor<UserEntity>(predicate: #Predicate { $0.photoURL == address }))
        .map(\.id)
    }
    guard let bytes = owners.lazy.compactMap({ site.pictures.bytes(address, of: $0) }).first else {
      throw PageError.notFound
    }
    return try Self.response(bytes)
  }

  /// Serves the picture of another server that a conversation names.
  func showOfConversation(_ request: Request, _ context: WebContext) async throws -> Response {
    let id = try context.id("conversation")
    return try await showForeign(context) { try $0.conversation(id).avatarURL }
  }

  /// Serves the picture of another server that a profile names, to people who share a conversation with its person.
  func showOfPerson(_ request: Request, _ context: WebContext) async throws -> Response {
    let id = try context.id("person")
    return try await showForeign(context) { access in
      let inbox = access.work.inbox
      guard try inbox.fetchCount(FetchDescriptor(predicate: access.conversations(with: id))) > 0 else { return nil }
      return try inbox.fetch(FetchDescriptor<UserEntity>(predicate: #Predicate { $0.id == id })).first?.photoURL
    }
  }

  /// Answers with 204 if there is no picture, or if the reader does not allow the server to fetch links.
  private func showForeign(
    _ context: WebContext, _ link: @escaping @Sendable (Access) throws -> String?
  ) async throws -> Response {
    let viewer = try context.signedIn().viewer
    let found = try await site.read(viewer) { access in
      try Look(access.work, viewer.userID).showsLinkPreviews ? try link(access) : nil
    }
    guard let found, ForeignPicture.isForeign(found) else { return Response(status: .noContent) }
    let picture = try await ForeignPicture(link: found, folder: site.pictures.folder).bytes {
      try site.fetches.admit(viewer.userID)
      return try? await site.pictures.cropped(Form.File(name: "", bytes: try await site.fetcher.picture(found)))
    }
    return try picture.map(Self.response) ?? Response(status: .noContent)
  }

  private static func response(_ picture: Data) throws -> Response {
    var headers = HTTPFields()
    headers[.contentType] = try FileKind(picture, name: "").mimeType
    headers[.contentSecurityPolicy] = FilesController.policy
    // Another picture has another address.
    headers[.cacheControl] = "private, max-age=86400"
    return Response(status: .ok, headers: headers, body: .init(byteBuffer: ByteBuffer(bytes: picture)))
  }
}
