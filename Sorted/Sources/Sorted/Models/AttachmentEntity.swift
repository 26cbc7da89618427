import Foundation
import SwiftData

/// SwiftData model for message attachments (images, videos, files).
/// Tracks upload status and stores local/remote URLs.
@Model
public final class AttachmentEntity {
  // MARK: - Core Properties

  /// Unique attachment identifier
  @Attribute(.unique) public var id: String

  /// Attachment type (image, video, audio, document)
  public var type: AttachmentType

  /// Remote URL (Firebase Storage)
  @Attribute(originalName: "url") public var remoteURL: String?

  /// Local file URL (for offline access)
  public var localURL: String?

  /// Thumbnail URL (for images/videos)
  public var thumbnailURL: String?

  /// File size in bytes
  public var fileSize: Int64

  /// MIME type
  public var mimeType: String

  /// Original file name
  public var fileName: String

  /// Upload status
  public var uploadStatus: UploadStatus = UploadStatus.completed

  /// Upload progress (0.0 - 1.0)
  public var uploadProgress: Double = 0.0

  /// Upload error message (if failed)
  public var uploadError: String?

  /// Creation timestamp
  public var createdAt: Date

  /// The file itself, where the inbox syncs with a sync server (`SharedInbox`)
  @Attribute(.externalStorage) public var contents: Data?

  // MARK: - Relationships

  /// Parent message (inverse relationship)
  @Relationship(deleteRule: .nullify, inverse: \MessageEntity.attachments)
  public var message: MessageEntity?

  // MARK: - Initialization

  /// Makes an attachment. Other properties have their defaults.
  public init(
    id: String = UUID().uuidString,
    type: AttachmentType,
    localURL: String,
    fileSize: Int64,
    mimeType: String,
    fileName: String,
    createdAt: Date = Date()
  ) {
    self.id = id
    self.type = type
    self.localURL = localURL
    self.fileSize = fileSize
    self.mimeType = mimeType
    self.fileName = fileName
    self.uploadStatus = .pending
    self.uploadProgress = 0.0
    self.createdAt = createdAt
  }

  // MARK: - Helper Methods

  /// Update upload progress
  public func updateUploadProgress(_ progress: Double) {
    self.uploadProgress = min(max(progress, 0.0), 1.0)
  }

  /// Mark upload as completed
  public func markAsUploaded(url: String, thumbnailURL: String? = nil) {
    self.remoteURL = url
    self.thumbnailURL = thumbnailURL
    self.uploadStatus = .completed
    self.uploadProgress = 1.0
    self.uploadError = nil
  }

  /// Mark upload as failed
  public func markAsFailed(error: String) {
    self.uploadStatus = .failed
    self.uploadError = error
  }

  /// The guide's name of ``remoteURL``. Predicates need the new name.
  public var url: String? {
    get { remoteURL }
    set { remoteURL = newValue }
  }

  /// Check if attachment is ready to display
  public var isAvailable: Bool {
    uploadStatus == .completed && remoteURL != nil
  }
}

// MARK: - Supporting Enums

/// The type of a file.
public enum AttachmentType: String, Codable, Sendable {
  case image
  case video
  case audio
  case document
}

/// The state of an upload.
public enum UploadStatus: String, Codable, Sendable {
  case pending
  case uploading
  case completed
  case failed
}

extension AttachmentEntity {
  /// Puts the file into the store, so that it travels with its message. A file that is gone is left out.
  package func takeInFile() {
    guard contents == nil, let url = localURL.flatMap(URL.init(string:)), url.isFileURL,
      let bytes = try? Data(contentsOf: url)
    else { return }
    contents = bytes
  }
}
