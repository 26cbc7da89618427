import Foundation
import SyncProtocol

extension WireValues {
  /// Transactions with extreme times, sizes, names and counts, and bytes that are none.
  static let transactions: [Data] = {
    let latest = HybridTime(milliseconds: .max, counter: .max, replica: .max)
    let name = RecordName("hostile")
    func encoded(_ registers: Registers, _ name: RecordName = name, in zone: ZoneName = .account("ann")) -> Data {
      SyncLog.Transaction(id: UUID(), parts: [zone: [name: registers]]).encoded
    }
    var (home, commit, edge) = (Registers(), Registers(), Registers())
    home.home = Home(moves: .max, time: .zero, zone: .share("\0"))
    commit.commit = 1
    edge.edges["members"] = [
      RecordName("\0"): Edge(added: latest, removed: latest, place: Stamped(latest, Place("", hint: .account(""))))
    ]
    let dead = Registers.dead(at: latest)
    var all = [
      encoded(.born("Note", at: latest, ["x": .integer(.min)])), encoded(.set(["x": .real(.nan)], at: .zero)),
      encoded(.set(["x": .asset(sha256: "\0", size: SyncWire.assetSizes.upperBound)])), encoded(home),
      encoded(commit), encoded(edge), encoded(dead), encoded(dead, RecordName("")),
      encoded(dead, RecordName("\0")), encoded(dead, RecordName(String(repeating: "n", count: 1 << 16))),
      encoded(.set(["": .text(ExactText(String(repeating: "a", count: 1 << 20)))])),
      encoded(
        .set(["x": .reference(Reference(name, hint: .share(ExactText(String(repeating: "z", count: 1 << 16)))))])),
      encoded(dead, in: .share("\0")), encoded(dead, in: .account(ExactText(String(repeating: "z", count: 1 << 16)))),
      SyncLog.Transaction(
        id: UUID(),
        parts: Dictionary(uniqueKeysWithValues: (0..<3000).map { (ZoneName.share(ExactText("\($0)")), [name: dead]) })
      ).encoded, SyncLog.Transaction(id: UUID(), parts: [:]).encoded,
    ]
    // A count of zones and of records without the zones and records.
    let head = [UInt8](SyncLog.Transaction(id: UUID(), parts: [:]).encoded.dropLast())
    all.append(Data(head + [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01]))
    all.append(Data(head + [1, 0, 0, 1, 97, 3, 0, 0xFF, 0x7F]))
    // Records that only the server forgets.
    all.append(Data(head + [1, 0, 0, 1, 97, 5, 1, 1, 1, 1, 97]))
    return all
  }()
}
