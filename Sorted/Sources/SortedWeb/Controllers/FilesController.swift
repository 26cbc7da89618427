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
    try await response(try await found(context), context)
  }

  func thumbnail(_ request: Request, _ context: WebContext) async throws -> Response {
    let file = try await found(context)
    guard file.kind.type == .image else { throw PageError.notFound }
    guard file.kind.isShown, let small = await Thumbnails.shared.thumbnail(of: file.id, in: site.files) else {
      return try await response(file, context)
    }
    let kind = try FileKind(small, name: "")
    return try await response(File(id: file.id, name: file.name, contents: .copy(small, nil), kind: kind), context)
  }

  private struct File: Sendable {
    let id: String
    let name: String
    let contents: Contents
    let kind: FileKind
  }

  private enum Contents: Sendable {
    /// In the folder, as it is served.
    case stored(URL)
    /// In memory, and what it takes of ``Site/copies``.
    case copy(Data, TransferLimit.Place?)
  }

  private func found(_ context: WebContext) async throws -> File {
    let viewer = try context.signedIn().viewer
    let id = try context.id("file")
    let (files, copies) = (site.files, site.copies)
    return try await site.read(viewer) { access in
      let attachment = try access.attachment(id)
      let name = FileCabinet.safeName(attachment.fileName)
      let url = attachment.contents == nil ? files.place(of: attachment) : nil
      // The first bytes say what it is. Only a picture may have to be changed before it is served.
      if let url, let head = files.head(of: attachment, 64), !head.isEmpty {
        let kind = try FileKind(head, name: attachment.fileName)
        if kind.type != .image { return File(id: id, name: name, contents: .stored(url), kind: kind) }
      }
      let bytes = try files.bytes(of: attachment)
      let (data, kind) = try FileKind.served(bytes, name: attachment.fileName)
      if let url, data == bytes { return File(id: id, name: name, contents: .stored(url), kind: kind) }
      return File(
        id: id, name: name, contents: .copy(data, try copies.take(viewer.userID, data.count)), kind: kind)
    }
  }

  private func response(_ file: File, _ context: WebContext) async throws -> Response {
    var headers = HTTPFields()
    headers[.contentType] = file.kind.isShown ? file.kind.mimeType : "application/octet-stream"
    let name = file.name.addingPercentEncoding(withAllowedCharacters: .alphanumerics.union(["."])) ?? "file"
    headers[.contentDisposition] = "\(file.kind.isShown ? "inline" : "attachment"); filename*=UTF-8''\(name)"
    headers[.contentSecurityPolicy] = Self.policy
    headers[.cacheControl] = "private, max-age=3600"
    return Response(status: .ok, headers: headers, body: try await body(file.contents, context))
  }

  /// A client that reads slowly keeps its place until it has all.
  private func body(_ contents: Contents, _ context: WebContext) async throws -> ResponseBody {
    switch contents {
    case .stored(let url):
      let place = try site.downloads.take(try context.signedIn().viewer.userID)
      let file = try await FileIO().loadFile(path: url.path, context: context)
      return ResponseBody(contentLength: file.contentLength) { writer in
        defer { withExtendedLifetime(place) {} }
        try await file.write(writer)
      }
    case .copy(let data, let place):
      let buffer = ByteBuffer(bytes: data)
      return ResponseBody(contentLength: data.count) { writer in
        defer { withExtendedLifetime(place) {} }
        try await writer.write(buffer)
        try await writer.finish(nil)
      }
    }
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
