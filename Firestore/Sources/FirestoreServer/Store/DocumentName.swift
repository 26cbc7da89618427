import FirestoreProtocol

/// A document name: `projects/P/databases/D/documents/` and pairs of collection and document.
struct DocumentName {
  let full: String
  /// The key of the document in the store.
  let key: String
  /// The ``key(of:)`` of the collection including everything above it.
  let parentKey: String
  /// The last segment of the collection's name.
  let collection: String

  /// - Throws: ``FirestoreError`` with status `invalidArgument` if the name is not a document's.
  init(_ full: String) throws {
    let parts = full.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count >= 7, parts.count % 2 == 1, parts[0] == "projects", parts[2] == "databases",
      parts[4] == "documents", !parts.contains("")
    else {
      throw FirestoreError(.invalidArgument, "Document name \"\(full)\" is not the name of a document.")
    }
    self.full = full
    self.key = Self.key(of: full)
    self.parentKey = Self.key(of: parts.dropLast().joined(separator: "/"))
    self.collection = Self.key(of: String(parts[parts.count - 2]))
  }

  /// An ASCII key that sorts like the name's UTF-8. Firestore distinguishes names by bytes. Swift and the store treat
  /// composed and decomposed forms as equal. DEL, the last ASCII character, begins an escape.
  static func key(of name: String) -> String {
    guard name.utf8.contains(where: { $0 >= 0x7F }) else { return name }
    var key = ""
    for byte in name.utf8 {
      if byte < 0x7F {
        key.unicodeScalars.append(UnicodeScalar(byte))
      } else {
        key += "\u{7F}" + String(byte, radix: 16)
      }
    }
    return key
  }
}
