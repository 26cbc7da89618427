import Foundation
import Sorted
import SwiftData

/// The folder of files that people attach. Names are the server's own; what a person called a file is only shown.
struct FileCabinet: Sendable {
  struct Stored: Sendable {
    let id: String
    let name: String
    let url: URL
    let size: Int
    let kind: FileKind

    var attachment: AttachmentEntity {
      AttachmentEntity(
        id: id, type: kind.type, localURL: url.absoluteString, fileSize: Int64(size), mimeType: kind.mimeType,
        fileName: name)
    }
  }

  let folder: URL
  private static let maximumFiles = 10
  private static let maximumName = 120

  /// - Throws: where the folder cannot be made.
  init(folder: URL) throws {
    self.folder = folder
    try FileManager.default.createDirectory(
      at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
  }

  /// Writes a little and takes it away, as a message would need room.
  /// - Throws: where nothing can be written, as on a full disk.
  func probe() throws {
    let file = folder.appendingPathComponent("probe-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: file) }
    try Data(count: 64 << 10).write(to: file)
  }

  /// Writes files, to be attached.
  /// - Throws: ``PageError`` for what is not taken; then nothing was written.
  func store(_ files: [Form.File]) throws -> [Stored] {
    guard files.count <= Self.maximumFiles else {
      throw PageError.invalid("A message takes \(Self.maximumFiles) files at most.")
    }
    let contents = try files.map { file in
      guard !file.bytes.isEmpty else { throw PageError.invalid("The file \(Self.safeName(file.name)) is empty.") }
      return try FileKind.contents(file.bytes, name: file.name)
    }
    var stored: [Stored] = []
    do {
      for (file, (bytes, kind)) in zip(files, contents) {
        let id = UUID().uuidString
        let url = folder.appendingPathComponent(id)
        stored.append(
          Stored(id: id, name: Self.safeName(file.name), url: url, size: bytes.count, kind: kind))
        try bytes.write(to: url, options: .atomic)
      }
    } catch {
      discard(stored)
      throw error
    }
    return stored
  }

  /// Copies the files of attachments, to be attached to another message. Those that this server does not have stay out.
  func copy(_ attachments: [AttachmentEntity]) throws -> [Stored] {
    try store(
      attachments.compactMap { attachment in
        (try? bytes(of: attachment)).map { Form.File(name: attachment.fileName, bytes: $0) }
      })
  }

  /// Takes back files that were not attached after all.
  func discard(_ files: [Stored]) {
    for file in files { try? FileManager.default.removeItem(at: file.url) }
  }

  /// Takes away the files of attachments that are gone, if this server has them.
  func discard(_ ids: [String]) {
    for id in ids where UUID(uuidString: id) != nil {
      for name in [id, Self.thumbnail(id)] {
        try? FileManager.default.removeItem(at: folder.appendingPathComponent(name))
      }
    }
  }

  /// The attachments of a store whose files are here.
  func used(_ context: ModelContext) throws -> Set<String> {
    let ids = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { UUID(uuidString: $0) != nil }
    guard !ids.isEmpty else { return [] }
    let found = try context.fetch(FetchDescriptor<AttachmentEntity>(predicate: #Predicate { ids.contains($0.id) }))
    return Set(found.map(\.id))
  }

  /// What the small picture of a file is called.
  static func thumbnail(_ id: String) -> String { "\(id).thumbnail" }

  /// The bytes of an attachment of this server, or of one that came with its file from another inbox.
  /// - Throws: ``PageError/notFound`` for a file that is elsewhere, whatever its attachment says.
  func bytes(of attachment: AttachmentEntity) throws -> Data {
    if let contents = attachment.contents { return contents }
    guard let url = place(of: attachment), let data = try? Data(contentsOf: url) else { throw PageError.notFound }
    return data
  }

  /// The first bytes of an attachment's file; nil if it is elsewhere.
  func head(of attachment: AttachmentEntity, _ count: Int) -> Data? {
    guard let url = place(of: attachment), let file = try? FileHandle(forReadingFrom: url) else { return nil }
    defer { try? file.close() }
    return try? file.read(upToCount: count)
  }

  /// Where an attachment's file is, if it is in this folder.
  func place(of attachment: AttachmentEntity) -> URL? {
    guard let localURL = attachment.localURL, let url = URL(string: localURL), url.isFileURL,
      url.standardizedFileURL.deletingLastPathComponent().path == folder.standardizedFileURL.path
    else { return nil }
    return url
  }

  /// What a file is called, without folders and without what moves letters about.
  static func safeName(_ name: String) -> String {
    let last = name.split { $0 == "/" || $0 == "\\" }.last.map(String.init) ?? ""
    let kept = last.unicodeScalars.filter { scalar in
      switch scalar.properties.generalCategory {
      case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse: false
      default: true
      }
    }
    let text = String(String.UnicodeScalarView(kept)).trimmingCharacters(in: .whitespaces.union(["."]))
    // A character may have any number of combining marks, so the name is cut between scalars.
    guard text.unicodeScalars.count > maximumName else { return text.isEmpty ? "file" : text }
    // The end says what it is, so it stays.
    let end = (text as NSString).pathExtension
    func cut(to count: Int) -> String { String(text.unicodeScalars.prefix(count)) }
    guard !end.isEmpty, end.unicodeScalars.count <= 16 else { return cut(to: maximumName) }
    return cut(to: maximumName - end.unicodeScalars.count - 1) + "." + end
  }
}

/// The kind of a file by its first bytes, whatever its name and the browser say.
struct FileKind: Hashable, Sendable {
  let type: AttachmentType
  let mimeType: String
  /// Whether a browser may show it in a page.
  private(set) var isShown: Bool

  private static let pictures: [(start: [UInt8], mimeType: String)] = [
    ([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A], "image/png"), ([0xFF, 0xD8, 0xFF], "image/jpeg"),
    (Array("GIF87a".utf8), "image/gif"), (Array("GIF89a".utf8), "image/gif"),
  ]
  /// By the end of the name: nothing here runs, and nothing is shown in a page.
  private static let documents = [
    "txt": "text/plain", "md": "text/markdown", "csv": "text/csv", "ics": "text/calendar", "json": "application/json",
    "rtf": "application/rtf", "doc": "application/msword",
    "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    "odt": "application/vnd.oasis.opendocument.text", "ods": "application/vnd.oasis.opendocument.spreadsheet",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
  ]

  /// Sound and moving pictures that browsers play.
  private static func media(_ bytes: Data, _ end: String) -> (AttachmentType, String)? {
    let kind = bytes.dropFirst(4)
    if kind.starts(with: Array("ftyp".utf8)) { return end == "m4a" ? (.audio, "audio/mp4") : (.video, "video/mp4") }
    if bytes.starts(with: [0x1A, 0x45, 0xDF, 0xA3]) { return (.video, "video/webm") }
    if bytes.starts(with: Array("OggS".utf8)) { return (.audio, "audio/ogg") }
    if bytes.starts(with: Array("ID3".utf8)) || bytes.starts(with: [0xFF, 0xFB]) { return (.audio, "audio/mpeg") }
    if bytes.starts(with: Array("RIFF".utf8)), bytes.dropFirst(8).starts(with: Array("WAVE".utf8)) {
      return (.audio, "audio/wav")
    }
    return nil
  }

  /// What the server keeps of a file that a person sent, and its kind. A picture is a ``CleanPicture``.
  /// - Throws: ``PageError`` for what is not taken.
  static func contents(_ bytes: Data, name: String) throws -> (bytes: Data, kind: FileKind) {
    let kind = try FileKind(bytes, name: name)
    guard kind.type == .image else { return (bytes, kind) }
    let picture = CleanPicture(bytes, kind)
    guard picture.pixels <= CleanPicture.maximumPixels else {
      let (size, limit) = (picture.pixels / 1_000_000, CleanPicture.maximumPixels / 1_000_000)
      throw PageError(
        .contentTooLarge, "Too many pixels", "This picture has \(size) megapixels. The server takes \(limit) at most.")
    }
    return (picture.bytes, kind)
  }

  /// What the server serves of a file that it has. A file that came from another inbox, or was stored by an earlier version, is
  /// not clean yet, and a picture may have too many pixels. Such a picture can be downloaded and is not shown.
  /// - Throws: ``PageError`` for what is not taken.
  static func served(_ bytes: Data, name: String) throws -> (bytes: Data, kind: FileKind) {
    var kind = try FileKind(bytes, name: name)
    guard kind.type == .image else { return (bytes, kind) }
    let picture = CleanPicture(bytes, kind)
    if picture.pixels > CleanPicture.maximumPixels { kind.isShown = false }
    return (picture.bytes, kind)
  }

  /// - Throws: ``PageError`` for what is not taken.
  init(_ bytes: Data, name: String) throws {
    let end = (name as NSString).pathExtension.lowercased()
    if let picture = Self.pictures.first(where: { bytes.starts(with: $0.start) }) {
      (type, mimeType, isShown) = (.image, picture.mimeType, true)
    } else if bytes.starts(with: Array("RIFF".utf8)), bytes.dropFirst(8).starts(with: Array("WEBP".utf8)) {
      (type, mimeType, isShown) = (.image, "image/webp", true)
    } else if bytes.starts(with: Array("%PDF-".utf8)) {
      (type, mimeType, isShown) = (.document, "application/pdf", false)
    } else if let (type, mimeType) = Self.media(bytes, end) {
      (self.type, self.mimeType, isShown) = (type, mimeType, true)
    } else if let document = Self.documents[end] {
      (type, mimeType, isShown) = (.document, document, false)
    } else if bytes.starts(with: [0x50, 0x4B, 0x03, 0x04]) {
      (type, mimeType, isShown) = (.document, "application/zip", false)
    } else {
      throw PageError(
        .unsupportedMediaType, "Not that kind of file",
        "Pictures (PNG, JPEG, GIF, WebP), video, sound, PDF, texts, office documents and ZIP archives can be attached.")
    }
  }
}
