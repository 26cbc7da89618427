#if Sync && canImport(SwiftDataSync)
  import Foundation
  import SwiftData
  import SyncCore
  import SyncProtocol
  import Testing

  @testable import SwiftDataSync

  /// After each entry, the tables of a replica answer each question as the states do (decision 44).
  @Suite("The tables of records")
  struct RecordTableLawTests {
    private static let environment = ProcessInfo.processInfo.environment
    private static let first = environment["SYNC_SEED"].flatMap { Int($0) } ?? 0
    private static let count = environment["SYNC_RUNS"].flatMap { Int($0) } ?? 60

    struct Difference: Error, CustomStringConvertible {
      var description: String
    }

    /// A replica with its records in tables, and its states in memory.
    struct Replica {
      private let database: SyncDatabase
      private(set) var models: SyncModels
      private(set) var shown: RecordOverlay<StateStore>
      private(set) var outbox: LaidOutbox
      private(set) var states = ZoneStates()
      /// All names that the replica knew of.
      private var names = Set<RecordName>()
      private var values = Set<UniqueValue>()
      var writable: Set<ZoneName> = []
      var roots: Set<RecordKey> = []
      private(set) var rows = 0

      init(_ models: SyncModels) throws {
        self.models = models
        let database = try SyncDatabase(at: nil)
        self.database = database
        try database.transaction { try SyncTables.states(database).make() }
        shown = RecordOverlay(try StateStore(.states(database), models, session: 1), models)
        outbox = LaidOutbox(models)
      }

      private var tables: SyncTables { .states(database) }

      /// Reads the tables again, as a program does that starts.
      mutating func start(_ models: SyncModels, size: Int) throws {
        let former = outbox.transactions
        let isUpdate = models != self.models
        self.models = models
        try database.transaction {
          let store = try StateStore(tables, models, session: 2)
          (outbox, shown) = (LaidOutbox(models), RecordOverlay(store, models))
          let laid = try outbox.update(store, appended: former, writable: writable, roots: roots)
          for (key, registers) in laid.shown where outbox.writes(key) { shown.set(key, registers) }
          if isUpdate { try shown.makeRows(models, size: size) }
          try store.save()
        }
        try check()
      }

      mutating func take(
        _ changes: [RecordKey: Registers?] = [:], acknowledged: Set<UUID> = [], appended: [LocalTransaction] = []
      ) throws {
        try database.transaction {
          let store = shown.base
          let laid = try outbox.update(
            store, changes: changes, acknowledged: acknowledged, appended: appended, writable: writable, roots: roots)
          let update = try ViewUpdate(shown, models, changes: laid.shown)
          try store.take(changes)
          for (key, registers) in laid.shown {
            if outbox.writes(key) { shown.set(key, registers) } else { shown.reset(key) }
          }
          for (key, row) in update.shown { try store.show(key, by: row) }
          try store.save()
        }
        for (key, registers) in changes { states[key.zone].records[key.name] = registers }
        try check()
      }

      /// Compares all answers with those of the states.
      private mutating func check() throws {
        let memory = MemoryRecords(states, models)
        let store = shown.base
        func check<Answer: Equatable>(_ answer: Answer, _ known: Answer, _ question: String) throws {
          if answer != known { throw Difference(description: "\(question): tables \(answer), states \(known)") }
        }
        var (links, unique, shared) = (0, 0, 0)
        for (zone, state) in states.zones {
          for (name, record) in state.records {
            let entries = IndexEntries(record, in: zone, models)
            links += entries.links.count
            unique += entries.unique.count
            shared += zone.isShare ? 1 : 0
            values.formUnion(entries.unique)
            names.insert(name)
            names.formUnion(entries.links.map(\.name))
            try check(store.registers(of: RecordKey(zone, name)), record, "registers of \(name) in \(zone)")
          }
        }
        // The questions about known names would not find rows of others.
        try check(tables.rows(.links).count, links, "links")
        try check(tables.rows(.uniqueValues).count, unique, "unique values")
        try check(tables.rows(.sharedNames).count, shared, "names of shares")
        let properties = Set(models.classes.values.joined().flatMap(\.readNames))
        for name in names {
          try check(Set(store.zones(knowing: name)), Set(memory.zones(knowing: name)), "zones knowing \(name)")
          let zones = Set(memory.zones(leadingTo: name))
          try check(Set(store.zones(leadingTo: name)), zones, "zones leading to \(name)")
          for zone in zones {
            try check(
              store.holders(of: name, in: zone).sorted(), memory.holders(of: name, in: zone).sorted(),
              "holders of \(name)")
            for property in properties {
              try check(
                store.holders(of: name, in: zone, by: property).sorted(),
                memory.holders(of: name, in: zone, by: property).sorted(), "holders of \(name) by \(property)")
            }
          }
        }
        for value in values {
          try check(store.records(with: value).sorted(), memory.records(with: value).sorted(), "records with \(value)")
        }
        try checkRows()
      }

      /// Compares the rows with the view made anew.
      private mutating func checkRows() throws {
        var states = states
        for zone in RandomHistory.zones { states.zones[zone, default: ZoneState()] = states[zone] }
        let rebase = Rebase(states, outbox: outbox.transactions, models: models, writable: writable, roots: roots)
        let view = View(rebase.states, models)
        var shownBy: [RecordKey: [RecordKey]] = [:]
        for (key, row) in view.groups.row { shownBy[row, default: []].append(key) }
        for (zone, state) in rebase.states.zones {
          for name in state.records.keys {
            let key = RecordKey(zone, name)
            let row = try shown.row(showing: key)
            guard row == view.groups.row[key] else {
              throw Difference(
                description:
                  "\(key): tables \(String(describing: row)), view \(String(describing: view.groups.row[key]))")
            }
          }
        }
        for (key, row) in view.rows {
          rows += 1
          guard try shown.records(shownBy: key).sorted() == shownBy[key]?.sorted() else {
            throw Difference(description: "\(key) shows other records")
          }
          let read = try shown.row(at: key, models)
          guard read == row else {
            throw Difference(description: "\(key): tables \(String(describing: read)), view \(row)")
          }
        }
        let aliases = view.groups.row.count { $0.key != $0.value }
        guard try tables.rows(.rowAliases).count == aliases else {
          throw Difference(description: "the tables have other aliases than \(aliases)")
        }
      }
    }

    /// Runs a seed. Returns the first difference.
    static func run(_ seed: Int, seen: ((Int) -> Void)? = nil) -> String? {
      var history = RandomHistory(seed: seed)
      do {
        var replica = try Replica(history.models)
        defer { seen?(replica.rows) }
        replica.writable = history.permissions()
        for step in 0..<40 {
          do {
            switch history.below(14) {
            case 0..<6:
              switch history.next(replica.states) {
              case .changes(let changes): try replica.take(changes)
              case .program(let models): try replica.start(models, size: 1 + seed % 5)
              }
            case 6..<9:
              let states = Rebase(
                replica.states, outbox: replica.outbox.transactions, models: replica.models, writable: replica.writable,
                roots: replica.roots
              ).states
              try replica.take(appended: [history.save(states)])
            case 9, 10:
              guard let sent = replica.outbox.outgoing.first else { continue }
              let entry = ZoneStates.Entry(commit: Int64(1000 + step), parts: sent.parts.mapValues { .change($0) })
              try replica.take(replica.shown.base.changes(by: entry), acknowledged: [sent.id])
            case 11: try replica.start(replica.models, size: 1)
            case 12:
              replica.writable = history.permissions()
              try replica.take()
            default:
              replica.roots = history.roots(replica.states)
              try replica.take()
            }
          } catch {
            return "seed \(seed), step \(step): \(error)"
          }
        }
      } catch {
        return "seed \(seed): \(error)"
      }
      return nil
    }

    @Test("answer as the states do after each entry, save, start and update of the program")
    func law() {
      var rows = 0
      for seed in Self.first..<Self.first + Self.count {
        if let difference = Self.run(seed, seen: { rows += $0 }) { Issue.record("\(difference)") }
      }
      #expect(rows > Self.count * 20)
      if Self.environment["SYNC_RUNS"] != nil { print("\(Self.count) seeds from \(Self.first): \(rows) rows") }
    }
  }
#endif
