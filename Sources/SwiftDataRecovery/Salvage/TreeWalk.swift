import SwiftData

/// Reads the page trees of tables and indices as far as they are readable.
///
/// It visits no page twice, so cycles end.
struct TreeWalk {
  /// The most levels of a tree. SQLite reads no more either, and the pages of a file must not decide how deep the calls nest.
  private static let depthLimit = 20

  struct Row {
    let key: Int64
    let cells: [SQLValue]
  }

  private enum Kind: Int {
    case indexInterior = 2
    case tableInterior = 5
    case indexLeaf = 10
    case tableLeaf = 13
  }

  let pages: DatabasePages
  /// The visited pages of trees and overflow chains.
  private(set) var seen: Set<Int> = []

  init(_ pages: DatabasePages) { self.pages = pages }

  // MARK: - Tables

  /// The findings about a table.
  struct Table {
    var rows: [Row] = []
    /// The ranges of keys in unreadable pages.
    var lost: [ClosedRange<Int64>] = []
    /// The number of unreadable rows in readable pages.
    var damaged = 0
    var isWhole: Bool { lost.isEmpty && damaged == 0 }
  }

  mutating func table(root: Int) -> Table {
    var table = Table()
    visit(root, Int64.min...Int64.max, &table)
    return table
  }

  private mutating func visit(
    _ number: Int, _ keys: ClosedRange<Int64>, _ table: inout Table, depth: Int = 0
  ) {
    guard depth < Self.depthLimit, let page = pages.page(number), !seen.contains(number), !pages.free.contains(number),
      let head = head(page, number), head.kind == .tableLeaf || head.kind == .tableInterior
    else {
      table.lost.append(keys)
      return
    }
    seen.insert(number)
    if head.kind == .tableLeaf {
      read(page, head, &table)
      return
    }
    // The keys after the last divider. A divider may claim that none are left although more children follow. One of the dividers is
    // wrong then, so these children may have any key of the page.
    var rest = keys
    for cell in 0..<head.cells {
      guard let place = self.place(cell, page, head), let child = page.number(place, size: 4) else {
        table.lost.append(rest)
        return
      }
      var offset = place + 4
      guard let key = page.varint(&offset), rest.contains(key) else {
        // The key is wrong. The child may be intact, and its rows are between its neighbours'.
        visit(child, rest, &table, depth: depth + 1)
        continue
      }
      visit(child, rest.lowerBound...key, &table, depth: depth + 1)
      rest = key < keys.upperBound ? key + 1...keys.upperBound : keys
    }
    visit(page.number(head.offset + 8, size: 4) ?? 0, rest, &table, depth: depth + 1)
  }

  // The keys of the parent pages are ignored, because they may be damaged.
  private mutating func read(_ page: PageBytes, _ head: Head, _ table: inout Table) {
    for cell in 0..<head.cells {
      if let row = row(cell, page, head) { table.rows.append(row) } else { table.damaged += 1 }
    }
  }

  /// The rows of a page without a known parent. Empty for a page without rows.
  mutating func strayRows(_ number: Int) -> [Row] {
    guard !seen.contains(number), !pages.free.contains(number), let page = pages.page(number),
      let head = head(page, number), head.kind == .tableLeaf
    else { return [] }
    return (0..<head.cells).compactMap { row($0, page, head) }
  }

  private mutating func row(_ cell: Int, _ page: PageBytes, _ head: Head) -> Row? {
    guard var offset = place(cell, page, head), let size = page.varint(&offset), let key = page.varint(&offset),
      let payload = payload(size, at: offset, page, isIndex: false), let cells = DatabaseRecord.cells(payload)
    else { return nil }
    return Row(key: key, cells: cells)
  }

  // MARK: - Indices, and tables without row numbers

  struct Index {
    var records: [[SQLValue]] = []
    var isWhole = true
  }

  mutating func index(root: Int) -> Index {
    var index = Index()
    visit(root, &index)
    return index
  }

  private mutating func visit(_ number: Int, _ index: inout Index, depth: Int = 0) {
    guard depth < Self.depthLimit, let page = pages.page(number), !seen.contains(number), !pages.free.contains(number),
      let head = head(page, number), head.kind == .indexLeaf || head.kind == .indexInterior
    else {
      index.isWhole = false
      return
    }
    seen.insert(number)
    let isInterior = head.kind == .indexInterior
    for cell in 0..<head.cells {
      guard var offset = place(cell, page, head) else {
        index.isWhole = false
        continue
      }
      if isInterior {
        visit(page.number(offset, size: 4) ?? 0, &index, depth: depth + 1)
        offset += 4
      }
      guard let size = page.varint(&offset), let payload = payload(size, at: offset, page, isIndex: true),
        let cells = DatabaseRecord.cells(payload)
      else {
        index.isWhole = false
        continue
      }
      index.records.append(cells)
    }
    if isInterior { visit(page.number(head.offset + 8, size: 4) ?? 0, &index, depth: depth + 1) }
  }

  // MARK: - Pages

  private struct Head {
    let kind: Kind
    let cells: Int
    /// The offset of the page header. On the first page it follows the file header.
    let offset: Int
    var size: Int { kind == .tableLeaf || kind == .indexLeaf ? 8 : 12 }
  }

  private func head(_ page: PageBytes, _ number: Int) -> Head? {
    let offset = number == 1 ? 100 : 0
    guard let kind = page.byte(offset).flatMap(Kind.init), let cells = page.number(offset + 3, size: 2) else {
      return nil
    }
    let head = Head(kind: kind, cells: cells, offset: offset)
    return offset + head.size + cells * 2 <= pages.usable ? head : nil
  }

  private func place(_ cell: Int, _ page: PageBytes, _ head: Head) -> Int? {
    guard let place = page.number(head.offset + head.size + cell * 2, size: 2),
      place >= head.offset + head.size + head.cells * 2, place < pages.usable
    else { return nil }
    return place
  }

  /// The bytes of a record, including its overflow chain.
  private mutating func payload(_ size: Int64, at offset: Int, _ page: PageBytes, isIndex: Bool) -> [UInt8]? {
    guard size >= 0, size <= Int64(pages.count) * Int64(pages.pageSize) else { return nil }
    let (usable, size) = (pages.usable, Int(size))
    let most = isIndex ? (usable - 12) * 64 / 255 - 23 : usable - 35
    guard size > most else { return page.slice(offset, size).map(Array.init) }
    let least = (usable - 12) * 32 / 255 - 23
    let some = least + (size - least) % (usable - 4)
    let local = some <= most ? some : least
    guard var bytes = page.slice(offset, local).map(Array.init), var next = page.number(offset + local, size: 4) else {
      return nil
    }
    var chain = Set<Int>()
    while bytes.count < size {
      guard let page = pages.page(next), chain.insert(next).inserted, !seen.contains(next), !pages.free.contains(next),
        let part = page.slice(4, min(usable - 4, size - bytes.count)), let following = page.number(0, size: 4)
      else { return nil }
      bytes += part
      next = following
    }
    seen.formUnion(chain)
    return bytes
  }
}
