import FirestoreClient
import Foundation

/// Why a file was not uploaded.
public enum AttachmentUploadError: LocalizedError, Equatable {
  /// There is no attachment with this identifier, or it was deleted meanwhile.
  case noSuchAttachment(String)
  /// The file cannot be read.
  case unreadable(String, String)
  /// The file has more bytes than its type may have.
  case tooLarge(Int64, maximum: Int64)
  /// A file of this MIME type may not be an attachment of this type.
  case typeNotAllowed(String, AttachmentType)
  /// What has arrived is not what was sent; it was deleted there.
  case wrongChecksum(String)
  /// What the remote said.
  case remote(FirestoreError)

  /// Whether the same upload may succeed later without anybody doing anything.
  public var isRetryable: Bool {
    switch self {
    case .wrongChecksum: true
    case .remote(let error): error.isRetryable
    case .noSuchAttachment, .unreadable, .tooLarge, .typeNotAllowed: false
    }
  }

  /// What went wrong, and what helps.
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
