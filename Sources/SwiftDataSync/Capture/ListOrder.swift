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
    let keys = members.map { row in place(row).map { Key(place: $0, row: row) } }
    let kept = LongestRun.indices(keys)
    guard kept.count < members.count else { return [] }
    // Two neighbours that stay may have equal places, which leave no room between: the later one moves too.
    var result: [(RecordKey, ExactText)] = []
    var previous: ExactText?
    var index = 0
    while index < members.count {
      if kept.contains(index), let own = keys[index]?.place, previous.map({ $0 < own || $0 == own }) ?? true {
        previous = own
        index += 1
        continue
      }
      var next = index + 1
      while next < members.count, !(kept.contains(next) && (keys[next]?.place ?? "") > (previous ?? "")) { next += 1 }
      let new: ExactText
      if next < members.count, let high = keys[next]?.place {
        new = ExactText(FractionalKey.between(previous?.text, high.text))
      } else {
        let end = end()
        // Not far behind the previous one: places at the end must stay behind all others.
        new = previous.map { $0 < end ? end : ExactText($0.text + "8") } ?? end
      }
      result.append((members[index], new))
      previous = new
      index += 1
    }
    return result
  }
}
#endif
