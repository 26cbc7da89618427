/// A configuration of a store that can encrypt attributes.
package protocol EncryptedConfiguration {
  var encryptionKey: ModelConfiguration.EncryptionKey? { get }
  var previousEncryptionKeys: [ModelConfiguration.EncryptionKey] { get }
  /// The part that encodes cells with the keys, or nil if there is no key.
  var columnCoding: ColumnCoding? { get }
}

extension ModelConfiguration: EncryptedConfiguration {
  package var columnCoding: ColumnCoding? { encryptionKey == nil ? nil : .statements }
}

extension KeyRing {
  /// Returns nil if the configuration has no key.
  package convenience init?(_ configuration: some EncryptedConfiguration) {
    guard let key = configuration.encryptionKey else { return nil }
    self.init(([key] + configuration.previousEncryptionKeys).map(\.ringKey))
  }
}
