extension ModelContainer {
  /// Encrypts every encrypted value again with the `encryptionKey` of its configuration. Former keys are unnecessary
  /// afterwards. Each store does this in one transaction. (Not Apple's.)
  /// - Throws: ``SwiftDataError/encryptionKey`` if a key is missing, or an error of the store. Then that store is
  ///   unchanged.
  /// - Complexity: reads and writes every object with an encrypted attribute.
  public func reencrypt() throws {
    for store in core.stores { try store.reencrypt() }
  }
}
