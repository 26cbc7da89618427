import FirestoreClient
import Foundation
import SwiftData

/// A file that is there. Its bytes are in the folder of the ``FileStore``, under `content`.
@Model
final class StoredFile {
  /// ``FileStore/key(_:_:)``
  @Attribute(.unique) var key: String
  var bucket: String
  var name: String
  var contentType: String
  var size: Int64
  /// In base64.
  var md5: String
  /// Lets whoever has it read the file.
  var token: String
  /// The name of the file with the bytes.
  var content: String
  /// Microseconds since 1970.
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

  /// As the API shows it.
  var description: RemoteFile {
    RemoteFile(
      name: name, bucket: bucket, contentType: contentType, size: size, md5Hash: md5,
      timeCreated: FirestoreTimestamp(microseconds: createTime), downloadTokens: token)
  }
}

/// An upload that was begun. How much of it has arrived is the size of the file with its bytes, and nothing else says so:
/// there is nothing that a crash could leave apart from it.
@Model
final class StoredUpload {
  /// Also the name of the file with the bytes.
  @Attribute(.unique) var id: String
  var bucket: String
  var name: String
  var contentType: String
  /// In bytes; nil where the client did not say.
  var length: Int64?
  var isFinished = false
  /// Microseconds since 1970.
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
