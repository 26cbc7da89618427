#if Sync
import Foundation
import SwiftData
import SyncCore
import SyncProtocol
import Testing
import UntrustedInput

@testable import SwiftDataSync

@Model final class ZoneSecret {
  @Attribute(.allowsCloudEncryption) var text: String = ""
  init(_ text: String) { self.text = text }
}

@Model final class ZoneItem {
  var name: String = ""
  var isPinned: Bool = false
  init(_ name: String) { self.name = name }
}

/// A value that one number keeps from being stored.
struct ZoneNumber: Codable, Equatable {
  var number: Int

  init(_ number: Int) { self.number = number }

  func encode(to encoder: any Encoder) throws {
    guard number != 13 else {
      throw EncodingError.invalidValue(number, .init(codingPath: [], debugDescription: "the number is unlucky"))
    }
    var container = encoder.singleValueContainer()
    try container.encode(number)
  }

  init(from decoder: any Decoder) throws { number = try decoder.singleValueContainer().decode(Int.self) }
}

enum ZoneKind: Int, Codable { case quiet, loud }

@Model final class ZoneNote {
  var title: String = ""
  @Attribute(.allowsCloudEncryption) var secret: String = ""
  var kind: ZoneKind = ZoneKind.quiet
  var mood: ZoneKind?
  var numbers: [ZoneNumber] = []
  init(_ title: String) { self.title = title }
}

@Suite("Replicas of zones")
struct ZoneReplicaTests {
  @Test(
    "A shared object is in the share with all that it owns, also what a device added that did not know of the share")
  func share() throws {
    let group = try ZoneGroup([CellOwner.self], accounts: ["ann", "ann", "bob"])
    try group.save(0) { context in
      let owner = CellOwner("o")
      context.insert(owner)
      owner.parts.append(CellPart("first"))
    }
    try group.syncAll()
    try group.save(1) { try group.first(CellOwner.self, $0).parts.append(CellPart("late")) }
    try group.replicas[1].capture()
    let zone = try group.share(CellOwner.self, of: 0, with: ["bob": true])
    try group.syncAll()
    for index in 0...2 {
      #expect(try group.all(CellOwner.self, index).map { $0.parts.map(\.name) } == [["first", "late"]])
      #expect(try group.replicas[index].view.rows.keys.allSatisfy { $0.zone == zone })
    }
  }

  @Test("A participant who is removed keeps nothing of the share, and the unsent change is in the conflict log")
  func revoke() throws {
    let group = try ZoneGroup([CellOwner.self], accounts: ["ann", "bob"])
    try group.save(0) { $0.insert(CellOwner("o")) }
    let zone = try group.share(CellOwner.self, of: 0, with: ["bob": true])
    try group.syncAll()
    try group.save(1) { try group.first(CellOwner.self, $0).name = "unsent" }
    group.server.shares[zone]?.members = [:]
    try group.syncAll()
    #expect(try group.all(CellOwner.self, 1).isEmpty && group.all(CellOwner.self, 0).map(\.name) == ["o"])
    #expect(try group.replicas[1].conflicts().map(\.lost) == ["unsent"])
    #expect(group.replicas[1].pendingCount == 0)
  }

  @Test("What a participant may only read goes back to what the owner has")
  func readOnly() throws {
    let group = try ZoneGroup([CellOwner.self], accounts: ["ann", "bob"])
    try group.save(0) { $0.insert(CellOwner("o")) }
    _ = try group.share(CellOwner.self, of: 0, with: ["bob": false])
    try group.syncAll()
    try group.save(1) { try group.first(CellOwner.self, $0).name = "changed" }
    try group.syncAll()
    for index in 0...1 { #expect(try group.all(CellOwner.self, index).map(\.name) == ["o"]) }
  }

  @Test("Two devices move one object at the same time: it is where the later owner is, once")
  func twoMoves() throws {
    let group = try ZoneGroup([CellOwner.self])
    for name in ["a", "b"] {
      try group.save(0) { $0.insert(CellOwner(name)) }
      let zone = ZoneName.share(ExactText("\(group.server.shares.count)"))
      try group.sync(0)
      let owner = try #require(try group.all(CellOwner.self, 0).first { $0.name == name })
      let row = try #require(try group.replicas[0].store.keys(of: [UserStore.text(owner.persistentModelID)])[0])
      group.server.shares[zone] = ZoneServer.Share(owner: "ann", root: row.name)
      try group.sync(0)
      try group.replicas[0].move(row, to: zone)
    }
    try group.save(0) { $0.insert(CellPart("part")) }
    try group.syncAll()
    for (index, name) in ["a", "b"].enumerated() {
      try group.save(index) { context in
        let owners = try context.fetch(FetchDescriptor<CellOwner>())
        try group.first(CellPart.self, context).owner = owners.first { $0.name == name }
      }
      try group.replicas[index].capture()
    }
    #expect(try group.push(0) == nil)
    #expect(try group.push(1)?.code == .moved)
    try group.syncAll()
    for index in 0...1 {
      let owners = try group.all(CellOwner.self, index).sorted { $0.name < $1.name }
      #expect(owners.map { $0.parts.map(\.name) } == [[], ["part"]])
      let part = try group.all(CellPart.self, index)[0]
      let row = try group.replicas[index].store.keys(of: [UserStore.text(part.persistentModelID)])[0]
      #expect(row?.zone == .share("1"))
    }
  }

  @Test("An attribute of the account's own scope is on its devices, and not with a participant")
  func personal() throws {
    let scopes = SyncScopes([.account(\ZoneItem.isPinned)])
    let group = try ZoneGroup([ZoneItem.self], accounts: ["ann", "ann", "bob"], scopes: scopes)
    try group.save(0) { $0.insert(ZoneItem("i")) }
    _ = try group.share(ZoneItem.self, of: 0, with: ["bob": true])
    try group.syncAll()
    try group.save(0) { try group.first(ZoneItem.self, $0).isPinned = true }
    try group.syncAll()
    #expect(try (0...2).map { try group.all(ZoneItem.self, $0)[0].isPinned } == [true, true, false])
    try group.save(2) { try group.first(ZoneItem.self, $0).name = "renamed" }
    try group.save(1) { try group.first(ZoneItem.self, $0).isPinned = false }
    try group.syncAll()
    #expect(try (0...2).map { try group.all(ZoneItem.self, $0)[0].isPinned } == [false, false, false])
    #expect(try group.all(ZoneItem.self, 0)[0].name == "renamed")
  }

  @Test("The server gets an encrypted attribute only encrypted")
  func encrypted() throws {
    let group = try ZoneGroup([ZoneSecret.self], hasSecret: true)
    try group.save(0) { $0.insert(ZoneSecret("plain")) }
    try group.syncAll()
    #expect(try group.all(ZoneSecret.self, 1).map(\.text) == ["plain"])
    let values = group.server.state(of: .account("ann")).records.values.compactMap { $0.fields["text"]?.value }
    #expect(values.count == 1)
    for value in values { if case .sealed = value {} else { Issue.record("\(value) is not encrypted") } }
    try group.save(1) { try group.first(ZoneSecret.self, $0).text = "changed" }
    try group.syncAll()
    #expect(try group.all(ZoneSecret.self, 0).map(\.text) == ["changed"])
  }

  private struct Longer: ConflictResolver {
    func resolve(local: ZoneItem, remote: ZoneItem) {
      if remote.name.count > local.name.count { local.name = remote.name }
    }
  }

  @Test("A resolver decides between two changes, and all devices get what it decides")
  func resolver() throws {
    var resolvers = ConflictResolvers()
    resolvers.add(Longer())
    let group = try ZoneGroup([ZoneItem.self], resolvers: resolvers)
    try group.save(0) { $0.insert(ZoneItem("i")) }
    try group.syncAll()
    try group.save(0) { try group.first(ZoneItem.self, $0).name = "a longer one" }
    try group.replicas[0].capture()
    try group.save(1) { try group.first(ZoneItem.self, $0).name = "later" }
    try group.syncAll()
    for index in 0...1 { #expect(try group.all(ZoneItem.self, index).map(\.name) == ["a longer one"]) }
  }

  private struct LongerTitle: ConflictResolver {
    func resolve(local: ZoneNote, remote: ZoneNote) {
      if remote.title.hasSuffix("unlucky") { local.numbers = [ZoneNumber(13)] }
      if remote.title.count > local.title.count { local.title = remote.title }
    }
  }

  /// Two devices with notes, whose titles both change without having seen each other's change.
  private func contestedNotes(_ titles: [String]) throws -> ZoneGroup {
    var resolvers = ConflictResolvers()
    resolvers.add(LongerTitle())
    let group = try ZoneGroup([ZoneNote.self], resolvers: resolvers, hasSecret: true)
    try group.save(0) { context in
      for title in titles {
        let note = ZoneNote(title)
        (note.secret, note.kind) = ("first", .loud)
        context.insert(note)
      }
    }
    try group.syncAll()
    return group
  }

  private func contest(_ group: ZoneGroup) throws {
    for (index, suffix) in ["is a longer one", "b"].enumerated() {
      try group.save(index) { context in
        for note in try context.fetch(FetchDescriptor<ZoneNote>()) { note.title = "\(suffix), \(note.title)" }
      }
      try group.replicas[index].capture()
    }
  }

  @Test("A resolver does not write a value that its device cannot read", arguments: ["secret", "kind"])
  func unreadable(_ property: String) throws {
    let group = try contestedNotes(["a"])
    let zone = ZoneName.account("ann")
    let name = try #require(group.server.state(of: zone).records.keys.first)
    // A program with another key, or with newer models, wrote it.
    let value: RegisterValue = property == "secret" ? .sealed(Data(repeating: 1, count: 60)) : .integer(99)
    var registers = Registers()
    registers.fields[WireName(property)] = Stamped(group.replicas[0].tick(), value)
    let request = SyncLog.PushRequest(
      cursor: group.server.commit, epoch: try #require(group.server.epoch),
      transactions: [SyncLog.Transaction(id: UUID(), parts: [zone: [name: registers]])])
    #expect(try group.server.push(request, from: "ann").refusal == nil)
    try group.syncAll()
    try contest(group)
    try group.syncAll()
    for index in 0...1 {
      let note = try group.all(ZoneNote.self, index)[0]
      #expect(note.title == "is a longer one, a" && note.secret == "first")
      // The default stands in for a case that the program does not know.
      #expect(note.kind == (property == "kind" ? ZoneNote("").kind : .loud))
    }
    #expect(group.server.state(of: zone)[name]?.fields[WireName(property)]?.value == value)
  }

  @Test(
    "A comparison of all objects takes the value that the program put where it could not read one",
    arguments: [false, true])
  func optionalStandIn(_ isWritten: Bool) throws {
    let group = try contestedNotes(["a"])
    let zone = ZoneName.account("ann")
    let name = try #require(group.server.state(of: zone).records.keys.first)
    var registers = Registers()
    registers.fields["mood"] = Stamped(group.replicas[0].tick(), .integer(99))
    let request = SyncLog.PushRequest(
      cursor: group.server.commit, epoch: try #require(group.server.epoch),
      transactions: [SyncLog.Transaction(id: UUID(), parts: [zone: [name: registers]])])
    #expect(try group.server.push(request, from: "ann").refusal == nil)
    try group.syncAll()
    try group.save(0) { context in
      let note = try group.first(ZoneNote.self, context)
      #expect(note.mood == nil)
      note.title = "b"
      if isWritten { note.mood = .loud }
    }
    // Without a history the replica compares all objects.
    try ModelContext(group.containers[0]).deleteHistory(HistoryDescriptor<DefaultHistoryTransaction>())
    try group.syncAll()
    let record = group.server.state(of: zone)[name]
    #expect(record?.fields["title"]?.value == .text("b"))
    #expect(record?.fields["mood"]?.value == .integer(isWritten ? 1 : 99))
  }

  @Test("Two engines on one store are told of each other, and what one of them sent is not sent by the other one")
  func twoEngines() throws {
    let group = try ZoneGroup([ZoneItem.self], count: 1)
    try group.syncAll()
    let (first, second) = (group.replicas[0], try group.replica(0))
    try group.save(0) { $0.insert(ZoneItem("a")) }
    #expect(throws: SyncError.self) { try first.capturePart() }
    try group.sync(0)
    #expect(group.server.log.count == 1)
    let error = #expect(throws: SyncError.self) { try second.capturePart() }
    #expect(error?.code == .busy && error?.message.contains("one program at a time can sync a store") == true)
    try second.capturePart()
    #expect(second.outbox.isEmpty && second.store.replica.cursor == group.server.commit)
    // Each of them notices any write of the other one.
    let bytes = Data([1])
    try second.keepFetched("b", bytes)
    #expect(throws: SyncError.self) { try first.keepFetched("a", bytes) }
    try second.keepFetched("c", bytes)
    #expect(throws: SyncError.self) { try first.keepFetched("a", bytes) }
    try first.keepFetched("a", bytes)
  }

  @Test("A decision that cannot be stored is reported, and the other conflicts are resolved")
  func unstorable() throws {
    let group = try contestedNotes(["first", "unlucky", "last"])
    try contest(group)
    try group.sync(0)
    #expect(throws: SwiftDataError.self) { try group.sync(1) }
    try group.syncAll()
    for index in 0...1 {
      let titles = try group.all(ZoneNote.self, index).map(\.title).sorted()
      #expect(titles == ["b, unlucky", "is a longer one, first", "is a longer one, last"])
    }
  }

  @Test("A late answer to a pull without zones is left out when the list of zones has changed since")
  func lateAnswer() throws {
    let group = try ZoneGroup([CellOwner.self], accounts: ["ann", "bob"])
    try group.save(0) { $0.insert(CellOwner("o")) }
    let zone = try group.share(CellOwner.self, of: 0, with: [:])
    try group.syncAll()
    let late = group.replicas[1].pullRequest()
    #expect(late.known == nil)
    group.server.shares[zone]?.members = ["bob": true]
    try group.pull(1)
    let current = group.replicas[1].pullRequest()
    #expect(current.cursor == late.cursor && current.known == nil && current.version != late.version)
    // The late request arrives while Bob may not read the share, so that the answer passes over an entry of it.
    group.server.shares[zone]?.members = [:]
    try group.save(0) { try group.first(CellOwner.self, $0).name = "changed" }
    try group.sync(0)
    let answer = group.server.pull(late, by: "bob", limit: 100)
    #expect(answer.list == nil && answer.entries.isEmpty && Untrusted(answer.cursor) > late.cursor)
    group.server.shares[zone]?.members = ["bob": true]
    #expect(try group.replicas[1].take(answer, for: late))
    try group.syncAll()
    #expect(try group.all(CellOwner.self, 1).map(\.name) == ["changed"])
    // The engine does not take the answer to the one for the answer to the other.
    #expect(!late.isSame(as: current) && current.isSame(as: current))
  }

  @Test("A device whose clock is a day ahead gets other times, and what it saved is not lost")
  func clockAhead() throws {
    let group = try ZoneGroup([ZoneItem.self])
    group.skews[0] = 86_400_000
    try group.save(0) { $0.insert(ZoneItem("first")) }
    try group.syncAll()
    // The first answer tells the server's time. After that, a clock can go wrong again.
    group.skews[0] = 3 * 86_400_000
    try group.save(0) { try group.first(ZoneItem.self, $0).name = "second" }
    try group.replicas[0].capture()
    #expect(try group.push(0)?.code == .clockAhead)
    try group.syncAll()
    #expect(try group.all(ZoneItem.self, 1).map(\.name) == ["second"])
    try group.save(1) { try group.first(ZoneItem.self, $0).name = "third" }
    try group.syncAll()
    #expect(try group.all(ZoneItem.self, 0).map(\.name) == ["third"])
  }

  @Test("A server that was restored from a copy gets what devices have, and a deletion stays")
  func restoredServer() throws {
    let group = try ZoneGroup([ZoneItem.self])
    try group.save(0) { context in for name in ["kept", "deleted"] { context.insert(ZoneItem(name)) } }
    try group.syncAll()
    let copy = group.server.copy()
    try group.save(0) { context in
      for item in try context.fetch(FetchDescriptor<ZoneItem>()) {
        if item.name == "deleted" { context.delete(item) } else { item.name = "changed" }
      }
      context.insert(ZoneItem("new"))
    }
    try group.syncAll()
    group.server.restore(copy)
    try group.save(1) { $0.insert(ZoneItem("after")) }
    try group.syncAll()
    for index in 0...1 {
      #expect(try Set(group.all(ZoneItem.self, index).map(\.name)) == ["changed", "new", "after"])
    }
  }

  @Test("A replica that starts again has its outbox, and its rows are those of its view")
  func restart() throws {
    let group = try ZoneGroup([CellOwner.self])
    try group.save(0) { context in
      let owner = CellOwner("o")
      context.insert(owner)
      owner.notes = [CellNote("n"), CellNote("m")]
    }
    try group.syncAll()
    try group.save(0) { try group.first(CellOwner.self, $0).notes.reverse() }
    try group.replicas[0].capture()
    let rows = try group.replicas[0].view.rows
    try group.restart(0)
    #expect(try group.replicas[0].view.rows == rows && group.replicas[0].pendingCount == 1)
    try group.syncAll()
    #expect(try group.all(CellOwner.self, 1).map { $0.notes.map(\.name) } == [["m", "n"]])
  }
}
#endif
