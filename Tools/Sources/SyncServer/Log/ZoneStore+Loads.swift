import Foundation
import SwiftData
import SyncProtocol
import UntrustedInput

// Zones that come whole: the pages of the folded log, then the entries after it.

/// The position of a client in a zone that comes whole. The client gets it as text and sends it back.
struct LoadPosition: Equatable {
  /// The epoch of the server. A restored database can have other entries with the same commits.
  let epoch: UUID
  /// The commit whose state the pages are. If the server folds the log again, the client begins the zone again.
  let folded: Int64
  /// The number of pages that the client has.
  var page: Int64 = 0
  /// The last commit whose entry the client has.
  var commit: Int64

  var text: String { "\(epoch)/\(folded)/\(page)/\(commit)" }

  init(_ epoch: UUID, folded: Int64) { (self.epoch, self.folded, commit) = (epoch, folded, folded) }

  /// Reads ``text``; nil for anything else.
  init?(_ text: String) {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    let numbers = parts.dropFirst().map { part in
      (try? Untrusted<Int64>(text: part, field: "position"))?.value(in: SyncWire.sequenceNumbers)
    }
    guard numbers.count == 3, let epoch = UUID(uuidString: String(parts[0])), let folded = numbers[0],
      let page = numbers[1], let commit = numbers[2], commit >= folded
    else { return nil }
    (self.epoch, self.folded, self.page, self.commit) = (epoch, folded, page, commit)
  }
}

extension ZoneStore {
  /// Returns the next parts of a zone: at least one, and about as many bytes as are left of an answer.
  ///
  /// Without bytes left, the part says only where the zone begins.
  /// - Parameters:
  ///   - position: the position of the client; nil for the beginning of the zone.
  ///   - cut: the commit up to which the answer goes. The zone is complete when it has all entries up to this commit.
  ///   - budget: the number of bytes that are left.
  func loads(
    of zone: ZoneName, from position: LoadPosition?, _ epoch: UUID, through cut: Int64,
    _ budget: inout Int
  ) throws -> [Load] {
    let key = zone.text
    let stored = try self.zone(key, ModelContext(container))
    let (folded, pages) = (stored?.folded ?? 0, stored?.pages ?? 0)
    var next = LoadPosition(epoch, folded: folded)
    var isStart = true
    if let position, position.epoch == epoch, position.folded == folded, position.page <= pages,
      position.commit <= max(cut, folded)
    {
      (next, isStart) = (position, false)
    }
    guard budget > 0 else { return [Load(zone: zone, isStart: isStart, position: next)] }
    var loads: [Load] = []
    for page in try self.pages(of: key, folded, from: next.page, bytes: budget) {
      next.page += 1
      budget -= Int(page.size)
      loads.append(Load(zone: zone, isStart: isStart, page: page.bytes, position: next))
      isStart = false
    }
    guard next.page == pages, budget > 0 || loads.isEmpty else { return loads }
    var load = Load(zone: zone, isStart: isStart, position: next)
    if folded <= cut {
      let sizes = try sizes(of: key, after: next.commit, through: cut, bytes: max(1, budget), most: 500)
      if let last = sizes.last {
        load.parts = try parts(of: [key], after: next.commit, through: last)
        next.commit = last
        budget -= load.parts.reduce(0) { $0 + Int($1.size) }
      }
      load.position = sizes.isComplete ? nil : next
    }
    return loads + [load]
  }

  /// Returns the pages of a folded log from an index on, in order: at least one if there is any, and about `bytes` bytes of them.
  func pages(of key: String, _ folded: Int64, from first: Int64, bytes: Int) throws -> [LogPage] {
    var descriptor = FetchDescriptor<LogPage>(
      predicate: #Predicate<LogPage> { $0.zone == key && $0.folded == folded && $0.index >= first },
      sortBy: [SortDescriptor(\.index)])
    descriptor.propertiesToFetch = [\.index, \.size]
    descriptor.fetchLimit = 100
    var (size, end) = (Int64(0), first)
    for page in try ModelContext(container).fetch(descriptor) where size < bytes || end == first {
      (size, end) = (size + page.size, page.index + 1)
    }
    guard first < end else { return [] }
    return try ModelContext(container).fetch(
      FetchDescriptor<LogPage>(
        predicate: #Predicate<LogPage> {
          $0.zone == key && $0.folded == folded && $0.index >= first && $0.index < end
        }, sortBy: [SortDescriptor(\.index)]))
  }
}
