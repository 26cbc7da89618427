import SyncCore
import SyncProtocol

/// The texts whose hashes traces have, as `Canonical` of `scripts/sync-traces` writes them.
struct CanonicalText {
  /// The index of each name.
  var names: [RecordName: Int]

  /// FNV-1a.
  static func hash(_ text: String) -> UInt64 {
    var text = text
    return text.withUTF8 { bytes in
      var value: UInt64 = 0xcbf2_9ce4_8422_2325
      for byte in bytes { value = (value ^ UInt64(byte)) &* 0x100_0000_01b3 }
      return value
    }
  }

  /// The sum of hashes, as a trace writes it.
  static func sum(_ hashes: some Sequence<UInt64>) -> String {
    String(hashes.reduce(0, &+) % 2_821_109_907_456, radix: 36)
  }

  private func zone(_ zone: ZoneName?) -> String { zone?.name.text ?? "" }

  private func name(_ name: RecordName) -> String { names[name].map(String.init) ?? name.text }
  private func key(_ key: RecordKey) -> String { zone(key.zone) + "/" + name(key.name) }
  private func time(_ time: HybridTime) -> String { "\(time.milliseconds).\(time.counter).\(time.replica)" }

  private func value(_ value: RegisterValue) -> String {
    switch value {
    case .null: "-"
    case .integer(let number): "#\(number)"
    case .text(let text): "\"" + text.text
    case .asset(let sha256, _): "!" + sha256.text
    case .reference(let reference): ">" + name(reference.name) + "@" + zone(reference.hint)
    case .real, .data, .sealed: "\(value)"
    }
  }

  func registers(_ registers: Registers) -> String {
    var parts: [String] = []
    if let born = registers.born { parts.append("b\(born.value)~" + time(born.time)) }
    if let dead = registers.dead { parts.append("d~" + time(dead)) }
    if let home = registers.home { parts.append("h\(home.moves)." + zone(home.zone) + "~" + time(home.place.time)) }
    parts += registers.fields.map { "f\($0.text)=" + value($1.value) + "~" + time($1.time) }.sorted()
    var edges: [String] = []
    for (property, members) in registers.edges {
      for (member, edge) in members {
        let place = edge.place.map { $0.value.key.text + "@" + zone($0.value.hint) + "~" + time($0.time) }
        edges.append(
          "e\(property.text)." + name(member) + "=" + time(edge.added) + "/" + time(edge.removed) + "/" + (place ?? "-")
        )
      }
    }
    parts += edges.sorted()
    if let commit = registers.commit { parts.append("@\(commit)") }
    return parts.joined(separator: ",")
  }

  func parts(_ parts: [ZoneName: [RecordName: Registers]]) -> String {
    parts.flatMap { zone, part in part.map { key(RecordKey(zone, $0)) + ":" + registers($1) } }
      .sorted().joined(separator: "\n")
  }

  func row(_ rowKey: RecordKey, _ row: Row) -> String {
    let cells = row.values.sorted { $0.key < $1.key }.map { name, cell in
      switch cell {
      case .value(let value): "\(name)=" + self.value(value)
      case .toOne(let target): "\(name)=" + (target.map { ">" + key($0) } ?? "-")
      case .toMany(let targets): "\(name)=[" + targets.map(key).joined(separator: " ") + "]"
      }
    }
    return key(rowKey) + ":\(row.entity);" + cells.joined(separator: ";")
  }

  func dropped(_ change: DroppedChange, index: Int) -> String {
    "\(index) " + key(change.key) + " \(change.reason.rawValue) " + registers(change.sent)
  }
}
