import FirestoreClient

/// `projects/P/databases/D/documents/` and pairs of collection and document.
struct DocumentName {
  let full: String
  /// What the document is stored by.
  let key: String
  /// The ``key(of:)`` of the collection with everything above it.
  let parentKey: String
  /// The name of the collection alone.
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
    self.key = Self.key(of: full)
    self.parentKey = Self.key(of: parts.dropLast().joined(separator: "/"))
    self.collection = Self.key(of: String(parts[parts.count - 2]))
  }

  /// ASCII in the order of the name's UTF-8. Firestore tells names apart by their bytes; Swift, and so the store, takes
  /// the composed and the decomposed form of a letter for the same. DEL is the last of ASCII, and begins an escape.
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
