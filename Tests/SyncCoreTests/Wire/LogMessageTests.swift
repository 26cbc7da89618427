import Foundation
import SyncCore
import SyncProtocol
import Testing

/// The bytes of registers, and the messages about the log.
@Suite("Messages about the log")
struct LogMessageTests {
  private static let isLong = ProcessInfo.processInfo.environment["TEST_ALL"] != nil
  private static let seeds = 0..<(isLong ? 5000 : 200)

  private static func entries(_ seed: Int) -> [ZoneStates.Entry] {
    var random = RandomLog(seed: seed)
    var entries = random.entries(4)
    entries.append(
      ZoneStates.Entry(commit: 5, parts: [random.pick(RandomLog.zones): .forget([random.name(), random.name()])]))
    return entries
  }

  @Test("Entries are the same after they were sent, and equal entries have equal bytes")
  func entries() throws {
    for seed in Self.seeds {
      for entry in Self.entries(seed) {
        let sent = SyncLog.Entry(commit: entry.commit, parts: entry.parts)
        let bytes = try SyncWire.encode(sent)
        let received = try SyncWire.decode(SyncLog.Entry.self, from: bytes)
        #expect(received == sent && received.reduced == entry, "seed \(seed)")
        #expect(try SyncWire.encode(received) == bytes, "seed \(seed)")
      }
    }
  }

  @Test("Transactions are the same after they were sent, and keep their bytes")
  func transactions() throws {
    for seed in Self.seeds {
      var random = RandomLog(seed: seed)
      let parts = Dictionary(
        uniqueKeysWithValues: RandomLog.zones.map { ($0, [random.name(): random.registers(random.name())]) })
      let transaction = SyncLog.Transaction(id: UUID(), parts: parts)
      let received = try SyncLog.Transaction(encoded: transaction.encoded)
      #expect(received == transaction && received.encoded == transaction.encoded, "seed \(seed)")
    }
    #expect(try SyncLog.Transaction(encoded: SyncLog.Transaction(id: UUID(), parts: [:]).encoded).parts.isEmpty)
  }

  @Test("A load makes the state that the log makes, wherever the server divides it")
  func loads() throws {
    for seed in Self.seeds {
      var random = RandomLog(seed: seed)
      let entries = random.entries(20)
      let expected = RandomLog.states(entries)
      let cut = random.below(20)
      var states = ZoneStates([.share("share0"): ZoneState([random.name(): random.registers(random.name())])])
      for (zone, state) in RandomLog.states(entries[..<cut]).zones {
        let names = state.records.keys.sorted()
        let half = random.below(names.count + 1)
        let rest = entries[cut...].map { SyncLog.Entry(commit: $0.commit, parts: $0.parts) }
        let loads = [
          SyncLog.ZoneLoad(
            zone: zone, isStart: true, records: state.records.filter { names[..<half].contains($0.key) }, position: "a"),
          SyncLog.ZoneLoad(
            zone: zone, isStart: false, records: state.records.filter { names[half...].contains($0.key) },
            entries: rest, position: nil),
        ]
        for load in loads {
          try SyncWire.decode(SyncLog.ZoneLoad.self, from: SyncWire.encode(load)).load(into: &states)
        }
      }
      #expect(states == expected, "seed \(seed)")
    }
  }

  @Test("Texts that are canonically equivalent stay different names")
  func equivalentNames() throws {
    let registers = Registers.fields(["e\u{301}": .integer(1), "\u{e9}": .integer(2)], at: HybridTimes.time(1))
    let part = ZoneStates.Entry.Part.change([TraceTables.name(0): registers, TraceTables.name(1): registers])
    #expect(try ZoneStates.Entry.Part(encoded: part.encoded) == part)
  }

  @Test("Damaged bytes are refused, or are bytes that a writer can have written")
  func damage() throws {
    var (refused, taken) = (0, 0)
    for seed in Self.seeds {
      var random = RandomLog(seed: seed)
      for entry in Self.entries(seed) {
        for part in entry.parts.values {
          var bytes = part.encoded
          switch random.below(4) {
          case 0: bytes = bytes.prefix(random.below(bytes.count))
          case 1: bytes.insert(UInt8(random.below(256)), at: random.below(bytes.count))
          default: bytes[random.below(bytes.count)] = UInt8(random.below(256))
          }
          guard let read = try? ZoneStates.Entry.Part(encoded: Data(bytes)) else {
            refused += 1
            continue
          }
          // A number or a repeated text can be written in more than one way, so the bytes may differ. The values may not.
          #expect(try ZoneStates.Entry.Part(encoded: read.encoded) == read, "seed \(seed)")
          taken += 1
        }
      }
    }
    #expect(refused > 100 && taken > 100, "\(refused) refused, \(taken) taken")
  }

  /// Bytes that no writer writes, with what is wrong with them. A part begins with its kind and the count of its records.
  private static let forged: [(String, [UInt8])] = [
    ("no bytes", []),
    ("an unknown kind", [2, 0]),
    ("more records than bytes", [0, 255, 255, 255, 255, 15]),
    ("a count of 70 bits", [0, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 1]),
    ("no record to forget", [1, 0]),
    ("one record twice", [1, 2, 1, 1, 97, 1, 1, 97]),
    ("records that descend", [1, 2, 1, 1, 98, 1, 1, 97]),
    ("unknown registers", [0, 1, 1, 1, 97, 64]),
    ("no fields", [0, 1, 1, 1, 97, 16, 0]),
    ("a value of an unknown kind", [0, 1, 1, 1, 97, 16, 1, 0, 1, 112, 0, 9]),
    ("a time of an unknown kind", [0, 1, 1, 1, 97, 2, 3]),
    ("a text that is not UTF-8", [0, 1, 1, 1, 97, 16, 1, 0, 1, 112, 0, 4, 1, 255]),
    ("a hint without a place", [0, 1, 1, 1, 97, 32, 1, 0, 1, 112, 1, 1, 1, 98, 8]),
    ("an unknown kind of zone", [0, 1, 1, 1, 97, 4, 0, 0, 2, 0, 1, 97]),
    (
      "more moves than a number of 63 bits",
      [0, 1, 1, 1, 97, 4, 255, 255, 255, 255, 255, 255, 255, 255, 255, 1, 0, 0, 0, 1, 97]
    ),
    ("bytes after the end", [0, 0, 0]),
  ]

  @Test("Forged bytes are refused", arguments: forged.map(\.0))
  func forgery(_ case: String) {
    let bytes = Self.forged.first { $0.0 == `case` }?.1 ?? []
    #expect(throws: DecodingError.self) { try ZoneStates.Entry.Part(encoded: Data(bytes)) }
  }

  @Test("A client cannot send what only the server's log may have")
  func serverOnly() throws {
    var registers = Registers()
    registers.commit = 1
    let forged = SyncLog.Transaction(id: UUID(), parts: [.account("ann"): [TraceTables.name(0): registers]])
    #expect(throws: DecodingError.self) { try SyncLog.Transaction(encoded: forged.encoded) }
    var bytes = SyncLog.Transaction(id: UUID(), parts: [.account("ann"): [:]]).encoded
    bytes.replaceSubrange(bytes.count - 3..<bytes.count, with: [5] + [UInt8]([1, 1, 1, 1, 97]))
    #expect(throws: DecodingError.self) { try SyncLog.Transaction(encoded: bytes) }
    bytes[0] = 1
    #expect(throws: DecodingError.self) { try SyncLog.Transaction(encoded: bytes) }
  }

  @Test("Numbers that no server sends are refused", arguments: [-1, Int64.max])
  func numbers(_ number: Int64) {
    let messages = [
      ("Epoch", #"{"name":"\#(UUID())","start":\#(number)}"#), ("Entry", #"{"commit":\#(number),"parts":{}}"#),
      ("Pull", #"{"cursor":\#(number),"latest":1,"entries":[],"loads":[],"taken":[],"time":1}"#),
      ("Pull", #"{"cursor":1,"latest":\#(number),"entries":[],"loads":[],"taken":[],"time":1}"#),
      ("Zone", #"{"name":"share-a","owner":"ann","isWritable":true,"keyGeneration":\#(number)}"#),
    ]
    for (kind, text) in messages {
      #expect(throws: DecodingError.self, "\(text)") {
        switch kind {
        case "Epoch": _ = try SyncWire.decode(SyncLog.Epoch.self, from: Data(text.utf8))
        case "Entry": _ = try SyncWire.decode(SyncLog.Entry.self, from: Data(text.utf8))
        case "Pull": _ = try SyncWire.decode(SyncLog.PullResponse.self, from: Data(text.utf8))
        default: _ = try SyncWire.decode(SyncLog.ReadableZone.self, from: Data(text.utf8))
        }
      }
    }
  }

  @Test("The name of a zone is its text, and other texts are refused")
  func zoneNames() throws {
    for zone: ZoneName in [.account("ann"), .account(""), .share("share-a"), .account("e\u{301}")] {
      #expect(ZoneName(text: zone.text) == zone)
      #expect(try SyncWire.decode([ZoneName: Int].self, from: SyncWire.encode([zone: 1])) == [zone: 1])
    }
    for text in ["", "private", "account", "Share-a"] { #expect(ZoneName(text: text) == nil) }
    #expect(throws: DecodingError.self) { try SyncWire.decode([ZoneName].self, from: Data(#"["private"]"#.utf8)) }
    #expect(throws: DecodingError.self) {
      try SyncWire.decode([ZoneName: Int].self, from: Data(#"{"private":1}"#.utf8))
    }
  }

  @Test("A client finds the commit at which a restored server left the log that the client knows")
  func forks() {
    let epochs = [0, 10, 20, 30].map { SyncLog.Epoch(name: UUID(), start: $0) }
    func fork(_ known: [SyncLog.Epoch], _ server: [SyncLog.Epoch], latest: Int64 = 40, cursor: Int64) -> Int64? {
      SyncLog.Epoch.fork(of: known, and: server, latest: latest, cursor: cursor)
    }
    #expect(fork(epochs, epochs, cursor: 40) == nil)
    // The server was started again.
    #expect(fork(Array(epochs[..<2]), epochs, cursor: 20) == nil)
    // The server was restored from a backup of the commit 20, and the client has seen the commit 25.
    #expect(fork(Array(epochs[..<2]), epochs, cursor: 25) == 20)
    #expect(fork([epochs[0], epochs[1], SyncLog.Epoch(name: UUID(), start: 15)], epochs, cursor: 25) == 20)
    #expect(fork(epochs, Array(epochs[..<2]), latest: 12, cursor: 25) == 12)
    #expect(fork([], epochs, cursor: 0) == nil)
    #expect(fork([], epochs, cursor: 1) == 0)
  }
}
