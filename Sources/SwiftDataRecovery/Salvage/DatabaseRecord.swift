import Foundation
import SwiftData

/// Decodes SQLite's record format.
enum DatabaseRecord {
  /// Returns nil if the bytes are not a record.
  static func cells(_ payload: [UInt8]) -> [SQLValue]? {
    let bytes = PageBytes(bytes: payload)
    var offset = 0
    guard let headSize = bytes.varint(&offset), headSize >= offset, headSize <= payload.count else { return nil }
    var kinds = [Int64]()
    while offset < headSize {
      guard let kind = bytes.varint(&offset), kind >= 0, kind != 10, kind != 11 else { return nil }
      kinds.append(kind)
    }
    guard offset == headSize else { return nil }
    var cells = [SQLValue]()
    for kind in kinds {
      guard let cell = cell(kind, bytes, &offset) else { return nil }
      cells.append(cell)
    }
    return offset == payload.count ? cells : nil
  }

  private static func cell(_ kind: Int64, _ bytes: PageBytes, _ offset: inout Int) -> SQLValue? {
    func integer(_ size: Int) -> SQLValue? {
      guard let slice = bytes.slice(offset, size) else { return nil }
      offset += size
      let sign: Int64 = slice.first! & 0x80 == 0 ? 0 : -1
      return .integer(slice.reduce(sign) { $0 << 8 | Int64($1) })
    }
    switch kind {
    case 0: return .null
    case 1...4: return integer(Int(kind))
    case 5: return integer(6)
    case 6: return integer(8)
    case 7:
      guard case .integer(let bits)? = integer(8) else { return nil }
      return .real(Double(bitPattern: UInt64(bitPattern: bits)))
    case 8: return .integer(0)
    case 9: return .integer(1)
    default:
      let size = (kind - 12) / 2
      guard size <= Int64(bytes.bytes.count), let slice = bytes.slice(offset, Int(size)) else { return nil }
      offset += Int(size)
      if kind % 2 == 0 { return .blob(Data(slice)) }
      // Text that is not valid UTF-8 is damaged.
      return String(validating: slice, as: UTF8.self).map { .text($0) }
    }
  }
}
