import FirestoreProtocol
import Foundation

/// One upload, resumed and run to its end, or to the first failure that asking the remote for its offset does not
/// resolve.
struct UploadRun {
  let attachment: UploadRecord.Attachment
  let file: LocalFile
  let checksum: String
  let storage: any RemoteStorage
  let record: UploadRecord
  let chunkSize: Int
  let onProgress: (Double) -> Void

  /// The path of the remote file.
  var name: String {
    let fileName = attachment.fileName.split(separator: "/").last.map(String.init) ?? "file"
    return "attachments/\(attachment.id)/\(fileName)"
  }

  /// - Returns: the remote's metadata, which match the sent file.
  /// - Throws: ``AttachmentUploadError``, `FirestoreError`, `SwiftDataError`, `CancellationError`.
  func run(isolation: isolated (any Actor)? = #isolation) async throws -> RemoteFile {
    if let known = try record.progress(attachment.id), let upload = known.upload {
      if known.checksum == checksum, known.length == file.size {
        do {
          return try await proceed(upload, try await storage.state(ofUpload: upload))
        } catch let error as FirestoreError where error.status == .notFound {
          // The remote has forgotten the upload, possibly long after the file was finished.
          if let there = try await existing() { return there }
        }
      } else {
        try await storage.cancelUpload(upload)
      }
    }
    // Recorded before the request: a crash in between begins again, and failures stay counted.
    try record.begin(attachment.id, upload: nil, checksum: checksum, length: file.size)
    let upload = try await storage.beginUpload(name, contentType: attachment.mimeType, length: file.size)
    try record.begin(attachment.id, upload: upload, checksum: checksum, length: file.size)
    return try await proceed(upload, .active(received: 0))
  }

  private func proceed(
    _ upload: String, _ state: UploadState, isolation: isolated (any Actor)? = #isolation
  ) async throws -> RemoteFile {
    var state = state
    while case .active(let received) = state {
      onProgress(try record.note(attachment.id, sent: received))
      state = try await sendChunk(upload, received)
    }
    onProgress(try record.note(attachment.id, sent: file.size))
    return try await checked(try await storage.file(name))
  }

  /// Sends a chunk. If the remote's offset moved despite a failure, only the answer was lost.
  private func sendChunk(
    _ upload: String, _ received: Int64, isolation: isolated (any Actor)? = #isolation
  ) async throws -> UploadState {
    try Task.checkCancellation()
    let chunk = try file.bytes(from: received, count: chunkSize)
    let end = received + Int64(chunk.count)
    guard end == file.size || chunk.count == chunkSize else {
      throw AttachmentUploadError.unreadable(file.url.path, "it became shorter while it was sent")
    }
    do {
      return try await storage.send(chunk, at: received, isLast: end == file.size, toUpload: upload)
    } catch let error as FirestoreError {
      let state = try await storage.state(ofUpload: upload)
      if state == .active(received: received) { throw error }
      return state
    }
  }

  private func existing(isolation: isolated (any Actor)? = #isolation) async throws -> RemoteFile? {
    do {
      let file = try await storage.file(name)
      return matches(file) ? file : nil
    } catch let error as FirestoreError where error.status == .notFound {
      return nil
    }
  }

  private func matches(_ remote: RemoteFile) -> Bool {
    remote.size == String(file.size) && (remote.md5Hash == nil || remote.md5Hash == checksum)
  }

  private func checked(
    _ remote: RemoteFile, isolation: isolated (any Actor)? = #isolation
  ) async throws -> RemoteFile {
    if matches(remote) { return remote }
    // The upload is over, so the next attempt must begin a new one.
    try record.begin(attachment.id, upload: nil, checksum: checksum, length: file.size)
    try await storage.delete(name)
    throw AttachmentUploadError.wrongChecksum(name)
  }
}
