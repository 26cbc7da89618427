public import FirestoreProtocol
public import Foundation
public import SwiftData

/// Uploads the files of attachments to a `RemoteStorage` and resumes interrupted uploads.
///
/// The store records the progress (``AttachmentUploadEntity``) before the next chunk is sent, so a crash loses at most
/// one chunk, and the remote is asked for its offset. The service compares a file with the MD5 from the remote. It
/// retries a failure after 1, 2, 4 s. After three failures without progress, or a permanent one, the attachment is
/// failed until ``retry(_:)``.
public actor AttachmentUploadService: ModelActor {
  /// The progress of an upload.
  public struct Progress: Hashable, Sendable {
    /// The identifier of the attachment.
    public let attachmentID: String
    /// The finished fraction, 0...1.
    public let fraction: Double
  }

  /// The result of a run.
  public struct Summary: Hashable, Sendable {
    /// The identifiers of completed attachments.
    public var completed: [String] = []
    /// The identifiers of failed attachments, which are not retried automatically.
    public var failed: [String] = []
    /// The identifiers of attachments that are retried automatically.
    public var waiting: [String] = []

    /// Makes an empty summary.
    public init() {}
  }

  /// The store with the attachments.
  public nonisolated let modelContainer: ModelContainer
  /// Runs the actor's jobs and holds its context.
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
  ///   - modelContainer: the store of the attachments.
  ///   - storage: the remote.
  ///   - limits: the limits of uploads.
  ///   - chunkSize: the chunk size in bytes, rounded down to a multiple of 256 KiB, at least one. Memory grows with it.
  ///   - thumbnails: makes thumbnails of images, uploaded with them, or nil for none.
  ///   - environment: the clock, sleep and randomness.
  ///   - onProgress: called after each chunk on any thread.
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
    // Google requires multiples of this, except for the last chunk.
    let granularity = 256 * 1_024
    self.chunkSize = max(1, chunkSize / granularity) * granularity
    self.thumbnails = thumbnails
    self.environment = environment
    self.onProgress = onProgress
  }

  private var record: UploadRecord { UploadRecord(context: modelContext) }

  // MARK: - What to do

  /// Uploads pending attachments one after another, oldest first, until the remote is unreachable.
  /// - Parameter ignoringBackoff: whether to include attachments whose retry time has not come, as after the network
  ///   returned.
  /// - Throws: `SwiftDataError` and `CancellationError`. Other errors are in the attachments and in the summary.
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

  /// Uploads one attachment, or waits for its running upload and is cancelled with it. Does nothing for a completed
  /// one.
  /// - Throws: ``AttachmentUploadError``, which is also recorded in the attachment; `SwiftDataError`;
  ///   `CancellationError`.
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

  /// Lets the next ``uploadPending(ignoringBackoff:)`` resume a failed attachment.
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

  /// An image without a thumbnail is uploaded too, because another client may be able to decode it.
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

/// Makes thumbnails of images.
public protocol ThumbnailMaker: Sendable {
  /// Makes a JPEG thumbnail of an image.
  /// - Throws: an error if the image cannot be read.
  func thumbnail(of image: URL) async throws -> Data
}
