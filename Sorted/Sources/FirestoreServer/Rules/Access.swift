import FirestoreClient

/// What the one who asks may do.
struct Access {
  let rules: AccessRules?
  let identity: Identity

  /// - Parameter name: of a document, in full.
  /// - Throws: ``FirestoreError`` with status `permissionDenied`.
  func check(_ access: AccessRules.Access, _ name: String) throws {
    // The first five parts name the database.
    let path = name.split(separator: "/").dropFirst(5).joined(separator: "/")
    try rules?.check(access, path, by: identity)
  }

  /// - Parameter name: of a file in a bucket; in the rules `storage/` stands before it.
  /// - Throws: ``FirestoreError`` with status `permissionDenied`.
  func checkFile(_ access: AccessRules.Access, _ name: String) throws {
    try rules?.check(access, "storage/" + name, by: identity)
  }

  /// - Throws: ``FirestoreError`` with status `permissionDenied`.
  func checkOwner() throws {
    guard identity == .owner else {
      throw FirestoreError(.permissionDenied, "Missing or insufficient permissions: only the owner may do that.")
    }
  }
}
