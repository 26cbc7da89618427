import FirestoreClient
import Foundation
import SwiftData

/// A document in the server's store.
@Model
final class StoredDocument {
  #Index<StoredDocument>([\.parent, \.name], [\.collection])

  /// The full name.
  @Attribute(.unique) var name: String
  /// The collection with everything above it.
  var parent: String
  /// The name of the collection alone.
  var collection: String
  /// The fields as the REST API writes them.
  var fields: Data
  /// Microseconds since 1970.
  var createTime: Int64
  /// Microseconds since 1970.
  var updateTime: Int64

  init(name: DocumentName, fields: Data, time: Int64) {
    self.name = name.full
    self.parent = name.collectionPath
    self.collection = name.collection
    self.fields = fields
    self.createTime = time
    self.updateTime = time
  }

  /// As the API shows it.
  /// - Throws: `DecodingError` where the store was written by something else.
  func document() throws -> FirestoreDocument {
    FirestoreDocument(
      name: name, fields: try JSONDecoder().decode([String: FirestoreValue].self, from: fields),
      createTime: FirestoreTimestamp(microseconds: createTime), updateTime: FirestoreTimestamp(microseconds: updateTime)
    )
  }
}

/// `projects/P/databases/D/documents/` and pairs of collection and document.
struct DocumentName {
  let full: String
  let collectionPath: String
  let collection: String

  /// - Throws: ``FirestoreError`` with status `invalidArgument` for what names no document.
  init(_ full: String) throws {
    let parts = full.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count >= 7, parts.count % 2 == 1, parts[0] == "projects", parts[2] == "databases",
      parts[4] == "documents", !parts.contains("")
    else {
      throw FirestoreError(.invalidArgument, "Document name \"\(full)\" is not the name of a document.")
    }
    self.full = full
    self.collectionPath = parts.dropLast().joined(separator: "/")
    self.collection = String(parts[parts.count - 2])
  }
}

extension FirestoreTimestamp {
  init(microseconds: Int64) {
    let seconds = (microseconds - ((microseconds % 1_000_000) + 1_000_000) % 1_000_000) / 1_000_000
    self.init(seconds: seconds, nanoseconds: Int32(microseconds - seconds * 1_000_000) * 1_000)
  }

  var microseconds: Int64 { seconds * 1_000_000 + Int64(nanoseconds) / 1_000 }
}
