import CSwiftDataSQLite
import Foundation

extension SwiftFunctions {
  static let text = [
    SwiftFunction("swift_nfc", 1) { call in
      if SwiftText.isInert(call.utf8(0)) { call.returnsArgument(0) } else { call.returns(SwiftText.nfc(call.text(0))) }
    },
    SwiftFunction("swift_count", 1) { call in
      let bytes = call.utf8(0)
      let isSimple = SwiftText.isInert(bytes) && !bytes.contains(carriageReturn)
      // If each scalar is a character, counting leading bytes suffices.
      call.returns(Int64(isSimple ? bytes.count { $0 & 0xC0 != 0x80 } : call.text(0).count))
    },
    SwiftFunction("swift_contains", 2, direct: PlainPart.search) { call in
      let (text, part) = (call.utf8(0), call.utf8(1))
      if TextSearch.isPlain(part) {
        PlainPart.keep(part, for: call, 1)
        guard TextSearch.contains(text, part) else { return call.returns(false) }
        if SwiftText.isInert(text) { return call.returns(true) }
      }
      call.returns(TextSearch.contains(call.text(0), characters: call.text(1)))
    },
    SwiftFunction("swift_starts_with", 2) { call in
      let (text, prefix) = (call.utf8(0), call.utf8(1))
      if call.fact(about: 1, { TextSearch.isPlain(prefix) }) {
        guard text.starts(with: prefix) else { return call.returns(false) }
        if SwiftText.isInert(text) { return call.returns(true) }
      }
      call.returns(call.text(0).starts(with: call.text(1)))
    },
    SwiftFunction("swift_characters", 1) { call in
      let items = call.text(0).map { ListCoding.quoted(ListCoding.quoted(String($0))) }
      call.returns("[" + items.joined(separator: ",") + "]")
    },
    SwiftFunction("swift_matches", 2) { call in
      guard case .integer(let number) = call.cell(1) else {
        return call.returns(TextSearch.matches(call.text(0), pattern: call.text(1)).map { .integer($0 ? 1 : 0) })
      }
      // The predicate that holds the expression was released before its SQL ran.
      guard let box = RegexBox.numbered(number) else { return call.fails("a captured regular expression was released") }
      call.returns(call.text(0).contains(box.regex))
    },
  ]

  private static let carriageReturn = UInt8(ascii: "\r")
}

/// A searched text whose bytes decide. SQLite keeps it for the next rows if it is the same for all of them.
private struct PlainPart {
  private let count: Int
  // The bytes follow.

  static func keep(_ part: UnsafeBufferPointer<UInt8>, for call: SQLiteCall, _ argument: Int32) {
    guard let start = part.baseAddress, sqlite3_get_auxdata(call.context, argument) == nil,
      let copy = malloc(MemoryLayout<PlainPart>.size + part.count)
    else { return }
    copy.initializeMemory(as: PlainPart.self, to: PlainPart(count: part.count))
    memcpy(copy + MemoryLayout<PlainPart>.size, start, part.count)
    sqlite3_set_auxdata(call.context, argument, copy, free)
  }

  /// `swift_contains` with as few calls of SQLite for each row as possible.
  static let search: SwiftFunction.Direct = { context, count, values in
    guard let part = sqlite3_get_auxdata(context, 1), let start = sqlite3_value_text(values![0]) else {
      return SwiftFunction.call(context, count, values)
    }
    let text = UnsafeBufferPointer(start: start, count: Int(sqlite3_value_bytes(values![0])))
    let bytes = UnsafeBufferPointer(
      start: (part + MemoryLayout<PlainPart>.size).assumingMemoryBound(to: UInt8.self),
      count: part.assumingMemoryBound(to: PlainPart.self).pointee.count)
    guard TextSearch.contains(text, bytes) else { return sqlite3_result_int(context, 0) }
    SwiftText.isInert(text) ? sqlite3_result_int(context, 1) : SwiftFunction.call(context, count, values)
  }
}

/// Searches by characters, or by bytes if that is equivalent.
private enum TextSearch {
  /// Whether a text occurs byte by byte in every text that contains it: ASCII without line ends, which may be part of a
  /// character, and without the three characters that have canonical equivalents elsewhere (U+037E, U+1FEF, U+212A).
  static func isPlain(_ part: UnsafeBufferPointer<UInt8>) -> Bool {
    part.allSatisfy { byte in
      byte < 0x80
        && ![UInt8(ascii: "\r"), UInt8(ascii: "\n"), UInt8(ascii: ";"), UInt8(ascii: "`"), UInt8(ascii: "K")]
          .contains(byte)
    }
  }

  static func contains(_ text: UnsafeBufferPointer<UInt8>, _ part: UnsafeBufferPointer<UInt8>) -> Bool {
    guard let first = part.first, var start = text.baseAddress else { return part.isEmpty }
    var left = text.count
    while left >= part.count, let found = memchr(start, Int32(first), left - part.count + 1) {
      if memcmp(found, part.baseAddress!, part.count) == 0 { return true }
      left -= UnsafeRawPointer(found) - UnsafeRawPointer(start) + 1
      start = UnsafeRawPointer(found).assumingMemoryBound(to: UInt8.self) + 1
    }
    return false
  }

  /// `contains` of two collections, as Foundation's node calls it.
  static func contains<Base: Collection, Part: Collection>(_ text: Base, characters part: Part) -> Bool
  where Base.Element == Part.Element, Base.Element: Equatable {
    text.contains(part)
  }

  static func matches(_ text: String, pattern: String) -> Bool? {
    patterns.withLock { patterns in
      if patterns[pattern] == nil {
        guard let regex = try? Regex(pattern) else { return nil }
        if patterns.count >= 64 { patterns.removeAll() }
        patterns[pattern] = Pattern(regex: regex)
      }
      return text.contains(patterns[pattern]!.regex)
    }
  }

  // @unchecked Sendable because it is only used under the mutex.
  private struct Pattern: @unchecked Sendable { let regex: Regex<AnyRegexOutput> }
  private static let patterns = Lock<[String: Pattern]>([:])
}
