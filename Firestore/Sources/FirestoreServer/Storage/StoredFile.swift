import FirestoreProtocol
import Foundation
import SwiftData

/// A complete file. The folder of the ``FileStore`` has its bytes under `content`.
@Model
final class StoredFile {
  /// The ``FileStore/key(_:_:)`` of the file.
  @Attribute(.unique) var key: String
  var bucket: String
  var name: String
  var contentType: String
  var size: Int64
  /// The MD5 in base64.
  var md5: String
  /// The download token.
  var token: String
  /// The name of the file with the bytes.
  var content: String
  /// The creation time in microseconds since 1970.
  var createTime: Int64

  init(_ upload: StoredUpload, size: Int64, md5: String, time: Int64) {
    self.key = FileStore.key(upload.bucket, upload.name)
    self.bucket = upload.bucket
    self.name = upload.name
    self.contentType = upload.contentType
    self.size = size
    self.md5 = md5
    self.token = UUID().uuidString.lowercased()
    self.content = upload.id
    self.createTime = time
  }

  /// The metadata in the form of the API.
  var description: RemoteFile {
    RemoteFile(
      name: name, bucket: bucket, contentType: contentType, size: size, md5Hash: md5,
      timeCreated: FirestoreTimestamp(microseconds: createTime), downloadTokens: token)
  }
}

/// An upload in progress. The size of its partial file is the only record of its offset, so a crash cannot make the two
/// disagree.
@Model
final class StoredUpload {
  /// The identifier, which is also the name of the partial file.
  @Attribute(.unique) var id: String
  var bucket: String
  var name: String
  var contentType: String
  /// The length in bytes, or nil if the client did not send it.
  var length: Int64?
  var isFinished = false
  /// The creation time in microseconds since 1970.
  var createTime: Int64

  init(id: String, bucket: String, name: String, contentType: String, length: Int64?, time: Int64) {
    self.id = id
    self.bucket = bucket
    self.name = name
    self.contentType = contentType
    self.length = length
    self.createTime = time
  }
}
