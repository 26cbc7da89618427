import Crypto
import FirestoreProtocol
import Foundation
import SwiftData

/// The files of the server: metadata in the store, bytes in a folder.
///
/// Bytes are written before their metadata, and removed after them. The next ``init(modelContainer:folder:)`` removes
/// what a crash left.
actor FileStore: ModelActor {
  nonisolated let modelContainer: ModelContainer
  nonisolated let modelExecutor: any ModelExecutor
  private let folder: URL

  /// The lifetime of an upload in microseconds: a week, as at Google.
  private static let maximumAge: Int64 = 7 * 86_400 * 1_000_000

  /// - Throws: `SwiftDataError`, or an error if the folder cannot be created or read.
  init(modelContainer: ModelContainer, folder: URL) throws {
    let context = ModelContext(modelContainer)
    self.modelContainer = modelContainer
    self.modelExecutor = DefaultSerialModelExecutor(modelContext: context)
    self.folder = folder
    try Self.sweep(context, folder)
  }

  private static func sweep(_ context: ModelContext, _ folder: URL) throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let oldest = FirestoreTimestamp(Date()).microseconds - maximumAge
    try context.delete(model: StoredUpload.self, where: #Predicate { $0.createTime < oldest })
    try context.save()
    var known = Set(try context.fetch(FetchDescriptor<StoredFile>()).map(\.content))
    known.formUnion(try context.fetch(FetchDescriptor<StoredUpload>()).map(\.id))
    for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) where !known.contains(name) {
      try FileManager.default.removeItem(at: folder.appendingPathComponent(name))
    }
  }

  /// Names are distinguished by their bytes. A bucket contains no slash.
  static func key(_ bucket: String, _ name: String) -> String { DocumentName.key(of: bucket + "/" + name) }

  // MARK: - Uploads

  /// - Returns: the upload's identifier.
  func begin(_ bucket: String, _ name: String, contentType: String, length: Int64?) throws -> String {
    let upload = StoredUpload(
      id: RandomName.make(), bucket: bucket, name: name, contentType: contentType, length: length,
      time: FirestoreTimestamp(Date()).microseconds)
    guard FileManager.default.createFile(atPath: url(upload.id).path, contents: nil) else {
      throw FirestoreError(.unavailable, "the server cannot write into its folder")
    }
    modelContext.insert(upload)
    try save()
    return upload.id
  }

  /// - Throws: ``FirestoreError`` with status `notFound`.
  func name(ofUpload id: String) throws -> String { try upload(id).name }

  /// - Throws: ``FirestoreError`` with status `notFound`.
  func state(_ id: String) throws -> UploadState {
    try upload(id).isFinished ? .finished : .active(received: try received(id))
  }

  /// Appends bytes. Writes nothing if the offset is not the end.
  func append(_ bytes: Data, at offset: Int64, to id: String) throws {
    let upload = try upload(id)
    let received = try received(id)
    guard !upload.isFinished, offset == received else {
      throw FirestoreError(.invalidArgument, "the upload has \(received) bytes; a chunk at \(offset) does not fit")
    }
    if let length = upload.length, Int64(bytes.count) > length - received {
      throw FirestoreError(.invalidArgument, "the upload was begun for \(length) bytes, and this is more")
    }
    let file = try FileHandle(forWritingTo: url(id))
    defer { try? file.close() }
    try file.seekToEnd()
    do {
      try file.write(contentsOf: bytes)
    } catch {
      // A full disk may leave a part of the chunk.
      try file.truncate(atOffset: UInt64(offset))
      throw FirestoreError(.unavailable, "the server cannot write the chunk: \(error.localizedDescription)")
    }
  }

  /// Turns an upload into a file, and replaces an existing file with that name. Does nothing for a finished upload.
  func finish(_ id: String) throws -> RemoteFile {
    let upload = try upload(id)
    if upload.isFinished { return try file(upload.bucket, upload.name) }
    let received = try received(id)
    if let length = upload.length, length != received {
      throw FirestoreError(.invalidArgument, "the upload was begun for \(length) bytes, and \(received) are there")
    }
    let made = StoredFile(
      upload, size: received, md5: try md5(id), time: FirestoreTimestamp(Date()).microseconds)
    let replaced = try stored(upload.bucket, upload.name)
    let leftOver = replaced?.content
    if let replaced { modelContext.delete(replaced) }
    modelContext.insert(made)
    upload.isFinished = true
    try save()
    if let leftOver, leftOver != id { removeContent(leftOver) }
    return made.description
  }

  func cancel(_ id: String) throws {
    let upload = try upload(id)
    guard !upload.isFinished else { throw FirestoreError(.failedPrecondition, "the upload is finished") }
    modelContext.delete(upload)
    try save()
    removeContent(id)
  }

  private func upload(_ id: String) throws -> StoredUpload {
    let found = try modelContext.fetch(FetchDescriptor<StoredUpload>(predicate: #Predicate { $0.id == id })).first
    guard let found else { throw FirestoreError(.notFound, "There is no upload \(id).") }
    return found
  }

  private func received(_ id: String) throws -> Int64 {
    let attributes = try FileManager.default.attributesOfItem(atPath: url(id).path)
    return (attributes[.size] as? NSNumber)?.int64Value ?? 0
  }

  private func md5(_ id: String) throws -> String {
    let file = try FileHandle(forReadingFrom: url(id))
    defer { try? file.close() }
    var hash = Insecure.MD5()
    while let bytes = try file.read(upToCount: 1 << 20), !bytes.isEmpty { hash.update(data: bytes) }
    return Data(hash.finalize()).base64EncodedString()
  }

  // MARK: - Files

  /// - Throws: ``FirestoreError`` with status `notFound`.
  func file(_ bucket: String, _ name: String) throws -> RemoteFile { try existing(bucket, name).description }

  /// - Throws: ``FirestoreError`` with status `notFound`.
  func contents(_ bucket: String, _ name: String) throws -> (RemoteFile, Data) {
    let file = try existing(bucket, name)
    return (file.description, try Data(contentsOf: url(file.content)))
  }

  /// - Throws: ``FirestoreError`` with status `notFound`.
  func delete(_ bucket: String, _ name: String) throws {
    let file = try existing(bucket, name)
    let content = file.content
    modelContext.delete(file)
    try save()
    removeContent(content)
  }

  private func existing(_ bucket: String, _ name: String) throws -> StoredFile {
    guard let file = try stored(bucket, name) else {
      throw FirestoreError(.notFound, "There is no file \(name) in \(bucket).")
    }
    return file
  }

  private func stored(_ bucket: String, _ name: String) throws -> StoredFile? {
    let key = Self.key(bucket, name)
    return try modelContext.fetch(FetchDescriptor<StoredFile>(predicate: #Predicate { $0.key == key })).first
  }

  private func url(_ content: String) -> URL { folder.appendingPathComponent(content) }

  private func save() throws {
    do {
      try modelContext.save()
    } catch {
      modelContext.rollback()
      throw error
    }
  }

  /// If this fails, the next start removes it.
  private func removeContent(_ content: String) { try? FileManager.default.removeItem(at: url(content)) }
}
