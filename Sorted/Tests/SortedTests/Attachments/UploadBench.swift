import FirestoreClient
import FirestoreProtocol
import FirestoreServer
import Foundation
import Sorted
import SwiftData
import Synchronization
import Testing

/// A store with attachments, their files, a server, and a network between that fails as a test says.
final class UploadBench: Sendable {
  static let chunk = 256 * 1_024

  let container: ModelContainer
  let folder: URL
  let storage: FaultyStorage
  private let clock = Mutex(Date(timeIntervalSince1970: 1_700_000_000))
  private let fractions = Mutex<[Double]>([])

  init(_ folder: URL, _ storage: FirebaseStorage) throws {
    self.folder = folder
    self.storage = FaultyStorage(storage)
    container = try SortedContainer.open(folder.appendingPathComponent("sorted.store"))
  }

  /// Runs a test against a server of its own.
  static func run(_ body: (UploadBench) async throws -> Void) async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("Uploads-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let server = try FirestoreServer(store: nil, port: 0)
    let (ports, opened) = AsyncStream.makeStream(of: Int.self)
    let running = Task {
      defer { opened.finish() }
      try await server.run(signals: false) { opened.yield($0) }
    }
    defer { running.cancel() }
    var iterator = ports.makeAsyncIterator()
    let port = try #require(await iterator.next(), "the server did not start")
    try await body(
      try UploadBench(
        folder,
        FirebaseStorage(
          bucket: "b", timeout: .minutes(20), environment: ["FIREBASE_STORAGE_EMULATOR_HOST": "127.0.0.1:\(port)"])))
  }

  /// A new one knows only what the store knows, as after a crash.
  func service(
    limits: AttachmentLimits = .standard, thumbnails: (any ThumbnailMaker)? = nil
  ) -> AttachmentUploadService {
    AttachmentUploadService(
      modelContainer: container, storage: storage, limits: limits, chunkSize: Self.chunk, thumbnails: thumbnails,
      environment: SyncEnvironment(now: { self.clock.withLock { $0 } }, random: { 0 }),
      onProgress: { progress in self.fractions.withLock { $0.append(progress.fraction) } })
  }

  var progress: [Double] { fractions.withLock { $0 } }
  func pass(seconds: TimeInterval) { clock.withLock { $0 += seconds } }

  // MARK: - Attachments

  func url(_ id: String) -> URL { folder.appendingPathComponent("file " + id) }
  func name(_ id: String) -> String { "attachments/\(id)/file \(id)" }
  func data(_ count: Int) -> Data { Data((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }) }

  func attach(
    _ id: String, bytes: Int, type: AttachmentType = .document, mimeType: String = "text/plain"
  ) throws {
    try data(bytes).write(to: url(id))
    let context = ModelContext(container)
    context.insert(
      AttachmentEntity(
        id: id, type: type, localURL: url(id).path, fileSize: Int64(bytes), mimeType: mimeType, fileName: "file \(id)"))
    try context.save()
  }

  func delete(_ id: String) throws {
    let context = ModelContext(container)
    try context.delete(model: AttachmentEntity.self, where: #Predicate { $0.id == id })
    try context.save()
  }

  func stored(_ id: String) throws -> (AttachmentEntity, AttachmentUploadEntity?) {
    let context = ModelContext(container)
    let attachment = try context.fetch(FetchDescriptor<AttachmentEntity>(predicate: #Predicate { $0.id == id })).first
    let record = try context.fetch(
      FetchDescriptor<AttachmentUploadEntity>(predicate: #Predicate { $0.attachmentID == id })
    ).first
    return (try #require(attachment), record)
  }
}
