import Foundation

/// What may be uploaded. (Our decision: the guide names none.)
public struct AttachmentLimits: Hashable, Sendable {
  /// In bytes, for each type; a type that is not there may not be uploaded.
  public var maximumSize: [AttachmentType: Int64]
  /// MIME types of documents; images, videos and audio are known by the first part of theirs.
  public var documentTypes: Set<String>

  /// Makes limits.
  public init(maximumSize: [AttachmentType: Int64], documentTypes: Set<String>) {
    self.maximumSize = maximumSize
    self.documentTypes = documentTypes
  }

  /// 20 MiB for an image, 50 MiB for audio and documents, 200 MiB for a video; documents are texts, PDF, archives, and
  /// those of offices.
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

  /// - Throws: ``AttachmentUploadError`` where the file may not be uploaded.
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
