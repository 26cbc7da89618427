import Crypto
import Foundation

/// The keys of one store: the one that writes, and all that read.
///
/// A sealed cell is a blob: a mark, the identifier of the key, then AES-GCM's nonce, text and tag. The nonce is new for
/// each value. Mark, identifier and the name of the column are authenticated too, so that a cell that is moved to
/// another column cannot be read there.
final class KeyRing: Sendable {
  private struct Key: Sendable {
    let identifier: [UInt8]
    let key: SymmetricKey
  }

  /// What every sealed cell begins with; the last byte is the version of the form.
  static let mark: [UInt8] = [0xE5, 0x53, 0x44, 0x01]

  let current: ModelConfiguration.EncryptionKey
  private let keys: [Key]

  /// Nil where the configuration has no key.
  convenience init?(_ configuration: ModelConfiguration) {
    guard let current = configuration.encryptionKey else { return nil }
    self.init(current, configuration.formerEncryptionKeys)
  }

  init(_ current: ModelConfiguration.EncryptionKey, _ former: [ModelConfiguration.EncryptionKey] = []) {
    self.current = current
    keys = ([current] + former).map {
      Key(identifier: Array($0.identifier.utf8), key: $0.symmetric)
    }
  }

  func has(_ identifier: String) -> Bool { keys.contains { $0.identifier == Array(identifier.utf8) } }

  /// - Parameter column: the name of the column, as ``EncryptedColumn/name`` has it.
  func seal(_ cell: SQLValue, column: [UInt8]) throws -> Data {
    let key = keys[0]
    let box = try AES.GCM.seal(
      Self.bytes(of: cell), using: key.key, authenticating: Self.mark + key.identifier + column)
    // Nil only for a nonce of another size than the default.
    return Data(Self.mark + key.identifier) + box.combined!
  }

  /// What is not sealed comes back as it is: a value on its way to a comparison.
  /// - Throws: ``SwiftDataError/encryptionKey`` where no key of the ring sealed it, ``SwiftDataError/unreadableValue``
  ///   where it was changed.
  func open(_ cell: SQLValue, column: [UInt8]) throws -> SQLValue {
    guard case .blob(let blob) = cell, blob.starts(with: Self.mark) else { return cell }
    let header = Self.mark.count + 16
    let identifier = Array(blob.dropFirst(Self.mark.count).prefix(16))
    guard let key = keys.first(where: { $0.identifier == identifier }) else {
      throw SwiftDataError(
        .encryptionKey, message: "a value was encrypted with the key \(String(decoding: identifier, as: UTF8.self))")
    }
    do {
      let box = try AES.GCM.SealedBox(combined: blob.dropFirst(header))
      let bytes = try AES.GCM.open(box, using: key.key, authenticating: Self.mark + identifier + column)
      guard let cell = Self.cell(of: bytes) else { throw CryptoKitError.authenticationFailure }
      return cell
    } catch {
      throw SwiftDataError(
        .unreadableValue, message: "an encrypted value was damaged, changed or moved from another column")
    }
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
