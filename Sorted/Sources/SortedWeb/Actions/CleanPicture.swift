import Foundation
import Sorted

/// A picture without what a camera, a phone or a program wrote into it: the place, the time, the device, comments and hidden further
/// pictures. It keeps what it takes to show the picture: its orientation, its colours and its movement.
///
/// It works on the parts of a file and decodes no picture, so it needs no library, and a file that ends too early loses the same.
/// It keeps the parts that it knows and drops all others, because new kinds of metadata appear every few years.
struct CleanPicture {
  /// As many as a browser gets to decode.
  static let maximumPixels = 40_000_000

  let bytes: Data
  let pixels: Int
  /// As browsers show it: turned by its orientation.
  let size: (width: Int, height: Int)

  init(_ bytes: Data, _ kind: FileKind) {
    let parts: PictureParts
    switch kind.mimeType {
    case "image/jpeg": parts = JPEGParts.clean([UInt8](bytes))
    case "image/png": parts = PNGParts.clean([UInt8](bytes))
    case "image/webp": parts = WebPParts.clean([UInt8](bytes))
    case "image/gif": parts = GIFParts.clean([UInt8](bytes))
    default: parts = PictureParts(kept: [UInt8](bytes))
    }
    (self.bytes, pixels) = (Data(parts.kept), parts.pixels)
    size = parts.isTurned ? (parts.size.height, parts.size.width) : parts.size
  }
}

/// What is kept of a picture, and its greatest size.
struct PictureParts {
  var kept: [UInt8] = []
  private(set) var pixels = 0
  private(set) var size = (width: 0, height: 0)
  /// Whether its width is shown as its height.
  var isTurned = false

  mutating func note(width: Int, height: Int) {
    let (product, isTooLarge) = width.multipliedReportingOverflow(by: height)
    guard isTooLarge || product > pixels else { return }
    (pixels, size) = (isTooLarge ? .max : product, (width, height))
  }
}

extension [UInt8] {
  /// A number with its most significant byte first. What is missing counts as zero.
  fileprivate func big(_ index: Int, _ count: Int) -> Int { (0..<count).reduce(0) { $0 << 8 | byte(index + $1) } }

  /// A number with its least significant byte first. What is missing counts as zero.
  fileprivate func little(_ index: Int, _ count: Int) -> Int {
    (0..<count).reversed().reduce(0) { $0 << 8 | byte(index + $1) }
  }

  private func byte(_ index: Int) -> Int { indices.contains(index) ? Int(self[index]) : 0 }

  fileprivate func has(_ text: String, at index: Int) -> Bool {
    let bytes = Array(text.utf8)
    return index >= 0 && index + bytes.count <= count && self[index..<index + bytes.count].elementsEqual(bytes)
  }
}

private enum JPEGParts {
  private static let start: [UInt8] = [0xFF, 0xD8]

  static func clean(_ bytes: [UInt8]) -> PictureParts {
    var parts = PictureParts()
    var (index, orientation) = (2, 1)
    while index + 1 < bytes.count {
      // Bytes that are no marker are not shown.
      guard bytes[index] == 0xFF, bytes[index + 1] != 0xFF else {
        index += 1
        continue
      }
      let marker = bytes[index + 1]
      if marker == 0xD9 {
        parts.kept += [0xFF, 0xD9]
        break
      }
      if marker <= 0x01 || (0xD0...0xD8).contains(marker) {
        index += 2
        continue
      }
      let end = min(bytes.count, index + 2 + max(2, bytes.big(index + 2, 2)))
      switch marker {
      case 0xE0 where bytes.has("JFIF\0", at: index + 4): parts.kept += withoutThumbnail(bytes[index..<end])
      case 0xE1:
        orientation = self.orientation(bytes, index + 4, end) ?? orientation
      case 0xE2 where bytes.has("ICC_PROFILE", at: index + 4): parts.kept += bytes[index..<end]
      case 0xEE where bytes.has("Adobe", at: index + 4): parts.kept += bytes[index..<end]
      // Frames, tables and scans.
      case 0xC0...0xCF, 0xDA...0xDF: parts.kept += bytes[index..<end]
      default: break
      }
      if (0xC0...0xCF).contains(marker), ![0xC4, 0xC8, 0xCC].contains(marker) {
        parts.note(width: bytes.big(index + 7, 2), height: bytes.big(index + 5, 2))
      }
      index = end
      guard marker == 0xDA else { continue }
      let next = endOfScan(bytes, end)
      parts.kept += bytes[end..<next]
      index = next
    }
    parts.isTurned = orientation > 4
    parts.kept = start + (orientation > 1 ? segment(orientation) : []) + parts.kept
    return parts
  }

  /// A JFIF segment without the small picture that may follow its 14 bytes.
  private static func withoutThumbnail(_ segment: ArraySlice<UInt8>) -> [UInt8] {
    let kept = Array(segment.prefix(16))
    return kept.count < 16 ? kept : [0xFF, 0xE0, 0, 16] + kept[4..<16] + [0, 0]
  }

  /// Where the coded picture ends: at a marker that is no part of it.
  private static func endOfScan(_ bytes: [UInt8], _ start: Int) -> Int {
    bytes.withUnsafeBytes { buffer in
      var index = start
      while index < buffer.count, let found = memchr(buffer.baseAddress! + index, 0xFF, buffer.count - index) {
        let place = UnsafeRawPointer(found) - buffer.baseAddress!
        guard place + 1 < buffer.count else { return buffer.count }
        let next = buffer[place + 1]
        guard next == 0 || (0xD0...0xD7).contains(next) || next == 0xFF else { return place }
        index = place + (next == 0xFF ? 1 : 2)
      }
      return buffer.count
    }
  }

  /// The orientation of an Exif segment.
  private static func orientation(_ bytes: [UInt8], _ start: Int, _ end: Int) -> Int? {
    guard bytes.has("Exif\0\0", at: start) else { return nil }
    let head = start + 6
    let isLittle = bytes.has("II", at: head)
    func number(_ index: Int, _ count: Int) -> Int { isLittle ? bytes.little(index, count) : bytes.big(index, count) }
    let table = head + number(head + 4, 4)
    guard table + 2 <= end else { return nil }
    for entry in 0..<min(number(table, 2), 200) {
      let place = table + 2 + entry * 12
      guard place + 12 <= end else { return nil }
      if number(place, 2) == 0x0112 { return (1...8).contains(number(place + 8, 2)) ? number(place + 8, 2) : nil }
    }
    return nil
  }

  /// An Exif segment with an orientation and nothing else.
  private static func segment(_ orientation: Int) -> [UInt8] {
    [0xFF, 0xE1, 0, 34] + Array("Exif\0\0MM".utf8) + [0, 42, 0, 0, 0, 8, 0, 1, 1, 0x12, 0, 3, 0, 0, 0, 1]
      + [0, UInt8(orientation), 0, 0, 0, 0, 0, 0]
  }
}

private enum PNGParts {
  /// The picture, its colours, its resolution and its movement.
  private static let kept = [
    "IHDR", "PLTE", "IDAT", "IEND", "tRNS", "bKGD", "cHRM", "gAMA", "iCCP", "sBIT", "sRGB", "cICP", "pHYs", "acTL",
    "fcTL",
    "fdAT",
  ]

  static func clean(_ bytes: [UInt8]) -> PictureParts {
    var parts = PictureParts(kept: Array(bytes.prefix(8)))
    var index = 8
    while index + 8 <= bytes.count {
      let end = min(bytes.count, index + 12 + bytes.big(index, 4))
      if bytes.has("IHDR", at: index + 4) {
        parts.note(width: bytes.big(index + 8, 4), height: bytes.big(index + 12, 4))
      }
      if kept.contains(where: { bytes.has($0, at: index + 4) }) { parts.kept += bytes[index..<end] }
      // Nothing behind the end is shown.
      if bytes.has("IEND", at: index + 4) { break }
      index = end
    }
    return parts
  }
}

private enum WebPParts {
  static func clean(_ bytes: [UInt8]) -> PictureParts {
    var parts = PictureParts(kept: Array(bytes.prefix(12)))
    keepChunks(of: bytes, from: 12, to: min(bytes.count, 8 + bytes.little(4, 4)), &parts)
    setSize(at: 4, &parts)
    return parts
  }

  /// The picture, its transparency, its colours and its movement.
  private static let kept = ["VP8 ", "VP8L", "VP8X", "ALPH", "ICCP", "ANIM"]
  /// The bytes of a frame before its chunks, with the head of its own chunk.
  private static let frameHead = 24

  private static func keepChunks(of bytes: [UInt8], from start: Int, to last: Int, _ parts: inout PictureParts) {
    var index = start
    while index + 8 <= last {
      let size = bytes.little(index + 4, 4)
      let end = min(last, index + 8 + size + size % 2)
      note(bytes, index, &parts)
      let place = parts.kept.count
      if bytes.has("ANMF", at: index), start == 12 {
        parts.kept += bytes[index..<min(end, index + frameHead)]
        keepChunks(of: bytes, from: index + frameHead, to: end, &parts)
        setSize(at: place + 4, &parts)
      } else if kept.contains(where: { bytes.has($0, at: index) }) {
        parts.kept += bytes[index..<end]
        // It says which of the others are there.
        if bytes.has("VP8X", at: index), parts.kept.indices.contains(place + 8) { parts.kept[place + 8] &= ~0x0C }
      }
      index = end
    }
  }

  /// Writes how many bytes follow a size.
  private static func setSize(at place: Int, _ parts: inout PictureParts) {
    let size = max(0, parts.kept.count - place - 4)
    for index in 0..<4 where parts.kept.indices.contains(place + index) {
      parts.kept[place + index] = UInt8(truncatingIfNeeded: size >> (8 * index))
    }
  }

  private static func note(_ bytes: [UInt8], _ index: Int, _ parts: inout PictureParts) {
    if bytes.has("VP8X", at: index) {
      parts.note(width: 1 + bytes.little(index + 12, 3), height: 1 + bytes.little(index + 15, 3))
    } else if bytes.has("VP8L", at: index) {
      let bits = bytes.little(index + 9, 4)
      parts.note(width: 1 + bits & 0x3FFF, height: 1 + bits >> 14 & 0x3FFF)
    } else if bytes.has("VP8 ", at: index) {
      parts.note(width: bytes.little(index + 14, 2) & 0x3FFF, height: bytes.little(index + 16, 2) & 0x3FFF)
    }
  }
}

private enum GIFParts {
  static func clean(_ bytes: [UInt8]) -> PictureParts {
    var parts = PictureParts()
    parts.note(width: bytes.little(6, 2), height: bytes.little(8, 2))
    var index = min(bytes.count, 13 + colours(bytes, 10))
    parts.kept = Array(bytes[..<index])
    while index < bytes.count {
      let start = index
      switch bytes[index] {
      case 0x21:
        index = endOfBlocks(bytes, index + 2)
        let isShown =
          bytes.big(start + 1, 1) == 0xF9 || bytes.has("NETSCAPE2.0", at: start + 3)
          || bytes.has("ANIMEXTS1.0", at: start + 3)
        if isShown { parts.kept += bytes[start..<index] }
      case 0x2C:
        parts.note(width: bytes.little(index + 5, 2), height: bytes.little(index + 7, 2))
        index = endOfBlocks(bytes, index + 11 + colours(bytes, index + 9))
        parts.kept += bytes[start..<index]
      default:
        // The end, or what no browser shows.
        parts.kept.append(0x3B)
        return parts
      }
    }
    return parts
  }

  /// The size of the table of colours that a byte tells of.
  private static func colours(_ bytes: [UInt8], _ index: Int) -> Int {
    let flags = bytes.big(index, 1)
    return flags & 0x80 == 0 ? 0 : 3 << (flags & 7 + 1)
  }

  private static func endOfBlocks(_ bytes: [UInt8], _ start: Int) -> Int {
    var index = start
    while index < bytes.count, bytes[index] != 0 { index += 1 + Int(bytes[index]) }
    return min(bytes.count, index + 1)
  }
}
