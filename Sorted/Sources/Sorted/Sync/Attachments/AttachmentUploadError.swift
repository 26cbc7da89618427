import FirestoreProtocol
import Foundation

/// The reason why a file was not uploaded.
public enum AttachmentUploadError: LocalizedError, Equatable {
  /// The attachment does not exist or was deleted.
  case noSuchAttachment(String)
  /// The file cannot be read.
  case unreadable(String, String)
  /// The file is larger than its type allows.
  case tooLarge(Int64, maximum: Int64)
  /// The MIME type does not match the attachment's type.
  case typeNotAllowed(String, AttachmentType)
  /// The remote file differs from the local one. It was deleted there.
  case wrongChecksum(String)
  /// An error of the remote.
  case remote(FirestoreError)

  /// Whether a retry of the same upload may succeed.
  public var isRetryable: Bool {
    switch self {
    case .wrongChecksum: true
    case .remote(let error): error.isRetryable
    case .noSuchAttachment, .unreadable, .tooLarge, .typeNotAllowed: false
    }
  }

  /// The problem and a remedy.
  public var errorDescription: String? {
    switch self {
    case .noSuchAttachment(let id): "There is no attachment \(id)."
    case .unreadable(let path, let reason): "The file \(path) cannot be read: \(reason)"
    case .tooLarge(let size, let maximum):
      "The file has \(size) bytes, and \(maximum) are allowed. Send a smaller one."
    case .typeNotAllowed(let mimeType, let type):
      "A file of type \"\(mimeType)\" cannot be sent as an attachment of type \(type.rawValue)."
    case .wrongChecksum(let name): "What has arrived as \(name) is not what was sent."
    case .remote(let error): error.description
    }
  }
}
