import Foundation
import SwiftData
import SyncProtocol

// Forgetting: an entry of the log names the dead and departed records that no view needs, so that all replicas forget them
// at the same commit. The same scan finds the assets that no register names.

extension ZoneStore {
  /// The largest number of records and of assets that one scan looks for. It bounds the memory of a scan.
  private static let most = 20_000
  /// The approximate size of the pages and entries that one step reads, in bytes.
  private static let stepSize = 1 << 20
  /// The grace period in milliseconds after the last part of an asset arrived. A transaction in transit may name a newer asset.
  private static let gracePeriod: Int64 = 86_400_000
  /// The approximate size of the assets that one save deletes, in bytes. It bounds the time that other requests wait.
  private static let deletedAtOnce: Int64 = 64 << 20

  /// A scan of a zone: its pages, then its entries. It drops each record and each asset that something needs.
  struct ZoneScan {
    let zone: String
    let name: ZoneName
    let folded: Int64
    /// The epoch in which the scan began. A restored log has other entries.
    let epoch: UUID
    /// The dead and departed records, with the names that each one leads to.
    var records: [RecordName: Set<RecordName>] = [:]
    /// The names that ``records`` lead to.
    var targets = Set<RecordName>()
    /// The names among ``targets`` whose records are in the zone.
    var living = Set<RecordName>()
    /// The checksums of the assets without a name in what was scanned.
    var assets = Set<String>()
    /// The index of the next page.
    var page: Int64 = 0
    /// The last commit that was scanned.
    var seen: Int64

    /// The records that no view needs, if all was scanned.
    ///
    /// A dead record that leads to a living one is needed: some program's cascade may go through it.
    var forgettable: Set<RecordName> { Set(records.filter { $0.value.isDisjoint(with: living) }.keys) }
    var isEmpty: Bool { records.isEmpty && assets.isEmpty }

    mutating func scan(_ name: RecordName, _ registers: Registers, in zone: ZoneName) {
      for asset in registers.assets { assets.remove(asset.sha256) }
      guard registers.isHere(zone) else { return }
      keep(name, registers)
    }

    /// Scans what an entry writes. The record may be in the zone whatever the entry alone says, so that it counts as being there.
    mutating func scan(_ changes: [RecordName: Registers]) {
      for (name, registers) in changes {
        for asset in registers.assets { assets.remove(asset.sha256) }
        records[name] = nil
        keep(name, registers)
      }
    }

    private mutating func keep(_ name: RecordName, _ registers: Registers) {
      if targets.contains(name) { living.insert(name) }
      for target in registers.referencedNames { records[target] = nil }
    }
  }

  /// Finds the records that a zone may forget, by its pages alone, and the assets whose grace period is over.
  func beginScan(_ key: String) throws -> ZoneScan? {
    let context = ModelContext(container)
    guard let zone = try zone(key, context), let name = ZoneName(text: key) else { return nil }
    var scan = ZoneScan(
      zone: key, name: name, folded: zone.folded, epoch: try head(context).epoch, seen: zone.folded)
    // The digit 0 follows the slash in ASCII, so all keys of the zone's assets are less than `end`.
    let (start, end, oldest) = ("\(key)/", "\(key)0", now() - Self.gracePeriod)
    var descriptor = FetchDescriptor<ServerAsset>(
      predicate: #Predicate<ServerAsset> { $0.key > start && $0.key < end && $0.touched < oldest },
      sortBy: [SortDescriptor(\.touched)])
    descriptor.fetchLimit = Self.most
    descriptor.propertiesToFetch = [\.key]
    scan.assets = Set(try context.fetch(descriptor).map { String($0.key.dropFirst(start.count)) })
    return scan
  }

  /// Collects the dead and departed records of the next pages.
  /// - Returns: false after the last page.
  func collectMore(_ scan: inout ZoneScan) throws -> Bool {
    let pages = try pages(of: scan.zone, scan.folded, from: scan.page, bytes: Self.stepSize)
    for page in pages {
      guard case .change(let records) = try ZoneStates.Entry.Part(encoded: page.bytes) else { continue }
      for (name, registers) in records where !registers.isHere(scan.name) && scan.records.count < Self.most {
        scan.records[name] = registers.referencedNames
        scan.targets.formUnion(registers.referencedNames)
      }
      scan.page = page.index + 1
    }
    if pages.isEmpty { scan.page = 0 }
    return !pages.isEmpty
  }

  /// Scans the next pages, or the next entries after the last page.
  /// - Returns: false at the end of the log.
  func scanMore(_ scan: inout ZoneScan) throws -> Bool {
    let pages = try pages(of: scan.zone, scan.folded, from: scan.page, bytes: Self.stepSize)
    for page in pages {
      guard case .change(let records) = try ZoneStates.Entry.Part(encoded: page.bytes) else { continue }
      for (name, registers) in records { scan.scan(name, registers, in: scan.name) }
      scan.page = page.index + 1
    }
    return try !pages.isEmpty || scanEntries(&scan)
  }

  private func scanEntries(_ scan: inout ZoneScan) throws -> Bool {
    let sizes = try sizes(of: scan.zone, after: scan.seen, through: .max, bytes: Self.stepSize, most: 500)
    guard let last = sizes.last else { return false }
    for part in try parts(of: [scan.zone], after: scan.seen, through: last) {
      if case .change(let changes) = try ZoneStates.Entry.Part(encoded: part.bytes) { scan.scan(changes) }
    }
    scan.seen = last
    return true
  }

  /// Appends the entry that forgets what a complete scan found. It first scans the entries that came meanwhile.
  /// - Returns: the number of records that it forgets.
  func forget(_ scan: inout ZoneScan) throws -> Int {
    let before = scan
    let time = now()
    let (after, count, newest) = try transaction { context -> (ZoneScan, Int, Int64) in
      var scan = before
      let head = try currentHead(context)
      guard let zone = try zone(scan.zone, context), zone.folded == scan.folded, head.epoch == scan.epoch else {
        return (scan, 0, head.commit)
      }
      while try scanEntries(&scan) {}
      let names = scan.forgettable
      guard !names.isEmpty else { return (scan, 0, head.commit) }
      head.commit += 1
      append(
        ZoneStates.Entry.Part.forget(names).encoded, moves: false, to: zone, head.commit, time, context)
      return (scan, names.count, head.commit)
    }
    scan = after
    newestCommit.store(newest, ordering: .relaxed)
    return count
  }

  /// Deletes a batch of the assets that no register names. It first scans the entries that came meanwhile.
  /// - Returns: the number and the size of the assets, and whether more are left.
  func deleteAssets(_ scan: inout ZoneScan) throws -> (count: Int, bytes: Int64, hasMore: Bool) {
    guard !scan.assets.isEmpty else { return (0, 0, false) }
    let (before, oldest) = (scan, now() - Self.gracePeriod)
    let (after, count, bytes) = try transaction { context -> (ZoneScan, Int, Int64) in
      var scan = before
      guard let zone = try zone(scan.zone, context), zone.folded == scan.folded,
        case let head = try head(context), head.epoch == scan.epoch, try !isRestored(head)
      else {
        scan.assets = []
        return (scan, 0, 0)
      }
      while try scanEntries(&scan) {}
      let batch = Set(scan.assets.prefix(100))
      let keys = batch.map { "\(zone.key)/\($0)" }
      let old = try context.fetch(
        FetchDescriptor<ServerAsset>(
          predicate: #Predicate<ServerAsset> { keys.contains($0.key) && $0.touched < oldest }))
      var (assets, bytes) = ([ServerAsset](), Int64(0))
      for asset in old where bytes < Self.deletedAtOnce {
        assets.append(asset)
        bytes += asset.received
      }
      // The next save deletes the rest. Assets that a client has sent again in the meantime stay.
      let rest = old.dropFirst(assets.count).map { String($0.key.dropFirst(zone.key.count + 1)) }
      scan.assets.subtract(batch.subtracting(rest))
      try delete(assets, context)
      zone.size -= bytes
      return (scan, assets.count, bytes)
    }
    scan = after
    return (count, bytes, !scan.assets.isEmpty)
  }

  /// Deletes assets, and the parts that no other zone's asset has.
  private func delete(_ assets: [ServerAsset], _ context: ModelContext) throws {
    guard !assets.isEmpty else { return }
    let (deleted, chunks) = (assets.map(\.key), assets.map(\.chunks))
    let others = try context.fetch(
      FetchDescriptor<ServerAsset>(
        predicate: #Predicate<ServerAsset> { chunks.contains($0.chunks) && !deleted.contains($0.key) }))
    let unused = Array(Set(chunks).subtracting(others.map(\.chunks)))
    try context.delete(model: ServerChunk.self, where: #Predicate<ServerChunk> { unused.contains($0.asset) })
    for asset in assets { context.delete(asset) }
  }

  /// Notes the end of a sweep.
  func endScan(_ scan: ZoneScan) throws {
    let time = now()
    try transaction { context in
      guard let zone = try zone(scan.zone, context) else { return }
      (zone.sweptSize, zone.sweepTime) = (zone.assetSize, time)
    }
  }

  /// Returns the zones whose assets have doubled since the last sweep, which was at least a day ago.
  func zonesToSweep() throws -> [String] {
    let oldest = now() - Self.gracePeriod
    var descriptor = FetchDescriptor<LogZone>(
      predicate: #Predicate<LogZone> { $0.latest > 0 && $0.sweepTime <= oldest }, sortBy: [SortDescriptor(\.key)])
    descriptor.propertiesToFetch = [\.key, \.size, \.logSize, \.pageSize, \.sweptSize]
    return try ModelContext(container).fetch(descriptor).filter { $0.assetSize > 2 * $0.sweptSize }.map(\.key)
  }
}

extension LogZone {
  /// The size of the assets in bytes.
  var assetSize: Int64 { size - logSize - pageSize }
}
