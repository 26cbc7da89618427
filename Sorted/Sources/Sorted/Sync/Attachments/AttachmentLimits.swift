import Foundation

/// The limits of uploads. (Our decision, because the guide has none.)
public struct AttachmentLimits: Hashable, Sendable {
  /// The maximum size in bytes by type. A type that is missing cannot be uploaded.
  public var maximumSize: [AttachmentType: Int64]
  /// The MIME types of documents. The first part of the MIME type identifies images, videos and audio.
  public var documentTypes: Set<String>

  /// Makes limits.
  public init(maximumSize: [AttachmentType: Int64], documentTypes: Set<String>) {
    self.maximumSize = maximumSize
    self.documentTypes = documentTypes
  }

  /// 20 MiB for an image, 50 MiB for audio and documents, 200 MiB for a video. Documents are text, PDF, archives and
  /// office files.
  public static let standard = AttachmentLimits(
    maximumSize: [.image: 20 << 20, .audio: 50 << 20, .document: 50 << 20, .video: 200 << 20],
    documentTypes: [
      "application/json", "application/msword", "application/pdf", "application/rtf", "application/vnd.ms-excel",
      "application/vnd.ms-powerpoint", "application/vnd.oasis.opendocument.presentation",
      "application/vnd.oasis.opendocument.spreadsheet", "application/vnd.oasis.opendocument.text",
      "application/vnd.openxmlformats-officedocument.presentationml.presentation",
      "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
      "application/vnd.openxmlformats-officedocument.wordprocessingml.document", "application/zip", "text/calendar",
      "text/csv", "text/markdown", "text/plain", "text/vcard",
    ])

  /// - Throws: ``AttachmentUploadError`` if the file is not allowed.
  func check(_ type: AttachmentType, mimeType: String, size: Int64) throws {
    let mimeType = mimeType.lowercased().prefix { $0 != ";" }.trimmingCharacters(in: .whitespaces)
    let isAllowed =
      switch type {
      case .image: mimeType.hasPrefix("image/")
      case .video: mimeType.hasPrefix("video/")
      case .audio: mimeType.hasPrefix("audio/")
      case .document: documentTypes.contains(mimeType)
      }
    guard isAllowed, let maximum = maximumSize[type] else {
      throw AttachmentUploadError.typeNotAllowed(mimeType, type)
    }
    guard size <= maximum else { throw AttachmentUploadError.tooLarge(size, maximum: maximum) }
  }
}
