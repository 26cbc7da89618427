import Foundation

/// The keys of a store: one to encrypt, and all to decrypt.
///
/// An encrypted cell is a blob: a mark, the identifier of the key, then AES-GCM's nonce, ciphertext and tag. Each value
/// has a new nonce. Mark, identifier and column name are authenticated, so a cell that is moved to another column
/// cannot be decrypted.
package final class KeyRing: Sendable {
  struct Key: Sendable {
    let identifier: String
    let cipher: Cipher
  }

  /// The prefix of each encrypted cell. The last byte is the format version.
  package static let mark: [UInt8] = [0xE5, 0x53, 0x44, 0x01]
  /// The mark in hexadecimal digits.
  package static let markDigits = mark.hexDigits

  private let keys: [Key]
  /// The identifier of the key that encrypts.
  package var identifier: String { keys[0].identifier }

  /// - Parameter keys: the key that encrypts, then former ones.
  init(_ keys: [Key]) { self.keys = keys }

  /// Checks that no key is missing that a store may need.
  /// - Parameters:
  ///   - identifiers: the keys that encrypted values of the store.
  ///   - ring: the keys of the configuration, or nil if it has none.
  ///   - store: the name of the store.
  ///   - outcome: what the refusal left unchanged.
  /// - Throws: ``SwiftDataError/encryptionKey`` with the missing keys.
  package static func check(_ identifiers: [String], _ ring: KeyRing?, store: String, outcome: String) throws {
    let missing = identifiers.filter { identifier in ring?.keys.contains { $0.identifier == identifier } != true }
    guard !missing.isEmpty else { return }
    throw SwiftDataError(
      .encryptionKey,
      message: "\(store) has values encrypted with the key \(missing.joined(separator: ", ")), which is neither the"
        + " configuration's encryptionKey nor one of its previousEncryptionKeys; \(outcome)")
  }

  /// - Parameter column: the name of the column with its table's, `Table.column`.
  func encrypt(_ cell: SQLValue, column: some Sequence<UInt8>) throws -> Data {
    let head = Self.mark + keys[0].identifier.utf8
    return Data(head) + (try keys[0].cipher.encrypt(Self.bytes(of: cell), authenticating: head + column))
  }

  /// Whether a cell has the form of an encrypted one.
  func isEncrypted(_ cell: SQLValue) -> Bool {
    if case .blob(let blob) = cell { blob.starts(with: Self.mark) } else { false }
  }

  /// Decrypts a cell. Returns a cell that is not encrypted unchanged, such as a value in a comparison.
  /// - Throws: ``SwiftDataError/encryptionKey`` if no key of the ring encrypted it, ``SwiftDataError/unreadableValue``
  ///   if it was changed.
  func open(_ cell: SQLValue, column: some Sequence<UInt8>) throws -> SQLValue {
    guard case .blob(let blob) = cell, isEncrypted(cell) else { return cell }
    let head = Array(blob.prefix(Self.mark.count + 16))
    let identifier = head.dropFirst(Self.mark.count)
    guard let key = keys.first(where: { $0.identifier.utf8.elementsEqual(identifier) }) else {
      throw SwiftDataError(
        .encryptionKey,
        message: "a value is encrypted with the key \(String(decoding: identifier, as: UTF8.self)); add that key to"
          + " previousEncryptionKeys")
    }
    do {
      let bytes = try key.cipher.decrypt(blob.dropFirst(head.count), authenticating: head + column)
      if let cell = Self.cell(of: bytes) { return cell }
    } catch let error as SwiftDataError {
      throw error
    } catch {
      // Any error of the cipher means that the value is not what was written.
    }
    throw SwiftDataError(
      .unreadableValue,
      message:
        "an encrypted value is damaged, was changed, or was moved from another column; take the row from a backup,"
        + " or set the cell to NULL")
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
