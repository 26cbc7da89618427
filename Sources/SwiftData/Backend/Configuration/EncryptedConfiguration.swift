/// A configuration of a store that can encrypt attributes.
package protocol EncryptedConfiguration: DataStoreConfiguration {
  var encryptionKey: ModelConfiguration.EncryptionKey? { get }
  var formerEncryptionKeys: [ModelConfiguration.EncryptionKey] { get }
  var columnEncryption: ColumnEncryption { get }
}

/// The part that encrypts and decrypts the cells of encrypted columns.
package enum ColumnEncryption: Sendable {
  /// Functions that statements call.
  case statements
  /// The program, before it sends rows and after it reads them. The database knows no value.
  case program
}

extension ModelConfiguration: EncryptedConfiguration {
  package var columnEncryption: ColumnEncryption { .statements }
}
