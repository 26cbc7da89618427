#if Sync
import SyncCore
import SyncProtocol

/// The places of members that come to the end of a list: later moments are later places, so that a list need not be read to add to it.
enum ListEnd {
  /// - Parameter count: how many came to the list before in the same transaction.
  static func place(_ time: HybridTime, _ count: Int) -> ExactText {
    let digits = String(count, radix: 16)
    return ExactText(time.description + String(repeating: "0", count: max(0, 4 - digits.count)) + digits + "8")
  }

  /// A place at the end of a list that is made of a moment which gets a new value.
  static func renewed(_ place: ExactText, _ times: [HybridTime: HybridTime]) -> ExactText {
    guard place.text.utf8.count > 32, let old = HybridTime(String(place.text.prefix(32))), let new = times[old] else {
      return place
    }
    return ExactText(new.description + place.text.dropFirst(32))
  }
}

/// New places for the members of a list that are not where their places say.
enum ListOrder {
  private struct Key: Comparable {
    let place: ExactText
    let row: RecordKey

    // The order of a view.
    static func < (left: Key, right: Key) -> Bool {
      if left.place != right.place { return left.place < right.place }
      return left.row.name == right.row.name ? left.row < right.row : left.row.name < right.row.name
    }
  }

  /// Members in a longest run that is in order keep their places.
  /// - Parameters:
  ///   - members: the list as it is.
  ///   - place: the place of each member; nil if it has none.
  ///   - end: a place later than all places at the end.
  static func changes(
    _ members: [RecordKey], place: (RecordKey) -> ExactText?, end: () -> ExactText
  ) -> [(RecordKey, ExactText)] {
    // Another replica may have chosen a place that leaves no room next to it. Its member gets a new one.
    let keys = members.map { row in
      place(row).flatMap { FractionalKey.isKey($0.text) ? Key(place: $0, row: row) : nil }
    }
    let kept = LongestRun.indices(keys)
    guard kept.count < members.count else { return [] }
    var result: [(RecordKey, ExactText)] = []
    var previous: ExactText?
    var run: [RecordKey] = []
    for (index, member) in members.enumerated() {
      // Two neighbours that stay may have equal places, which leave no room between: then the later one moves too.
      let isAfter = { (place: ExactText) in previous.map { $0 < place || run.isEmpty && $0 == place } ?? true }
      guard kept.contains(index), let own = keys[index]?.place, isAfter(own) else {
        run.append(member)
        continue
      }
      result += zip(run, FractionalKey.between(previous?.text, own.text, count: run.count).map { ExactText($0) })
      (previous, run) = (own, [])
    }
    guard !run.isEmpty else { return result }
    let ends = run.map { _ in end() }
    guard let previous, let first = ends.first, first < previous || first == previous else {
      return result + zip(run, ends)
    }
    // Another replica placed a member behind all moments.
    return result + zip(run, FractionalKey.between(previous.text, nil, count: run.count).map { ExactText($0) })
  }
}
#endif
