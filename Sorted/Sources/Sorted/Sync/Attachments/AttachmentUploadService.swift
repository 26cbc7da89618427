public import FirestoreClient
public import Foundation
public import SwiftData

/// Sends the files of attachments to a ``RemoteStorage``, each on from where it stopped.
///
/// How far an upload has come is in the store (``AttachmentUploadEntity``) before the next chunk goes out, so whatever ends
/// the process loses one chunk at most, and the remote is asked for what it has. A file is checked against the MD5 that
/// the remote computed. After three failures without a byte in between, or one that does not go away, the attachment is
/// failed with its reason until ``retry(_:)``; before that it waits 1, 2, 4 s.
public actor AttachmentUploadService: ModelActor {
  /// How far an upload has come.
  public struct Progress: Hashable, Sendable {
    /// Of the attachment.
    public let attachmentID: String
    /// 0...1
    public let fraction: Double
  }

  /// What one run did.
  public struct Summary: Hashable, Sendable {
    /// The identifiers of the attachments whose files are there now.
    public var completed: [String] = []
    /// Those that will not be tried again by themselves.
    public var failed: [String] = []
    /// Those that will.
    public var waiting: [String] = []

    /// Makes a summary of nothing.
    public init() {}
  }

  public nonisolated let modelContainer: ModelContainer
  public nonisolated let modelExecutor: any ModelExecutor
  private let storage: any RemoteStorage
  private let limits: AttachmentLimits
  private let chunkSize: Int
  private let thumbnails: (any ThumbnailMaker)?
  private let environment: SyncEnvironment
  private let onProgress: @Sendable (Progress) -> Void
  private var running: [String: Task<Void, any Error>] = [:]
  private static let maximumFailures = 3

  /// Makes a service.
  /// - Parameters:
  ///   - chunkSize: in bytes; taken down to a multiple of 256 KiB, and one at least. Memory grows with it.
  ///   - thumbnails: makes small pictures of images, which are uploaded beside them; nil makes none.
  ///   - onProgress: called after each chunk, on no particular thread.
  public init(
    modelContainer: ModelContainer, storage: any RemoteStorage, limits: AttachmentLimits = .standard,
    chunkSize: Int = 1 << 20, thumbnails: (any ThumbnailMaker)? = nil, environment: SyncEnvironment = SyncEnvironment(),
    onProgress: @escaping @Sendable (Progress) -> Void = { _ in }
  ) {
    let context = ModelContext(modelContainer)
    self.modelContainer = modelContainer
    modelExecutor = DefaultSerialModelExecutor(modelContext: context)
    self.storage = storage
    self.limits = limits
    // Google takes multiples of this only, except for the last chunk.
    let granularity = 256 * 1_024
    self.chunkSize = max(1, chunkSize / granularity) * granularity
    self.thumbnails = thumbnails
    self.environment = environment
    self.onProgress = onProgress
  }

  private var record: UploadRecord { UploadRecord(context: modelContext) }

  // MARK: - What to do

  /// Uploads what waits, one after the other, the oldest first, until the remote cannot be reached.
  /// - Parameter ignoringBackoff: also what would still have to wait, as when the network has come back.
  /// - Throws: `SwiftDataError` and `CancellationError`; all else is in the attachments and in the summary.
  @discardableResult
  public func uploadPending(ignoringBackoff: Bool = false) async throws -> Summary {
    var summary = Summary()
    for id in try record.waiting(at: ignoringBackoff ? .distantFuture : environment.now()) {
      do {
        try await upload(id)
        summary.completed.append(id)
      } catch let error as AttachmentUploadError {
        if case .noSuchAttachment = error { continue }
        let isFailed = try record.attachment(id).1 == .failed
        if isFailed { summary.failed.append(id) } else { summary.waiting.append(id) }
        if case .remote(let remote) = error, remote.status == .unavailable { break }
      }
    }
    return summary
  }

  /// Uploads one attachment, or waits for the upload that is under way, and is cancelled with it. Nothing is sent again where it is completed.
  /// - Throws: ``AttachmentUploadError``, which is then also in the attachment; `SwiftDataError`; `CancellationError`.
  public func upload(_ id: String) async throws {
    if let task = running[id] { return try await task.value }
    let task = Task { try await self.attempt(id) }
    running[id] = task
    defer { running[id] = nil }
    try await withTaskCancellationHandler {
      try await task.value
    } onCancel: {
      task.cancel()
    }
  }

  /// Has a failed attachment tried again, on from where it stopped, by the next ``uploadPending(ignoringBackoff:)``.
  /// - Throws: ``AttachmentUploadError/noSuchAttachment(_:)``, `SwiftDataError`.
  public func retry(_ id: String) throws { try record.allowAnotherAttempt(id) }

  // MARK: - One attempt

  private func attempt(_ id: String) async throws {
    do {
      try await send(id)
    } catch let error as AttachmentUploadError {
      try note(error, id)
      throw error
    } catch let error as FirestoreError {
      try note(.remote(error), id)
      throw AttachmentUploadError.remote(error)
    }
  }

  private func send(_ id: String) async throws {
    let (attachment, status) = try record.attachment(id)
    guard status != .completed else { return }
    let file = try LocalFile(attachment.localURL)
    try limits.check(attachment.type, mimeType: attachment.mimeType, size: file.size)
    let report = onProgress
    let run = UploadRun(
      attachment: attachment, file: file, checksum: try file.checksum(), storage: storage, record: record,
      chunkSize: chunkSize, onProgress: { report(Progress(attachmentID: id, fraction: $0)) })
    let remote = try await run.run()
    let thumbnail = try await sendThumbnail(of: file, attachment, beside: run.name)
    let url = storage.downloadURL(of: remote) ?? "gs://\(remote.bucket)/\(remote.name)"
    try record.complete(id, url: url, thumbnailURL: thumbnail)
  }

  private func note(_ error: AttachmentUploadError, _ id: String) throws {
    if case .noSuchAttachment = error { return try record.forget(id) }
    let failures = (try record.progress(id)?.failures ?? 0) + 1
    let isOver = !error.isRetryable || failures >= Self.maximumFailures
    let delay = Backoff.delay(after: failures, random: environment.random())
    try record.fail(
      id, error.errorDescription ?? "\(error)", failures: failures,
      nextAttempt: isOver ? nil : environment.now().addingTimeInterval(delay))
  }

  // MARK: - Thumbnails

  /// An image without a thumbnail is sent all the same: what cannot be decoded here may be shown elsewhere.
  private func sendThumbnail(
    of file: LocalFile, _ attachment: UploadRecord.Attachment, beside name: String
  ) async throws -> String? {
    guard attachment.type == .image, let thumbnails, let small = try? await thumbnails.thumbnail(of: file.url) else {
      return nil
    }
    let place = name + ".thumbnail.jpg"
    let upload = try await storage.beginUpload(place, contentType: "image/jpeg", length: Int64(small.count))
    _ = try await storage.send(small, at: 0, isLast: true, toUpload: upload)
    let remote = try await storage.file(place)
    return storage.downloadURL(of: remote) ?? "gs://\(remote.bucket)/\(remote.name)"
  }
}

/// Makes small pictures of images.
public protocol ThumbnailMaker: Sendable {
  /// A JPEG picture of an image.
  /// - Throws: where the image cannot be read.
  func thumbnail(of image: URL) async throws -> Data
}
