import Foundation
import HTTPTypes
import Hummingbird
import Sorted

/// The files that people attached.
struct FilesController: Sendable {
  let site: Site

  /// What a file may do in a browser: nothing.
  static let policy = "default-src 'none'; sandbox"

  func file(_ request: Request, _ context: WebContext) async throws -> Response {
    Self.response(try await found(context), request)
  }

  func thumbnail(_ request: Request, _ context: WebContext) async throws -> Response {
    let file = try await found(context)
    guard file.kind.type == .image else { throw PageError.notFound }
    guard file.kind.isShown, let small = await Thumbnails.shared.thumbnail(of: file.id, in: site.files) else {
      return Self.response(file, request)
    }
    let kind = try FileKind(small, name: "")
    return Self.response(File(id: file.id, name: file.name, bytes: small, kind: kind), request)
  }

  private struct File: Sendable {
    let id: String
    let name: String
    let bytes: Data
    let kind: FileKind
  }

  private func found(_ context: WebContext) async throws -> File {
    let viewer = try context.signedIn().viewer
    let id = try context.id("file")
    let files = site.files
    return try await site.read(viewer) { access in
      let attachment = try access.attachment(id)
      let (data, kind) = try FileKind.served(try files.bytes(of: attachment), name: attachment.fileName)
      return File(id: id, name: FileCabinet.safeName(attachment.fileName), bytes: data, kind: kind)
    }
  }

  private static func response(_ file: File, _ request: Request) -> Response {
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

  /// - Returns: nil if no thumbnail can be made.
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
