import FirestoreProtocol

/// The permissions of a request.
struct Access {
  let rules: AccessRules?
  let identity: Identity

  /// - Parameter name: the full name of a document.
  /// - Throws: ``FirestoreError`` with status `permissionDenied`.
  func check(_ access: AccessRules.Access, _ name: String) throws {
    // The first five segments name the database.
    let path = name.split(separator: "/").dropFirst(5).joined(separator: "/")
    try rules?.check(access, path, by: identity)
  }

  /// - Parameter name: the name of a file in a bucket. In rules it has the prefix `storage/`.
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
