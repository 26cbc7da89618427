import Foundation
import SwiftData
import SyncProtocol

// Folding: the state at a commit replaces the log before it. The server joins registers and knows no models, so that it can
// fold the logs of encrypted zones too.
//
// Each step is one save. The fold writes the pages of the new state next to the old pages, and one save switches from the old to the
// new ones. So a reader never sees a part of both, and a crash leaves only pages that no reader reads. `LogZone.hasLeftovers` says
// that there are such pages, or entries of the folded log.

extension ZoneStore {
  /// The approximate size of the entries of one fold, of the pages that one step reads, and of a page, in bytes. The first one bounds the
  /// memory of a fold.
  private static let (foldSize, stepSize, pageSize) = (Int64(16 << 20), 1 << 20, 64 << 10)
  /// The largest number of records in a page.
  private static let pageRecords = 256

  /// A fold on its way. It merges the old pages with the records that entries changed, in the order of their names.
  struct Fold {
    let zone: String
    let name: ZoneName
    /// The epoch in which the fold began. A restored log has other entries.
    let epoch: UUID
    /// The commit whose state the old pages are.
    let base: Int64
    /// The commit whose state the new pages will be.
    let target: Int64
    /// The size of the entries between the two, in bytes.
    let logSize: Int64
    /// The changed records that are left, the last name first.
    var changes: [(name: RecordName, change: Change)]
    /// The index of the next old page, and whether all old pages are read.
    var next: Int64 = 0
    var isRead = false
    /// Records that are not written yet.
    var pending: [(RecordName, Registers)] = []
    /// The new pages.
    var pages: Int64 = 0
    var size: Int64 = 0

    /// The effect of entries on a record. They forget it, or they join registers, or both in this order.
    struct Change {
      var isForgotten = false
      var registers: Registers?

      mutating func join(_ other: Registers) {
        if registers == nil { registers = other } else { registers!.join(other) }
      }
    }
  }

  /// Returns the zones whose logs have old entries of at least as many bytes as their pages, and those with leftovers.
  ///
  /// So the cost of all folds of a zone is proportional to the size of its log.
  func zonesToFold() throws -> [String] {
    let (least, oldest) = (limits.foldSize, now() - limits.retention)
    var descriptor = FetchDescriptor<LogZone>(
      predicate: #Predicate<LogZone> {
        $0.hasLeftovers || ($0.logSize > 0 && $0.logSize >= least && $0.logSize >= $0.pageSize)
      }, sortBy: [SortDescriptor(\.key)])
    descriptor.propertiesToFetch = [\.key, \.pageSize, \.folded, \.hasLeftovers]
    return try ModelContext(container).fetch(descriptor).filter { zone in
      guard !zone.hasLeftovers else { return true }
      let old = try oldEntries(of: zone.key, after: zone.folded, oldest, bytes: max(least, zone.pageSize))
      return old.size > 0 && old.size >= max(least, zone.pageSize)
    }.map(\.key)
  }

  /// Returns the old entries of a zone, as far as they have a number of bytes together.
  private func oldEntries(
    of key: String, after commit: Int64, _ oldest: Int64, bytes: Int64
  ) throws -> (last: Int64, size: Int64) {
    var (last, size) = (commit, Int64(0))
    while size < bytes {
      let start = last
      var descriptor = FetchDescriptor<LogPart>(
        predicate: #Predicate<LogPart> { $0.zone == key && $0.commit > start }, sortBy: [SortDescriptor(\.commit)])
      descriptor.propertiesToFetch = [\.commit, \.size, \.time]
      descriptor.fetchLimit = 500
      let found = try ModelContext(container).fetch(descriptor)
      for part in found where size < bytes {
        guard part.time <= oldest else { return (last, size) }
        (last, size) = (part.commit, size + part.size)
      }
      if found.count < 500 { break }
    }
    return (last, size)
  }

  /// Reads the entries of the next fold of a zone.
  /// - Returns: nil if the zone has no old entries.
  func beginFold(_ key: String) throws -> Fold? {
    let context = ModelContext(container)
    guard let zone = try zone(key, context), let name = ZoneName(text: key) else { return nil }
    let epoch = try head(context).epoch
    let old = try oldEntries(of: key, after: zone.folded, now() - limits.retention, bytes: Self.foldSize)
    guard old.last > zone.folded else { return nil }
    var changes: [RecordName: Fold.Change] = [:]
    var size: Int64 = 0
    for part in try parts(of: [key], after: zone.folded, through: old.last) {
      size += part.size
      changes.take(try ZoneStates.Entry.Part(encoded: part.bytes), commit: part.commit)
    }
    return Fold(
      zone: key, name: name, epoch: epoch, base: zone.folded, target: old.last, logSize: size,
      changes: changes.sorted { $0.key > $1.key }.map { ($0.key, $0.value) })
  }

  /// Reads the next old pages and writes the next new ones.
  /// - Returns: false if the new pages are complete, or if another process folded the zone.
  func foldMore(_ fold: inout Fold) throws -> Bool {
    guard !fold.isRead else { return false }
    let before = fold
    let (after, isCurrent) = try transaction { context -> (Fold, Bool) in
      var fold = before
      guard let zone = try zone(fold.zone, context), zone.folded == fold.base else { return (fold, false) }
      if !zone.hasLeftovers { zone.hasLeftovers = true }
      for page in try pages(of: fold.zone, fold.base, from: fold.next, bytes: Self.stepSize) {
        guard case .change(let records) = try ZoneStates.Entry.Part(encoded: page.bytes) else { continue }
        for (name, registers) in records.sorted(by: { $0.key < $1.key }) {
          while let next = fold.changes.last, next.name < name { try Self.take(nil, &fold, context) }
          if fold.changes.last?.name == name {
            try Self.take(registers, &fold, context)
          } else {
            try Self.add(name, registers, &fold, context)
          }
        }
        fold.next = page.index + 1
      }
      if fold.next >= zone.pages {
        while !fold.changes.isEmpty { try Self.take(nil, &fold, context) }
        try Self.write(fold.pending[...], &fold, context)
        (fold.pending, fold.isRead) = ([], true)
      }
      return (fold, true)
    }
    fold = after
    return isCurrent && !fold.isRead
  }

  /// Adds the next changed record, with what the old pages have of it.
  private static func take(_ old: Registers?, _ fold: inout Fold, _ context: ModelContext) throws {
    guard let (name, change) = fold.changes.popLast() else { return }
    let base = change.isForgotten ? nil : old
    guard let registers = change.registers else { return try base.map { try add(name, $0, &fold, context) } ?? () }
    try add(name, (base ?? Registers()).joining(registers), &fold, context)
  }

  private static func add(
    _ name: RecordName, _ registers: Registers, _ fold: inout Fold, _ context: ModelContext
  ) throws {
    fold.pending.append((name, registers))
    guard fold.pending.count == pageRecords else { return }
    try write(fold.pending[...], &fold, context)
    fold.pending = []
  }

  /// Writes records as one page, or as several if they are large.
  private static func write(
    _ records: ArraySlice<(RecordName, Registers)>, _ fold: inout Fold, _ context: ModelContext
  ) throws {
    guard !records.isEmpty else { return }
    let bytes = ZoneStates.Entry.Part.change(Dictionary(uniqueKeysWithValues: records)).encoded
    if bytes.count > pageSize, records.count > 1 {
      let middle = records.startIndex + records.count / 2
      try write(records[..<middle], &fold, context)
      return try write(records[middle...], &fold, context)
    }
    context.insert(LogPage(zone: fold.zone, folded: fold.target, index: fold.pages, bytes: bytes))
    fold.pages += 1
    fold.size += Int64(bytes.count)
  }

  /// Switches from the old pages and the folded entries to the new pages.
  /// - Returns: whether it did. Otherwise another process folded the zone or deleted the new pages as leftovers, or an epoch began.
  func endFold(_ fold: Fold) throws -> Bool {
    guard fold.isRead else { return false }
    return try transaction { context in
      let (key, target, head) = (fold.zone, fold.target, try head(context))
      guard let zone = try zone(key, context), zone.folded == fold.base, head.epoch == fold.epoch, try !isRestored(head)
      else { return false }
      let pages = try context.fetchCount(
        FetchDescriptor<LogPage>(predicate: #Predicate<LogPage> { $0.zone == key && $0.folded == target }))
      guard Int64(pages) == fold.pages else { return false }
      zone.size += fold.size - zone.pageSize - fold.logSize
      zone.logSize -= fold.logSize
      (zone.folded, zone.pages, zone.pageSize) = (fold.target, fold.pages, fold.size)
      zone.hasLeftovers = true
      head.floor = max(head.floor, fold.target)
      head.folds += 1
      return true
    }
  }

  /// Deletes a batch of the entries and pages that no reader reads.
  /// - Returns: whether there may be more.
  func deleteLeftovers(_ key: String) throws -> Bool {
    try transaction { context in
      guard let zone = try zone(key, context), zone.hasLeftovers else { return false }
      let folded = zone.folded
      var pages = FetchDescriptor<LogPage>(
        predicate: #Predicate<LogPage> { $0.zone == key && $0.folded != folded })
      pages.propertiesToFetch = [\.key]
      pages.fetchLimit = 64
      var entries = FetchDescriptor<LogPart>(
        predicate: #Predicate<LogPart> { $0.zone == key && $0.commit <= folded })
      entries.propertiesToFetch = [\.key]
      entries.fetchLimit = 500
      let (oldPages, oldEntries) = (try context.fetch(pages), try context.fetch(entries))
      for page in oldPages { context.delete(page) }
      for entry in oldEntries { context.delete(entry) }
      if oldPages.isEmpty, oldEntries.isEmpty { zone.hasLeftovers = false }
      return zone.hasLeftovers
    }
  }
}

extension [RecordName: ZoneStore.Fold.Change] {
  /// Takes in what an entry does, in place: otherwise each entry would copy a record with many edges.
  mutating func take(_ part: ZoneStates.Entry.Part, commit: Int64) {
    switch part {
    case .change(let records):
      for (name, var registers) in records {
        registers.commit = commit
        self[name, default: Value()].join(registers)
      }
    case .forget(let names): for name in names { self[name] = Value(isForgotten: true) }
    }
  }
}
