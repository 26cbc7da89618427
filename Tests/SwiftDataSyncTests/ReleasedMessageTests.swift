#if Sync
import Foundation
import SwiftData
import SyncCore
import SyncProtocol
import Testing

@testable import SwiftDataSync

private enum Logged {
  @Model final class Track {
    @Attribute(.unique) var title: String = ""
    var seconds: Int = -3
    var rating: Double = 0.5
    var price = Decimal(string: "1.10") ?? 0
    var date = Date(timeIntervalSinceReferenceDate: 700_000_000.25)
    var uuid = UUID(uuidString: "0F0E0D0C-0B0A-4908-8706-050403020100") ?? UUID()
    var bytes = Data([0, 255])
    var isLoud = true
    var words = ["b", "a"]
    var remark: String?
    var list: List?
    init(_ title: String) { self.title = title }
  }
  @Model final class List {
    var name: String = ""
    @Relationship(deleteRule: .cascade, inverse: \Track.list) var tracks: [Track] = []
    @Relationship(inverse: \Tag.lists) var tags: [Tag] = []
    init(_ name: String) { self.name = name }
  }
  @Model final class Tag {
    var name: String = ""
    var lists: [List] = []
    init(_ name: String) { self.name = name }
  }
  static let models: [any PersistentModel.Type] = [Track.self, List.self, Tag.self]

  /// Saves objects, an order, changes and a deletion with one device, and a conflicting value with another.
  static func record() throws -> [SyncLog.Transaction] {
    let group = try ZoneGroup(models)
    try group.save(0) { context in
      let list = List("list")
      context.insert(list)
      list.tracks = [Track("a"), Track("b"), Track("gone")]
      list.tags = [Tag("x"), Tag("y")]
    }
    try group.syncAll()
    try group.save(0) { context in
      let list = try group.first(List.self, context)
      list.tracks = list.tracks.reversed()
      context.delete(list.tracks[0])
      list.tags.removeAll { $0.name == "y" }
    }
    try group.save(1) { context in
      for track in try context.fetch(FetchDescriptor<Track>()) where track.title == "a" { track.remark = "second" }
    }
    try group.syncAll()
    try group.save(0) { context in
      for track in try context.fetch(FetchDescriptor<Track>()) where track.title == "a" { track.remark = "third" }
    }
    try group.syncAll()
    return group.server.transactions
  }

  static let contents = [
    "list [b, a] [x]", "a -3 0.5 1.1 700000000.25 0F0E0D0C-0B0A-4908-8706-050403020100 [0, 255] true [b, a] third",
    "b -3 0.5 1.1 700000000.25 0F0E0D0C-0B0A-4908-8706-050403020100 [0, 255] true [b, a] nil", "x [list]", "y []",
  ]

  static func describe(_ context: ModelContext) throws -> [String] {
    func text(_ texts: [String]) -> String { "[\(texts.joined(separator: ", "))]" }
    let lists = try context.fetch(FetchDescriptor<List>()).map {
      "\($0.name) \(text($0.tracks.map(\.title))) \(text($0.tags.map(\.name)))"
    }
    let tracks = try context.fetch(FetchDescriptor<Track>(sortBy: [SortDescriptor(\.title)])).map { track in
      "\(track.title) \(track.seconds) \(track.rating) \(track.price) \(track.date.timeIntervalSinceReferenceDate)"
        + " \(track.uuid) \(Array(track.bytes)) \(track.isLoud) \(text(track.words)) \(track.remark ?? "nil")"
    }
    let tags = try context.fetch(FetchDescriptor<Tag>(sortBy: [SortDescriptor(\.name)])).map {
      "\($0.name) \(text($0.lists.map(\.name)))"
    }
    return lists + tracks + tags
  }
}

extension ZoneServer {
  /// The transactions that clients sent, in the order of the log.
  fileprivate var transactions: [SyncLog.Transaction] {
    log.compactMap { entry in
      entry.id.map { id in
        let parts = entry.parts.compactMapValues { if case .change(let records) = $0 { records } else { nil } }
        return SyncLog.Transaction(id: id, parts: parts)
      }
    }
  }
}

/// The example of one message, with a value in each field.
private struct Example {
  let name: String
  let encoded: Data
  /// Decodes bytes as this message and encodes the message again.
  let again: (Data) throws -> Data
  let missing: [String]

  init<Message: Codable>(_ message: Message) throws {
    name = "\(Message.self)"
    encoded = try SyncWire.encode(message)
    again = { try SyncWire.encode(try SyncWire.decode(Message.self, from: $0)) }
    missing = Self.missing(in: message)
  }

  private static func missing(in value: Any) -> [String] {
    let mirror = Mirror(reflecting: value)
    if mirror.displayStyle == .optional, mirror.children.isEmpty { return [""] }
    return mirror.children.flatMap { child in
      // A name is one text. Registers need not have all of their kinds, and the bytes that a transaction was read from are not a field.
      let isWhole = child.value is RecordName || child.value is Registers || child.label == "partBytes"
      return isWhole ? [] : missing(in: child.value).map { "\(child.label ?? "").\($0)" }
    }
  }

  private static let time = HybridTime(milliseconds: 1_800_000_000_000, counter: 2, replica: 3)
  private static let record = RecordName("0f0e0d0c-0b0a-4908-8706-050403020100")
  private static let uuid = UUID(uuidString: "00010203-0405-4607-8809-0A0B0C0D0E0F") ?? UUID()

  /// All kinds of registers, with all kinds of values.
  private static var records: [RecordName: Registers] {
    let other = RecordName("other")
    let values: [RegisterValue] = [
      .null, .integer(5), .integer(-5), .real(0.5), .text("e\u{301}"), .data(Data([1, 2])),
      .reference(Reference(other)), .reference(Reference(other, hint: .share("1"))),
      .asset(sha256: ExactText(String(repeating: "0a", count: 32)), size: 70_000), .sealed(Data([3])),
    ]
    var registers = Registers()
    registers.born = Stamped(time, "Track")
    registers.home = Home(moves: 1, time: time, zone: .share("1"))
    for (index, value) in values.enumerated() { registers.fields[ExactText("field\(index)")] = Stamped(time, value) }
    let place = Stamped(time, Place("8", hint: .account("ann")))
    registers.edges = ["tracks": [record: Edge(added: time, removed: time, place: place), other: Edge(added: time)]]
    var dead = Registers()
    dead.dead = HybridTime(milliseconds: 1_800_000_000_001, counter: 0, replica: 4)
    return [record: registers, other: dead]
  }

  private static func logged() throws -> [Example] {
    let parts: [ZoneName: [RecordName: Registers]] = [.account("ann"): records, .share("1"): [:]]
    let transaction = SyncLog.Transaction(id: uuid, parts: parts)
    let entry = SyncLog.Entry(
      commit: 4, parts: [.account("ann"): .change(records), .share("1"): .forget([record])], id: uuid)
    let zone = SyncLog.ReadableZone(
      name: .share("1"), owner: "ann", isWritable: true, root: record, keyGeneration: 1, needsKeys: true)
    let list = SyncLog.ZoneList(version: "v", zones: [zone], invitations: 2)
    var loaded = records
    loaded[record]?.commit = 3
    let load = SyncLog.ZoneLoad(zone: .share("1"), isStart: true, records: loaded, entries: [entry], position: "p")
    let epoch = SyncLog.Epoch(name: uuid, start: 1)
    var answer = SyncLog.PullResponse(cursor: 4, latest: 5, time: 6)
    (answer.epochs, answer.list, answer.entries) = ([epoch], list, [entry])
    (answer.loads, answer.taken) = ([load], [uuid])
    let failure = SyncFailure(.clockAhead, "message", time: 5, retryAfter: 1.5)
    return [
      try Example(transaction), try Example(entry), try Example(zone), try Example(list), try Example(load),
      try Example(epoch),
      try Example(
        SyncLog.PullRequest(
          cursor: 4, epoch: uuid, known: [.account("ann")], loading: [.share("1"): "p"], unsent: [uuid], held: [uuid],
          version: "v")),
      try Example(answer),
      try Example(SyncLog.PushRequest(cursor: 4, epoch: uuid, before: [uuid], transactions: [transaction])),
      try Example(SyncLog.PushResponse(taken: 1, repeated: [uuid], refusal: failure, time: 5)),
      try Example(SyncLog.WaitRequest(cursor: 4, epoch: uuid, version: "v", seconds: 1.5)),
      try Example(SyncLog.WaitResponse(isChanged: true)), try Example(failure),
    ]
  }

  static func all() throws -> [Example] {
    let participant = ShareInfo.Participant(
      account: "bob", permission: .readWrite, hasAccepted: true, publicKey: Data([4]))
    let share = ShareInfo(
      zone: "zone", owner: "ann", root: record, title: "title", permission: .readOnly, hasAccepted: true,
      participants: [participant], ownerKey: Data([5]))
    let key = AccountKey(account: "bob", key: Data([6]), generation: 2)
    return try logged() + [
      try Example(AssetState(size: 7, isComplete: true)), try Example(share), try Example(participant),
      try Example(SharesResponse(version: "v", shares: [share])),
      try Example(CreateShareRequest(root: record, title: "title")),
      try Example(InviteRequest(account: "bob", permission: .readOnly)), try Example(InviteResponse(link: "link")),
      try Example(AcceptRequest(link: "link")), try Example(Done()), try Example(key),
      try Example(
        ZoneKeys(
          generation: 2, ownerKey: Data([7]), wrapped: Data([8]), wrappedGeneration: 1, isWrappedByOwner: true,
          previous: [Data([9])], isStale: true, participants: [key])),
      try Example(PutZoneKeysRequest(generation: 2, previous: Data([1]), wrapped: ["bob": Data([2])])),
      try Example(PublishKeyRequest(key: Data([3]))),
    ]
  }
}

/// A failure says that programs and servers of the release do not understand each other's messages any more: give the messages another
/// version, and run `scripts/fixtures`.
@Suite("The messages that the newest release wrote")
struct ReleasedMessageTests {
  private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("../MigrationCases/Released").standardizedFileURL
  private static var isWriting: Bool { ProcessInfo.processInfo.environment["WRITE_FIXTURES"] != nil }

  /// The bytes of a file. `scripts/fixtures` writes it first.
  private func file(_ name: String, _ written: () throws -> Data) throws -> Data {
    let url = Self.folder.appendingPathComponent(name)
    if Self.isWriting { try written().write(to: url) }
    return try Data(contentsOf: url)
  }

  @Test("have the fields of the messages that are written now, and are read")
  func messages() throws {
    let examples = try Example.all()
    #expect(examples.flatMap { example in example.missing.map { "\(example.name).\($0)" } }.isEmpty)
    let now = examples.map { "\($0.name) \(String(decoding: $0.encoded, as: UTF8.self))\n" }.joined()
    let text = String(decoding: try file("messages.txt") { Data(now.utf8) }, as: UTF8.self)
    let lines = text.split(separator: "\n").map { $0.split(separator: " ", maxSplits: 1).map(String.init) }
    #expect(lines.map { $0[0] } == examples.map(\.name))
    for (line, example) in zip(lines, examples) {
      #expect(line[1] == String(decoding: example.encoded, as: UTF8.self))
      #expect(String(decoding: try example.again(Data(line[1].utf8)), as: UTF8.self) == line[1])
    }
  }

  @Test("are all messages of the protocol")
  func complete() throws {
    let sources = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("../../Sources/SyncProtocol").standardizedFileURL
    let names = Set(try Example.all().map(\.name))
    var declared = Set<String>()
    for name in try FileManager.default.subpathsOfDirectory(atPath: sources.path) where name.hasSuffix(".swift") {
      let text = try String(contentsOf: sources.appendingPathComponent(name), encoding: .utf8)
      for match in text.matches(of: /(?:public struct |extension SyncLog\.)(\w+):[^{]*Codable/) {
        declared.insert(String(match.1))
      }
    }
    #expect(declared == names)
  }

  @Test("make the objects of the devices that sent them")
  func log() throws {
    let bytes = try file("log.json") { try SyncWire.encode(try Logged.record()) }
    let log = try SyncWire.decode([SyncLog.Transaction].self, from: bytes)
    let group = try ZoneGroup(Logged.models)
    for transaction in log {
      let push = SyncLog.PushRequest(
        cursor: group.server.commit, epoch: try #require(group.server.epoch), transactions: [transaction])
      #expect(try group.server.push(push, from: "ann").refusal == nil)
    }
    try group.syncAll()
    for index in 0..<2 { #expect(try Logged.describe(ModelContext(group.containers[index])) == Logged.contents) }
    // Programs of the release read what is written now.
    for transaction in log {
      let again = SyncLog.Transaction(id: transaction.id, parts: transaction.parts)
      #expect(again.encoded == transaction.encoded)
    }
    #expect(Self.format(log) == Self.format(try Logged.record()))
  }

  /// The classes, properties and values of a log, without what is random.
  private static func format(_ log: [SyncLog.Transaction]) -> [[String]] {
    log.map { transaction in
      transaction.parts.flatMap { zone, records in records.values.map { "\(zone.text) \(format($0))" } }.sorted()
    }
  }

  private static func format(_ registers: Registers) -> String {
    let fields = registers.fields.map { name, write in
      if case .reference(let reference) = write.value { return "\(name) reference \(reference.hint?.text ?? "")" }
      // A place begins with the time and the session.
      return name.text.hasPrefix("place:") ? "\(name)" : "\(name) \(write.value)"
    }
    let edges = registers.edges.map { name, members in
      "\(name) \(members.values.map { "\($0.added != .zero) \($0.removed != .zero) \($0.place != nil)" }.sorted())"
    }
    let flags = "\(registers.dead != nil) \(registers.home != nil)"
    return "\(registers.born.map { "\($0.value)" } ?? "") \(flags) \(fields.sorted()) \(edges.sorted())"
  }
}
#endif
