import FirestoreProtocol
import Foundation
import SwiftData

/// The writes of a commit before they are saved.
struct CommitRun {
  /// The documents after the writes so far, by key.
  private var stored: [String: StoredDocument]
  private let context: ModelContext
  private let time: Int64
  /// The result of each write in order. Nil is a deletion.
  private(set) var written = [(name: DocumentName, document: FirestoreDocument?)]()

  /// - Parameter stored: the existing ones of the documents to write.
  init(stored: [String: StoredDocument], context: ModelContext, time: Int64) {
    self.stored = stored
    self.context = context
    self.time = time
  }

  mutating func apply(_ write: CommitWrite) throws -> FirestoreCommit.Result {
    let name = try DocumentName(write.name)
    let there = stored[name.key]
    try Self.check(write.currentDocument, there, name.full)
    if write.delete != nil {
      if let there { context.delete(there) }
      stored[name.key] = nil
      written.append((name, nil))
      return .init(updateTime: nil)
    }
    let old = try there?.document().fields ?? [:]
    let changed = try DocumentChange(write, old: old, time: FirestoreTimestamp(microseconds: time))
    let document = put(name, try StoredDocument.data(changed.fields))
    let updateTime = FirestoreTimestamp(microseconds: document.updateTime)
    let made = FirestoreDocument(
      name: name.full, fields: changed.fields, createTime: FirestoreTimestamp(microseconds: document.createTime),
      updateTime: updateTime)
    written.append((name, made))
    return .init(updateTime: updateTime, transformResults: changed.transformResults)
  }

  private mutating func put(_ name: DocumentName, _ data: Data) -> StoredDocument {
    guard let there = stored[name.key] else {
      let made = StoredDocument(name: name, fields: data, time: time)
      context.insert(made)
      stored[name.key] = made
      return made
    }
    // As in Firestore, a write without a change keeps the update time.
    if there.fields != data {
      there.fields = data
      there.updateTime = time
    }
    return there
  }

  private static func check(_ condition: FirestorePrecondition?, _ stored: StoredDocument?, _ name: String) throws {
    switch condition {
    case .exists(true) where stored == nil, .updateTime where stored == nil:
      throw FirestoreError(.notFound, "No document to update: \(name)")
    case .exists(false) where stored != nil:
      throw FirestoreError(.alreadyExists, "Document already exists: \(name)")
    case .updateTime(let time) where time.microseconds != stored?.updateTime:
      throw FirestoreError(
        .failedPrecondition,
        "the stored version (\(stored?.updateTime ?? 0)) does not match the required base version (\(time.microseconds))"
      )
    default: break
    }
  }
}
