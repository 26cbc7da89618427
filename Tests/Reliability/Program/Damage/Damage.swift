import Foundation

/// Ways in which a file goes bad.
enum Damage: CaseIterable {
  case bits, bitsOfLog, head, firstPage, interior, leaf, index, overflow, zeroedPage, noise, swappedPages, truncated
  case emptied, letter, cutLog, none

  private static let pageSize = 4096

  var isOfLog: Bool { self == .bitsOfLog || self == .cutLog }

  func apply(to store: URL, _ random: inout Random) throws {
    let log = URL(fileURLWithPath: store.path + "-wal")
    let file = isOfLog ? log : store
    var data = try Data(contentsOf: file)
    let pages = max(1, data.count / Self.pageSize)
    switch self {
    case .bits, .bitsOfLog: flip(&data, 0..<data.count, 1 + random.below(8), &random)
    case .head: flip(&data, 0..<100, 1 + random.below(4), &random)
    case .firstPage: flip(&data, 100..<Self.pageSize, 1 + random.below(8), &random)
    case .interior: flipPage(&data, [2, 5], &random)
    case .leaf: flipPage(&data, [13], &random)
    case .index: flipPage(&data, [10], &random)
    case .overflow: flipPage(&data, [0], &random)
    case .zeroedPage: fill(&data, random.below(pages)) { _ in 0 }
    case .noise:
      var noise = random
      fill(&data, random.below(pages)) { _ in UInt8(noise.below(256)) }
    case .swappedPages:
      let (one, other) = (random.below(pages), random.below(pages))
      let copy = data
      fill(&data, one) { copy[other * Self.pageSize + $0] }
      fill(&data, other) { copy[one * Self.pageSize + $0] }
    case .truncated, .cutLog: data.removeSubrange(random.below(data.count)...)
    case .none: return
    case .emptied: data = Data()
    case .letter: data = Data(String(repeating: "Dear reader, this is a letter. ", count: 1 + random.below(400)).utf8)
    }
    try data.write(to: file)
  }

  private func flip(_ data: inout Data, _ range: Range<Int>, _ count: Int, _ random: inout Random) {
    for _ in 0..<count { data[range.lowerBound + random.below(range.count)] ^= 1 << UInt8(random.below(8)) }
  }

  /// Flips bits of a page of some kinds, mostly where it says how it is made up.
  private func flipPage(_ data: inout Data, _ kinds: Set<UInt8>, _ random: inout Random) {
    let pages = (1..<data.count / Self.pageSize).filter { kinds.contains(data[$0 * Self.pageSize]) }
    guard let page = random.pick(pages) else { return }
    let start = page * Self.pageSize
    let size = random.chance(1, in: 2) ? 40 : Self.pageSize
    flip(&data, start..<(start + size), 1 + random.below(6), &random)
  }

  private func fill(_ data: inout Data, _ page: Int, _ byte: (Int) -> UInt8) {
    let start = page * Self.pageSize
    for index in 0..<min(Self.pageSize, data.count - start) { data[start + index] = byte(index) }
  }
}
