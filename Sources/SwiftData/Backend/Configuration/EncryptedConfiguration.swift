/// A configuration of a store that can encrypt attributes.
package protocol EncryptedConfiguration {
  var encryptionKey: ModelConfiguration.EncryptionKey? { get }
  var previousEncryptionKeys: [ModelConfiguration.EncryptionKey] { get }
  var columnEncryption: ColumnEncryption { get }
}

extension ModelConfiguration: EncryptedConfiguration {
  package var columnEncryption: ColumnEncryption { .statements }
}
