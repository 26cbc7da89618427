import Foundation

/// The committed pages of a log up to the first damaged frame, which is what SQLite itself uses.
struct WriteAheadLog {
  let pageSize: Int
  /// The number of pages of the database after the last commit.
  private(set) var pageCount = 0
  private let frames: Int
  private let file: SalvagedFile
  private var frameOfPage: [Int: Int] = [:]
  /// Whether the log continues after the used part, as after a crash or damage.
  private(set) var hasRest = false

  /// Returns nil if there is no log or its header is damaged.
  init?(_ file: SalvagedFile) {
    self.file = file
    let head = PageBytes(bytes: file.read(0, 32))
    guard let magic = head.number(0, size: 4), magic & ~1 == 0x377F_0682, let size = head.number(8, size: 4),
      DatabasePages.isPageSize(size)
    else { return nil }
    pageSize = size
    frames = (file.size - 32) / (size + 24)
    var sum = Checksum(isBigEndian: magic & 1 == 1)
    sum.add(head.bytes[..<24])
    guard sum.isEqual(head, 24) else { return nil }
    take(salt: head.slice(16, 8).map(Array.init) ?? [], sum)
  }

  private mutating func take(salt: [UInt8], _ start: Checksum) {
    var sum = start
    var open: [Int: Int] = [:]
    for frame in 0..<max(0, frames) {
      let head = PageBytes(bytes: file.read(offset(frame), 24))
      guard let page = head.number(0, size: 4), let size = head.number(4, size: 4), page > 0,
        head.slice(8, 8).map(Array.init) == salt
      else {
        hasRest = true
        return
      }
      sum.add(head.bytes[..<8])
      sum.add(self.page(inFrame: frame)[...])
      guard sum.isEqual(head, 16) else {
        hasRest = true
        return
      }
      open[page] = frame
      if size > 0 {
        frameOfPage.merge(open) { $1 }
        open = [:]
        pageCount = size
      }
    }
    hasRest = !open.isEmpty
  }

  private func offset(_ frame: Int) -> Int { 32 + frame * (pageSize + 24) }
  private func page(inFrame frame: Int) -> [UInt8] { file.read(offset(frame) + 24, pageSize) }

  /// Returns nil if the log does not have the page.
  func page(_ number: Int) -> [UInt8]? { frameOfPage[number].map { page(inFrame: $0) } }

  /// SQLite's checksum: two sums over pairs of words that depend on each other.
  private struct Checksum {
    let isBigEndian: Bool
    var first: UInt32 = 0
    var second: UInt32 = 0

    init(isBigEndian: Bool) { self.isBigEndian = isBigEndian }

    mutating func add(_ bytes: ArraySlice<UInt8>) {
      func word(_ index: Int) -> UInt32 {
        let four = bytes[index..<(index + 4)]
        return isBigEndian
          ? four.reduce(0) { $0 << 8 | UInt32($1) } : four.reversed().reduce(0) { $0 << 8 | UInt32($1) }
      }
      var index = bytes.startIndex
      while index + 8 <= bytes.endIndex {
        first = first &+ word(index) &+ second
        second = second &+ word(index + 4) &+ first
        index += 8
      }
    }

    func isEqual(_ head: PageBytes, _ offset: Int) -> Bool {
      head.number(offset, size: 4) == Int(first) && head.number(offset + 4, size: 4) == Int(second)
    }
  }
}
