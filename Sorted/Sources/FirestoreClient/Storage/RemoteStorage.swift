public import Foundation

/// Where files are kept remotely: Firebase Storage, the local server, or memory in a test.
///
/// An upload is begun once and then sent in chunks, each from where the remote says it is, so that it goes on where it
/// stopped whatever happened in between. Everything throws ``FirestoreError``, and `CancellationError` where the task is
/// cancelled.
public protocol RemoteStorage: Sendable {
  /// Begins an upload.
  /// - Parameters:
  ///   - name: the path of the file in the bucket; what is there is replaced when the upload is finished.
  ///   - length: in bytes, as many as will be sent.
  /// - Returns: what names the upload from now on, also after a restart; a remote forgets it after some days.
  func beginUpload(_ name: String, contentType: String, length: Int64) async throws -> String

  /// How far an upload has come.
  /// - Throws: ``FirestoreError`` with status `notFound` where the remote does not know it any more.
  func state(ofUpload upload: String) async throws -> UploadState

  /// Sends a chunk.
  /// - Parameters:
  ///   - offset: where it belongs, which has to be as much as the remote has; with another one nothing is written, and
  ///     ``state(ofUpload:)`` says which.
  ///   - isLast: whether this finishes the file. Any other chunk has a multiple of ``chunkGranularity`` bytes.
  func send(_ chunk: Data, at offset: Int64, isLast: Bool, toUpload upload: String) async throws -> UploadState

  /// Gives an upload up. One that is not known any more is given up already.
  func cancelUpload(_ upload: String) async throws

  /// What is known of a file.
  /// - Throws: ``FirestoreError`` with status `notFound` where there is none.
  func file(_ name: String) async throws -> RemoteFile

  /// The bytes of a file, all in memory: 64 MiB at most from Google. ``downloadURL(of:)`` is for larger ones.
  /// - Throws: ``FirestoreError`` with status `notFound` where there is none.
  func contents(of name: String) async throws -> Data

  /// Deletes a file.
  /// - Throws: ``FirestoreError`` with status `notFound` where there is none.
  func delete(_ name: String) async throws

  /// Where anybody who has it can read a file; nil where it has no token for that.
  func downloadURL(of file: RemoteFile) -> String?
}

extension RemoteStorage {
  /// In bytes. Google's servers say so in `X-Goog-Upload-Chunk-Granularity`.
  public static var chunkGranularity: Int { 256 * 1_024 }
}

/// How far an upload has come.
public enum UploadState: Hashable, Sendable {
  /// The remote waits for the byte of this offset.
  case active(received: Int64)
  /// The file is there.
  case finished
}

/// What a remote knows of a file. (Firebase Storage, REST API v0.)
public struct RemoteFile: Hashable, Sendable, Codable {
  /// The path in the bucket.
  public var name: String
  /// The bucket.
  public var bucket: String
  /// A MIME type.
  public var contentType: String?
  /// In bytes, in decimal digits.
  public var size: String
  /// The MD5 of the bytes, in base64.
  public var md5Hash: String?
  /// When it was written.
  public var timeCreated: FirestoreTimestamp?
  /// Of which each lets whoever has it read the file; with commas between them.
  public var downloadTokens: String?

  /// Makes a description.
  public init(
    name: String, bucket: String, contentType: String?, size: Int64, md5Hash: String?,
    timeCreated: FirestoreTimestamp? = nil, downloadTokens: String? = nil
  ) {
    self.name = name
    self.bucket = bucket
    self.contentType = contentType
    self.size = String(size)
    self.md5Hash = md5Hash
    self.timeCreated = timeCreated
    self.downloadTokens = downloadTokens
  }
}
