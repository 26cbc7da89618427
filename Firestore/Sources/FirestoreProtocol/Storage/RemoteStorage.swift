public import Foundation

/// A remote storage of files: Firebase Storage, the local server, or memory in a test.
///
/// An upload begins once. Each chunk starts at the remote's current offset, so an interrupted upload continues where it
/// stopped. Every function throws ``FirestoreError``, and `CancellationError` if the task is cancelled.
public protocol RemoteStorage: Sendable {
  /// Begins an upload.
  /// - Parameters:
  ///   - name: the path of the file in the bucket. Finishing the upload replaces an existing file.
  ///   - length: the length in bytes.
  /// - Returns: the identifier of the upload, valid also after a restart. A remote forgets it after some days.
  func beginUpload(_ name: String, contentType: String, length: Int64) async throws -> String

  /// Returns the state of an upload.
  /// - Throws: ``FirestoreError`` with status `notFound` if the remote has forgotten it.
  func state(ofUpload upload: String) async throws -> UploadState

  /// Sends a chunk.
  /// - Parameters:
  ///   - offset: the remote's current offset. With any other offset nothing is written; ``state(ofUpload:)`` returns
  ///     the right one.
  ///   - isLast: whether this chunk finishes the file. Any other chunk has a multiple of ``chunkGranularity`` bytes.
  func send(_ chunk: Data, at offset: Int64, isLast: Bool, toUpload upload: String) async throws -> UploadState

  /// Cancels an upload. Does nothing for an unknown one.
  func cancelUpload(_ upload: String) async throws

  /// Returns the metadata of a file.
  /// - Throws: ``FirestoreError`` with status `notFound` if it does not exist.
  func file(_ name: String) async throws -> RemoteFile

  /// Returns the contents of a file in memory, at most 64 MiB. Use ``downloadURL(of:)`` for larger files.
  /// - Throws: ``FirestoreError`` with status `notFound` if it does not exist.
  func contents(of name: String) async throws -> Data

  /// Deletes a file.
  /// - Throws: ``FirestoreError`` with status `notFound` if it does not exist.
  func delete(_ name: String) async throws

  /// The public URL of a file, or nil if the file has no token.
  func downloadURL(of file: RemoteFile) -> String?
}

extension RemoteStorage {
  /// The granularity of chunks in bytes. Google's servers send it in `X-Goog-Upload-Chunk-Granularity`.
  public static var chunkGranularity: Int { 256 * 1_024 }
}

/// The state of an upload.
public enum UploadState: Hashable, Sendable {
  /// The remote expects the byte at this offset.
  case active(received: Int64)
  /// The upload is complete.
  case finished
}

/// The metadata of a remote file. (Firebase Storage, REST API v0.)
public struct RemoteFile: Hashable, Sendable, Codable {
  /// The path in the bucket.
  public var name: String
  /// The bucket.
  public var bucket: String
  /// A MIME type.
  public var contentType: String?
  /// The size in bytes, as decimal digits.
  public var size: String
  /// The MD5 of the bytes, in base64.
  public var md5Hash: String?
  /// The creation time.
  public var timeCreated: FirestoreTimestamp?
  /// The download tokens, separated by commas. Each allows its holder to read the file.
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
