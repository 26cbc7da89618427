import Foundation

/// The keys of a store: one to encrypt, and all to decrypt.
///
/// An encrypted cell is a blob: a mark, the identifier of the key, then AES-GCM's nonce, ciphertext and tag. Each value
/// has a new nonce. Mark, identifier and column name are authenticated, so a cell that is moved to another column
/// cannot be decrypted.
package final class KeyRing: ColumnKeys {
  private struct Key: Sendable {
    let identifier: [UInt8]
    let cipher: Cipher
  }

  /// The prefix of each encrypted cell. The last byte is the format version.
  package static let mark: [UInt8] = [0xE5, 0x53, 0x44, 0x01]

  package let current: ModelConfiguration.EncryptionKey
  private let keys: [Key]

  /// Returns nil if the configuration has no key.
  package convenience init?(_ configuration: some EncryptedConfiguration) {
    guard let current = configuration.encryptionKey else { return nil }
    self.init(current, configuration.previousEncryptionKeys)
  }

  init(_ current: ModelConfiguration.EncryptionKey, _ former: [ModelConfiguration.EncryptionKey] = []) {
    self.current = current
    keys = ([current] + former).map {
      Key(identifier: Array($0.identifier.utf8), cipher: $0.cipher)
    }
  }

  package func has(_ identifier: String) -> Bool { keys.contains { $0.identifier == Array(identifier.utf8) } }

  /// Checks that no key is missing that a store may need.
  /// - Parameters:
  ///   - identifiers: the keys that encrypted values of the store.
  ///   - ring: the keys of the configuration, or nil if it has none.
  ///   - store: the name of the store.
  ///   - outcome: what the refusal left unchanged.
  /// - Throws: ``SwiftDataError/encryptionKey`` with the missing keys.
  package static func check(_ identifiers: [String], _ ring: KeyRing?, store: String, outcome: String) throws {
    let missing = identifiers.filter { ring?.has($0) != true }
    guard !missing.isEmpty else { return }
    throw SwiftDataError(
      .encryptionKey,
      message: "\(store) has values encrypted with the key \(missing.joined(separator: ", ")), which is neither the"
        + " configuration's encryptionKey nor one of its previousEncryptionKeys; \(outcome)")
  }

  /// - Parameter column: the name of the column, from ``EncryptedColumn/name``.
  package func encrypt(_ cell: SQLValue, column: [UInt8]) throws -> Data {
    let key = keys[0]
    let text = try key.cipher.encrypt(Self.bytes(of: cell), authenticating: Self.mark + key.identifier + column)
    return Data(Self.mark + key.identifier) + text
  }

  /// Whether a cell has the form of an encrypted one.
  package func isEncrypted(_ cell: SQLValue) -> Bool {
    if case .blob(let blob) = cell { blob.starts(with: Self.mark) } else { false }
  }

  /// Decrypts a cell. Returns a cell that is not encrypted unchanged, such as a value in a comparison.
  /// - Throws: ``SwiftDataError/encryptionKey`` if no key of the ring encrypted it, ``SwiftDataError/unreadableValue``
  ///   if it was changed.
  package func open(_ cell: SQLValue, column: [UInt8]) throws -> SQLValue {
    guard case .blob(let blob) = cell, isEncrypted(cell) else { return cell }
    let header = Self.mark.count + 16
    let identifier = Array(blob.dropFirst(Self.mark.count).prefix(16))
    guard let key = keys.first(where: { $0.identifier == identifier }) else {
      throw SwiftDataError(
        .encryptionKey,
        message: "a value is encrypted with the key \(String(decoding: identifier, as: UTF8.self)); add that key to"
          + " previousEncryptionKeys")
    }
    do {
      let bytes = try key.cipher.decrypt(
        blob.dropFirst(header), authenticating: Self.mark + identifier + column)
      if let cell = Self.cell(of: bytes) { return cell }
    } catch let error as SwiftDataError {
      throw error
    } catch {
      // Any error of the cipher means that the value is not what was written.
    }
    throw SwiftDataError(
      .unreadableValue, message: "an encrypted value is damaged, was changed, or was moved from another column")
  }

  // MARK: - Cells and bytes

  private static func bytes(of cell: SQLValue) -> Data {
    switch cell {
    case .null: Data("n".utf8)
    case .integer(let value): Data("i".utf8) + withUnsafeBytes(of: value.littleEndian) { Data($0) }
    case .real(let value): Data("r".utf8) + withUnsafeBytes(of: value.bitPattern.littleEndian) { Data($0) }
    case .text(let value): Data("t".utf8) + Data(value.utf8)
    case .blob(let value): Data("b".utf8) + value
    }
  }

  private static func cell(of bytes: Data) -> SQLValue? {
    let rest = Data(bytes.dropFirst())
    func number() -> UInt64? {
      rest.count == 8 ? rest.reversed().reduce(0) { $0 << 8 | UInt64($1) } : nil
    }
    switch bytes.first {
    case UInt8(ascii: "n"): return .null
    case UInt8(ascii: "i"): return number().map { .integer(Int64(bitPattern: $0)) }
    case UInt8(ascii: "r"): return number().map { .real(Double(bitPattern: $0)) }
    case UInt8(ascii: "t"): return .text(String(decoding: rest, as: UTF8.self))
    case UInt8(ascii: "b"): return .blob(rest)
    default: return nil
    }
  }
}
