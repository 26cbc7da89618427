import Foundation
import HTTPTypes
import Hummingbird
import Sorted

extension Site {
  /// What a file may do in a browser: nothing.
  private static let policy = "default-src 'none'; sandbox"

  func addFiles(to router: Router<WebContext>) {
    router.get("files/:file") { _, context in
      let file = try await file(context) { try files.bytes($0) }
      return Self.response(file)
    }
    router.get("files/:file/thumbnail") { _, context in
      let file = try await file(context) { try files.bytes($0) }
      guard file.kind.isShown else { throw PageError.notFound }
      guard let small = await Thumbnails.shared.thumbnail(of: file.id, in: files) else { return Self.response(file) }
      return Self.response(File(id: file.id, name: file.name, bytes: small, kind: try FileKind(small, name: "")))
    }
  }

  private struct File: Sendable {
    let id: String
    let name: String
    let bytes: Data
    let kind: FileKind
  }

  private func file(_ context: WebContext, _ bytes: @escaping @Sendable (String?) throws -> Data) async throws -> File {
    let viewer = try context.signedIn().viewer
    let id = try Slug.decode(try context.parameters.require("file"))
    return try await read(viewer) { access in
      let attachment = try access.attachment(id)
      let data = try bytes(attachment.localURL)
      return File(
        id: id, name: FileCabinet.safeName(attachment.fileName), bytes: data,
        kind: try FileKind(data, name: attachment.fileName))
    }
  }

  private static func response(_ file: File) -> Response {
    var headers = HTTPFields()
    headers[.contentType] = file.kind.isShown ? file.kind.mimeType : "application/octet-stream"
    let name = file.name.addingPercentEncoding(withAllowedCharacters: .alphanumerics.union(["."])) ?? "file"
    headers[.contentDisposition] = "\(file.kind.isShown ? "inline" : "attachment"); filename*=UTF-8''\(name)"
    headers[.contentSecurityPolicy] = policy
    headers[.cacheControl] = "private, max-age=3600"
    return Response(status: .ok, headers: headers, body: .init(byteBuffer: ByteBuffer(bytes: file.bytes)))
  }
}

/// Small pictures of large ones, made once, one at a time.
actor Thumbnails {
  static let shared = Thumbnails()

  private let maker = VipsThumbnails(side: 480)

  /// - Returns: nil where none can be made.
  func thumbnail(of id: String, in files: FileCabinet) async -> Data? {
    let kept = files.folder.appendingPathComponent(FileCabinet.thumbnail(id))
    if let data = try? Data(contentsOf: kept) { return data }
    guard let maker, let data = try? await maker.thumbnail(of: files.folder.appendingPathComponent(id)) else {
      return nil
    }
    // Where it cannot be kept it is made again.
    try? data.write(to: kept, options: .atomic)
    return data
  }
}
