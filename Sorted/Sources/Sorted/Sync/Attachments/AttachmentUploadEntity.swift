import Foundation
import SwiftData

/// An upload of an attachment that has begun and not ended, so that it goes on where it stopped.
@Model
public final class AttachmentUploadEntity {
  /// The identifier of the attachment
  @Attribute(.unique) public var attachmentID: String

  /// What the remote calls the upload; nil until it has begun
  public var upload: String?

  /// The MD5 of the file when the upload began, in base64
  public var checksum: String

  /// The size of the file when the upload began, in bytes
  public var length: Int64

  /// As many bytes as the remote was last known to have
  public var sent: Int64 = 0

  /// Failures since the last byte that arrived
  public var failures: Int = 0

  /// Not before then it is tried again by itself; nil for at once
  public var nextAttempt: Date?

  /// Makes the record of an upload that is about to begin.
  public init(attachmentID: String, checksum: String, length: Int64) {
    self.attachmentID = attachmentID
    self.checksum = checksum
    self.length = length
  }
}
