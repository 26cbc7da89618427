import Foundation
import SwiftData

/// An unfinished upload of an attachment, so that it can be resumed.
@Model
public final class AttachmentUploadEntity {
  /// The identifier of the attachment
  @Attribute(.unique) public var attachmentID: String

  /// The remote's identifier of the upload, or nil before it begins
  public var upload: String?

  /// The MD5 of the file at the beginning of the upload, in base64
  public var checksum: String

  /// The size of the file at the beginning of the upload, in bytes
  public var length: Int64

  /// The number of bytes that the remote is known to have
  public var sent: Int64 = 0

  /// Failures since the last progress
  public var failures: Int = 0

  /// The time of the next automatic retry, or nil for at once
  public var nextAttempt: Date?

  /// Makes the record of a new upload.
  public init(attachmentID: String, checksum: String, length: Int64) {
    self.attachmentID = attachmentID
    self.checksum = checksum
    self.length = length
  }
}
