import Foundation
import HTTPTypes
import Hummingbird
import Sorted
import SwiftData

/// The pictures that people show of themselves.
struct PictureController: Sendable {
  let site: Site

  /// As much as an uploaded picture may have.
  static let maximumBytes = 5 << 20

  /// Takes a picture from the settings, or removes the one that is there.
  func save(_ request: Request, _ context: WebContext) async throws -> Response {
    let (form, visit) = try await site.form(request, context)
    let isRemoval = try form.flag("remove")
    let stored = isRemoval ? nil : try await store(form)
    let old: String?
    do {
      old = try await site.write(visit.viewer) { access in
        let user = try access.user()
        let before = user.photoURL
        user.photoURL = stored.map { Picture.path + $0.id }
        user.updatedAt = Date()
        return before
      }
    } catch {
      site.files.discard([stored].compactMap { $0 })
      throw error
    }
    if let id = old.flatMap(Picture.id) { site.files.discard([id]) }
    return Pages.redirect("/settings?done=saved")
  }

  private func store(_ form: Form) async throws -> FileCabinet.Stored {
    guard let file = form.files.first else { throw PageError.invalid("Choose a picture.") }
    guard file.bytes.count <= Self.maximumBytes else { throw PageError.tooLarge(Self.maximumBytes) }
    guard try FileKind(file.bytes, name: file.name).type == .image else {
      throw PageError.invalid("That file is not a picture.")
    }
    let stored = try site.files.store([file])[0]
    // A square without the place and the time that a camera writes into it. Without libvips the style sheet crops it.
    guard let maker = VipsThumbnails(side: 256, isSquare: true) else { return stored }
    do {
      try await maker.thumbnail(of: stored.url).write(to: stored.url, options: .atomic)
    } catch {
      site.files.discard([stored])
      throw PageError.invalid("That file is not a picture.")
    }
    return stored
  }

  /// Serves a picture that a profile shows. It refuses other files of the folder, even to a client that knows their names.
  func show(_ request: Request, _ context: WebContext) async throws -> Response {
    let viewer = try context.signedIn().viewer
    let address = Picture.path + (try context.parameters.require("picture"))
    guard let id = Picture.id(address) else { throw PageError.notFound }
    let isShown = try await site.read(viewer) { access in
      try access.work.inbox.fetchCount(
        FetchDescriptor<UserEntity>(predicate: #Predicate { $0.photoURL == address })) > 0
    }
    guard isShown, let bytes = try? Data(contentsOf: site.files.folder.appendingPathComponent(id)) else {
      throw PageError.notFound
    }
    var headers = HTTPFields()
    headers[.contentType] = try FileKind(bytes, name: id).mimeType
    headers[.contentSecurityPolicy] = FilesController.policy
    // Another picture has another address.
    headers[.cacheControl] = "private, max-age=86400"
    return Response(status: .ok, headers: headers, body: .init(byteBuffer: ByteBuffer(bytes: bytes)))
  }
}
