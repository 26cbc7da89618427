import Foundation
import SwiftData

/// A file that is read in pieces. Unreadable bytes are zero.
///
/// SQLite opens it, so that the process keeps its locks on it (``DatabaseFile``). It does not care what is in the file.
final class SalvagedFile {
  let size: Int
  private let file: DatabaseFile

  /// - Throws: ``SwiftDataError/io`` if the file does not exist or cannot be read.
  init(_ path: String) throws {
    do {
      file = try DatabaseFile(FileKind.real(path))
    } catch {
      let reason = (error as? SQLiteError)?.message
      throw SwiftDataError(.io, message: "\"\(path)\" cannot be read" + (reason.map { " (\($0))" } ?? ""))
    }
    size = file.size
  }

  /// Reads a number of bytes. Bytes beyond the end are zero.
  func read(_ offset: Int, _ count: Int) -> [UInt8] {
    guard offset >= 0 else { return [UInt8](repeating: 0, count: count) }
    let bytes = file.bytes(count, at: offset)
    return bytes.count == count ? bytes : bytes + [UInt8](repeating: 0, count: count - bytes.count)
  }
}

/// The pages of a database and its log, read without SQLite, which rejects the whole file if one page is damaged.
///
/// SQLite's documentation defines the file format ("Database File Format").
struct DatabasePages {
  let pageSize: Int
  /// The usable size of a page.
  let usable: Int
  let count: Int
  let isHeaderDamaged: Bool
  private let file: SalvagedFile?
  let log: WriteAheadLog?
  /// Free pages. They may contain deleted rows.
  private(set) var free: Set<Int> = []

  static func isPageSize(_ size: Int) -> Bool { (512...65_536).contains(size) && size & (size - 1) == 0 }

  init(_ file: SalvagedFile?, log logFile: SalvagedFile?) {
    self.file = file
    let log = logFile.flatMap(WriteAheadLog.init)
    self.log = log
    let first = PageBytes(bytes: log?.page(1) ?? file?.read(0, 100) ?? [])
    let head = Array("SQLite format 3\0".utf8)
    let size = first.number(16, size: 2).map { $0 == 1 ? 65_536 : $0 } ?? 0
    let isSound = first.slice(0, 16).map(Array.init) == head && Self.isPageSize(size) && first.byte(21) == 64
    isHeaderDamaged = !isSound
    pageSize = log?.pageSize ?? (isSound ? size : file.map(Self.guessedPageSize) ?? 4096)
    usable = pageSize - (isSound ? first.byte(20) ?? 0 : 0)
    count = max(log?.pageCount ?? 0, (file?.size ?? 0) / pageSize)
    if isSound { noteFree(first) }
  }

  /// - Parameter number: the page number, starting at 1.
  func page(_ number: Int) -> PageBytes? {
    guard number >= 1, number <= count else { return nil }
    if let page = log?.page(number) { return PageBytes(bytes: page) }
    return file.map { PageBytes(bytes: $0.read((number - 1) * pageSize, pageSize)) }
  }

  private mutating func noteFree(_ first: PageBytes) {
    var next = first.number(32, size: 4) ?? 0
    while next > 0, !free.contains(next), let trunk = page(next) {
      free.insert(next)
      for index in 0..<min(trunk.number(4, size: 4) ?? 0, usable / 4 - 2) {
        if let leaf = trunk.number(8 + index * 4, size: 4) { free.insert(leaf) }
      }
      next = trunk.number(0, size: 4) ?? 0
    }
  }

  /// The page size at which most pages begin with a valid header.
  private static func guessedPageSize(_ file: SalvagedFile) -> Int {
    let sizes = (9...16).map { 1 << $0 }
    func score(_ size: Int) -> Double {
      let pages = min(file.size / size, 2000)
      guard pages > 1 else { return 0 }
      let sound = (1..<pages).filter { number in
        let head = PageBytes(bytes: file.read(number * size, 8))
        guard let kind = head.byte(0), let cells = head.number(3, size: 2), let start = head.number(5, size: 2) else {
          return false
        }
        return [2, 5, 10, 13].contains(kind) && cells > 0 && cells * 2 + 8 <= start && start <= size
      }
      return Double(sound.count) / Double(pages)
    }
    let scores = sizes.map(score)
    // A multiple of the size has as many valid headers; a divisor has fewer.
    guard let best = scores.max(), best > 0, let index = scores.firstIndex(where: { $0 > 0.7 * best }) else {
      return 4096
    }
    return sizes[index]
  }
}
