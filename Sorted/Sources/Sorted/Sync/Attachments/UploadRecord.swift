import Foundation
import SwiftData

/// The stored state of uploads. Each change is saved before it returns.
///
/// Objects are looked up each time, because the attachment may be deleted while a chunk is sent.
struct UploadRecord {
  /// The attachment to upload.
  struct Attachment {
    let id: String
    let type: AttachmentType
    let localURL: String?
    let mimeType: String
    let fileName: String
  }
  /// The progress of the upload.
  struct Progress {
    let upload: String?
    let checksum: String
    let length: Int64
    let failures: Int
  }

  let context: ModelContext

  /// The attachments that wait for an upload or whose upload was interrupted, oldest first.
  func waiting(at now: Date) throws -> [String] {
    let (pending, uploading) = (UploadStatus.pending, UploadStatus.uploading)
    let found = try context.fetch(
      FetchDescriptor<AttachmentEntity>(
        predicate: #Predicate { $0.uploadStatus == pending || $0.uploadStatus == uploading },
        sortBy: [SortDescriptor(\.createdAt), SortDescriptor(\.id)]))
    let later = try context.fetch(
      FetchDescriptor<AttachmentUploadEntity>(predicate: #Predicate { $0.nextAttempt != nil }))
    let notYet = Set(later.filter { ($0.nextAttempt ?? now) > now }.map(\.attachmentID))
    return found.map(\.id).filter { !notYet.contains($0) }
  }

  /// - Throws: ``AttachmentUploadError/noSuchAttachment(_:)``.
  func attachment(_ id: String) throws -> (Attachment, UploadStatus) {
    let found = try entity(id)
    return (
      Attachment(
        id: id, type: found.type, localURL: found.localURL, mimeType: found.mimeType, fileName: found.fileName),
      found.uploadStatus
    )
  }

  func progress(_ id: String) throws -> Progress? {
    try upload(id).map {
      Progress(upload: $0.upload, checksum: $0.checksum, length: $0.length, failures: $0.failures)
    }
  }

  /// Replaces the record by one of a new upload without progress.
  func begin(_ id: String, upload name: String?, checksum: String, length: Int64) throws {
    let entity = try entity(id)
    let failures = try upload(id)?.failures ?? 0
    let record = try upload(id) ?? AttachmentUploadEntity(attachmentID: id, checksum: checksum, length: length)
    context.insert(record)
    (record.upload, record.checksum, record.length) = (name, checksum, length)
    (record.sent, record.failures) = (0, failures)
    entity.uploadStatus = .uploading
    entity.uploadError = nil
    entity.updateUploadProgress(0)
    try save()
  }

  /// Records the remote's offset. Progress resets the failures.
  /// - Returns: the finished fraction, 0...1.
  func note(_ id: String, sent: Int64) throws -> Double {
    let entity = try entity(id)
    guard let record = try upload(id) else { throw AttachmentUploadError.noSuchAttachment(id) }
    if sent > record.sent { record.failures = 0 }
    record.sent = sent
    record.nextAttempt = nil
    entity.updateUploadProgress(record.length == 0 ? 1 : Double(sent) / Double(record.length))
    try save()
    return entity.uploadProgress
  }

  func complete(_ id: String, url: String, thumbnailURL: String?) throws {
    try entity(id).markAsUploaded(url: url, thumbnailURL: thumbnailURL)
    if let record = try upload(id) { context.delete(record) }
    try save()
  }

  /// - Parameter nextAttempt: the time of the retry, or nil for a permanent failure.
  func fail(_ id: String, _ reason: String, failures: Int, nextAttempt: Date?) throws {
    let entity = try entity(id)
    if let record = try upload(id) {
      (record.failures, record.nextAttempt) = (failures, nextAttempt)
    }
    if nextAttempt == nil {
      entity.markAsFailed(error: reason)
    } else {
      entity.uploadError = reason
    }
    try save()
  }

  /// Resumes an upload and resets its failures.
  func allowAnotherAttempt(_ id: String) throws {
    let entity = try entity(id)
    guard entity.uploadStatus != .completed else { return }
    entity.uploadStatus = .pending
    if let record = try upload(id) { (record.failures, record.nextAttempt) = (0, nil) }
    try save()
  }

  /// Deletes the record of a deleted attachment.
  func forget(_ id: String) throws {
    guard let record = try upload(id) else { return }
    context.delete(record)
    try save()
  }

  private func entity(_ id: String) throws -> AttachmentEntity {
    let found = try context.fetch(FetchDescriptor<AttachmentEntity>(predicate: #Predicate { $0.id == id })).first
    guard let found else { throw AttachmentUploadError.noSuchAttachment(id) }
    return found
  }

  private func upload(_ id: String) throws -> AttachmentUploadEntity? {
    try context.fetch(FetchDescriptor<AttachmentUploadEntity>(predicate: #Predicate { $0.attachmentID == id })).first
  }

  private func save() throws {
    do {
      try context.save()
    } catch {
      context.rollback()
      throw error
    }
  }
}
