import FirestoreProtocol

/// Reads and writes fields by path.
enum FieldAccess {
  /// - Throws: ``FirestoreError`` with status `invalidArgument` for an invalid path.
  static func path(_ text: String) throws -> FirestoreFieldPath {
    guard let path = FirestoreFieldPath(parsing: text) else {
      throw FirestoreError(.invalidArgument, "Invalid property path \"\(text)\".")
    }
    return path
  }

  static func value(_ path: FirestoreFieldPath, in document: FirestoreDocument) -> FirestoreValue? {
    if path.segments == ["__name__"] { return .reference(document.name) }
    return value(path.segments[...], in: document.fields)
  }

  static func value(_ path: ArraySlice<String>, in fields: [String: FirestoreValue]) -> FirestoreValue? {
    guard let first = path.first, let value = fields[first] else { return nil }
    if path.count == 1 { return value }
    guard case .map(let inner) = value else { return nil }
    return self.value(path.dropFirst(), in: inner)
  }

  /// Sets a field and creates the maps on its path. Nil removes it and creates none.
  static func set(_ value: FirestoreValue?, at path: ArraySlice<String>, in fields: inout [String: FirestoreValue]) {
    guard let first = path.first else { return }
    if path.count == 1 {
      fields[first] = value
      return
    }
    var inner = [String: FirestoreValue]()
    if case .map(let there)? = fields[first] { inner = there } else if value == nil { return }
    set(value, at: path.dropFirst(), in: &inner)
    fields[first] = .map(inner)
  }

  /// The document with only these fields.
  static func masked(_ document: FirestoreDocument, _ paths: [FirestoreFieldPath]) -> FirestoreDocument {
    var result = document
    result.fields = [:]
    for path in paths {
      if let value = value(path.segments[...], in: document.fields) {
        set(value, at: path.segments[...], in: &result.fields)
      }
    }
    return result
  }
}
