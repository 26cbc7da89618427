import Foundation
import SyncCore
import SyncProtocol

/// The replay of a trace: what the Swift core makes of the inputs, compared with what the model made of them.
struct Trace {
  /// A replica, as far as the core needs it.
  struct Replica {
    var models: SyncModels
    var base: ZoneStates
    var writable: Set<ZoneName>
    var roots = Set<RecordKey>()
    var outbox: [LocalTransaction] = []
    /// The rows with the hashes of their texts.
    var rows: [RecordKey: (row: Row, hash: UInt64)] = [:]
    /// The rows as incremental views make them.
    var shown: ShownView

    init(_ models: SyncModels, _ zone: ZoneName) {
      (self.models, base, writable) = (models, ZoneStates([zone: ZoneState()]), [zone])
      shown = ShownView(models)
    }

    var rebased: Rebase { Rebase(base, outbox: outbox, models: models, writable: writable, roots: roots) }
  }

  /// An entry of the log, what was before it, and the states after it.
  struct Logged {
    var entry: ZoneStates.Entry
    var previous: Int?
    var states: ZoneStates
  }

  /// A line whose result differs.
  struct Difference: Error, CustomStringConvertible {
    var seed: Int
    var line: Int
    var text: String
    var found: String

    var description: String {
      "seed \(seed), line \(line): \(text.prefix(200)) … found \(found). scripts/sync-traces --show \(seed) prints what was expected."
    }
  }

  /// How many lines were compared.
  private(set) var checks = 0
  private var tables = TraceTables()
  private var canonical = CanonicalText(names: [:])
  private var replicas: [Replica] = []
  private var copies: [Replica] = []
  private var pushes: [[OutgoingTransaction]] = []
  private var log: [Logged] = []
  private var tail: Int?

  /// Replays one of some parts of a file of traces, and returns the number of traces and of comparisons. `body` is called with each difference; the trace
  /// of a difference is not replayed any further.
  static func replay(_ text: [UInt8], part: Int = 0, of parts: Int = 1, difference: (any Error) -> Void) -> (Int, Int) {
    var (traces, checks, tables, seed, line) = (0, 0, TraceTables(), 0, 0)
    var trace: Trace?
    for bytes in text.split(separator: UInt8(ascii: "\n")) {
      let words = bytes.split(separator: UInt8(ascii: " "))
      let rest = words.dropFirst().map { word in String(decoding: word, as: UTF8.self) }
      line += 1
      switch words.first.map({ word in String(decoding: word, as: UTF8.self) }) {
      case "entities": tables.entities = rest.map { WireName($0) }
      case "properties": tables.properties = rest.map { WireName($0) }
      case "trace":
        checks += trace?.checks ?? 0
        (seed, line) = (rest.first.flatMap { Int($0) } ?? 0, 1)
        trace = nil
        // Blocks of seeds: the rest of a seed decides whether its run has old programs, backups or hostile participants.
        guard seed / 7 % parts == part else { continue }
        traces += 1
        trace = Trace()
        trace?.tables = tables
      case let operation?:
        do {
          guard let found = try trace?.take(operation, Array(words.dropFirst())) else { continue }
          throw Difference(seed: seed, line: line, text: String(decoding: bytes, as: UTF8.self), found: found)
        } catch {
          difference(error)
          trace = nil
        }
      case nil: continue
      }
    }
    return (traces, checks + (trace?.checks ?? 0))
  }

  /// Takes a line. Returns what was found if it is not what was expected.
  private mutating func take(_ operation: String, _ words: [ArraySlice<UInt8>]) throws -> String? {
    func text(_ word: ArraySlice<UInt8>) -> String { String(decoding: word, as: UTF8.self) }
    func number(_ index: Int) throws -> Int {
      var scanner = TraceScanner(words[index])
      return try scanner.number()
    }
    switch operation {
    case "zones":
      tables.zones = words.map { word in
        let name = ExactText(text(word))
        return name.text.hasPrefix("share") ? .share(name) : .account(name)
      }
    case "times":
      tables.times = try words.map { word in
        var scanner = TraceScanner(word)
        let milliseconds = try scanner.number()
        try scanner.expect(".")
        let counter = try scanner.number()
        try scanner.expect(".")
        return HybridTime(
          milliseconds: Int64(milliseconds), counter: UInt16(clamping: counter), replica: UInt64(try scanner.number()))
      }
    case "names":
      tables.names = (0..<(Int(text(words[0])) ?? 0)).map(TraceTables.name)
      tables.width = String(max(tables.names.count - 1, 0), radix: 36).count
      canonical.names = Dictionary(uniqueKeysWithValues: tables.names.enumerated().map { ($1, $0) })
    case "replica":
      let zone = tables.zones[try number(1)]
      replicas.append(Replica(try number(0) == 1 ? TestModels.new : TestModels.old, zone))
    case "accept":
      append(pushes[try number(0)][try number(1)].parts.mapValues { .change($0) })
    case "entry":
      var parts: [ZoneName: [RecordName: Registers]] = [:]
      for word in words {
        var scanner = TraceScanner(word)
        let (key, registers) = try tables.change(&scanner, .zero)
        parts[key.zone, default: [:]][key.name] = registers
      }
      append(parts.mapValues { .change($0) })
    case "forget": return try forget(words)
    case "restore": tail = text(words[0]) == "-" ? nil : try number(0)
    case "copy": copies.append(replicas[try number(0)])
    case "paste":
      let replica = try number(0)
      replicas[replica] = copies[try number(1)]
      replicas[replica].rows = [:]
    case "show": return try show(replica: try number(0), Array(words.dropFirst()))
    case "push":
      let sent = replicas[try number(0)].rebased.transactions.prefix(try number(1))
      pushes.append(Array(sent))
      let texts = sent.enumerated().map { "\($0) " + canonical.parts($1.parts) }
      return compare(texts.map(CanonicalText.hash), words)
    case "state":
      let base = replicas[try number(0)].base.zones.mapValues(\.records)
      return compare([CanonicalText.hash(canonical.parts(base))], words)
    default: return "an unknown operation"
    }
    return nil
  }

  private mutating func compare(_ hashes: [UInt64], _ words: [ArraySlice<UInt8>]) -> String? {
    checks += 1
    let found = CanonicalText.sum(hashes)
    return found == String(decoding: words.last ?? [], as: UTF8.self) ? nil : found
  }
}

// MARK: - The server's log

extension Trace {
  private mutating func append(_ parts: [ZoneName: ZoneStates.Entry.Part]) {
    let previous = tail.map { log[$0] }
    let entry = ZoneStates.Entry(commit: (previous?.entry.commit ?? 0) + 1, parts: parts)
    var states = previous?.states ?? ZoneStates()
    states.reduce(entry)
    log.append(Logged(entry: entry, previous: tail, states: states))
    tail = log.count - 1
  }

  /// The entries behind a commit up to an entry, in their order.
  private func entries(behind commit: Int64, upTo last: Int?) -> [ZoneStates.Entry] {
    var (found, index) = ([ZoneStates.Entry](), last)
    while let current = index, log[current].entry.commit > commit {
      found.append(log[current].entry)
      index = log[current].previous
    }
    return found.reversed()
  }

  /// Compares which records the server forgets, and appends the entry.
  private mutating func forget(_ words: [ArraySlice<UInt8>]) throws -> String? {
    var scanner = TraceScanner(words[0])
    let zone = try tables.zone(&scanner)
    scanner = TraceScanner(words[1])
    let floor = Int64(try scanner.number())
    let names = try words.dropFirst(2).map { word in
      var scanner = TraceScanner(word)
      return try tables.name(&scanner)
    }
    var left: [RecordName: Int64] = [:]
    for entry in entries(behind: 0, upTo: tail) {
      guard case .change(let part)? = entry.parts[zone] else { continue }
      for (name, registers) in part where registers.dead != nil || registers.home != nil { left[name] = entry.commit }
    }
    let old = Set(left.filter { $0.value <= floor }.keys)
    let state = tail.map { log[$0].states[zone] } ?? ZoneState()
    let found = state.forgettable(among: old, in: zone)
    append([zone: .forget(found)])
    checks += 1
    return found == Set(names) ? nil : "\(found.sorted())"
  }
}

// MARK: - Replicas

extension Trace {
  private mutating func show(replica index: Int, _ words: [ArraySlice<UInt8>]) throws -> String? {
    var replica = replicas[index]
    var kept: [LocalTransaction?] = replica.outbox
    var new: [LocalTransaction] = []
    var position = 0
    while position < words.count - 2 {
      let word = words[position]
      position += 1
      switch String(decoding: word.prefix { $0 != UInt8(ascii: ":") }, as: UTF8.self) {
      case "take":
        try take(Array(words[position..<position + 3]), into: &replica)
        position += 3
      case "roots":
        replica.roots = try Set(
          list(word).map { word in
            var scanner = TraceScanner(word)
            return try tables.key(&scanner)
          })
      case "program": replica.models = word.last == UInt8(ascii: "1") ? TestModels.new : TestModels.old
      case "keep":
        kept = try list(word).map { word in
          var scanner = TraceScanner(word)
          return scanner.take("*") ? nil : replica.outbox[try scanner.number()]
        }
      case let kind:
        let end = words[position...].firstIndex {
          $0 == [UInt8(ascii: "=")] || $0.starts(with: "save".utf8) || $0.starts(with: "resend".utf8)
        }
        new.append(try transaction(Array(words[position..<(end ?? position)]), isResent: kind == "resend"))
        position = end ?? words.count
      }
    }
    replica.outbox = kept.compactMap { $0 ?? (new.isEmpty ? nil : new.removeFirst()) } + new
    let rebase = replica.rebased
    let ids = replica.outbox.map(\.id)
    replica.outbox = rebase.remaining(of: replica.outbox)
    let view = View(rebase.states, replica.models)
    let known = replica.rows
    replica.rows = [:]
    for (key, row) in view.rows {
      let old = known[key]
      replica.rows[key] = (row, old?.row == row ? old?.hash ?? 0 : CanonicalText.hash(canonical.row(key, row)))
    }
    if replica.shown.records.models != replica.models { try replica.shown.remake(replica.models, page: 20) }
    try replica.shown.take(rebase.states.changes(since: replica.shown.records.states))
    replicas[index] = replica
    guard replica.shown.rows == view.rows else { return "other rows by incremental views" }
    let dropped = rebase.dropped.map { change in
      CanonicalText.hash(canonical.dropped(change, index: ids.firstIndex(of: change.transaction) ?? -1))
    }
    return compare(replica.rows.values.map(\.hash) + dropped, words)
  }

  /// The words behind a colon, which colons separate.
  private func list(_ word: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
    Array(word.split(separator: UInt8(ascii: ":")).dropFirst())
  }

  /// Takes the answer to a pull.
  private func take(_ words: [ArraySlice<UInt8>], into replica: inout Replica) throws {
    var scanner = TraceScanner(words[0])
    let since = Int64(try scanner.number())
    scanner = TraceScanner(words[1])
    let last = scanner.take("-") ? nil : try scanner.number()
    scanner = TraceScanner(words[2])
    var zones: [ZoneName: ZoneState] = [:]
    replica.writable = []
    while !scanner.take("-") {
      let zone = try tables.zone(&scanner)
      if scanner.take("!") { replica.writable.insert(zone) }
      zones[zone] = replica.base.zones[zone] ?? ZoneState()
    }
    var whole = Set<ZoneName>()
    while !scanner.isAtEnd {
      let zone = try tables.zone(&scanner)
      whole.insert(zone)
      zones[zone] = last.map { log[$0].states[zone] } ?? ZoneState()
    }
    replica.base = ZoneStates(zones)
    for entry in entries(behind: since, upTo: last) {
      let parts = entry.parts.filter { zones[$0.key] != nil && !whole.contains($0.key) }
      replica.base.reduce(ZoneStates.Entry(commit: entry.commit, parts: parts))
    }
  }

  private func transaction(_ words: [ArraySlice<UInt8>], isResent: Bool) throws -> LocalTransaction {
    var scanner = TraceScanner(words[0])
    var transaction = LocalTransaction(time: try tables.stamp(&scanner, .zero), changes: [:])
    transaction.isResent = isResent
    for word in words.dropFirst() {
      let isMove = word.starts(with: "move:".utf8)
      guard isMove || word.starts(with: "owner:".utf8) else {
        scanner = TraceScanner(word)
        let (key, registers) = try tables.change(&scanner, transaction.time)
        transaction.changes[key] = registers
        continue
      }
      scanner = TraceScanner(word.dropFirst(isMove ? 5 : 6))
      let key = try tables.key(&scanner)
      try scanner.expect(":")
      if isMove {
        transaction.moves.append(.init(key, to: try tables.zone(&scanner)))
      } else {
        transaction.owners[key] = try tables.key(&scanner)
      }
    }
    return transaction
  }
}

extension ZoneStates {
  /// The registers of the records that differ from those of other states.
  fileprivate func changes(since former: ZoneStates) -> [RecordKey: Registers?] {
    var changes: [RecordKey: Registers?] = [:]
    for zone in Set(zones.keys).union(former.zones.keys) {
      let (before, after) = (former[zone].records, self[zone].records)
      for name in Set(before.keys).union(after.keys) where before[name] != after[name] {
        changes[RecordKey(zone, name)] = .some(after[name])
      }
    }
    return changes
  }
}
