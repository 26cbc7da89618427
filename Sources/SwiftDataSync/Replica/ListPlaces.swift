#if Sync
import SyncProtocol

/// The places of list members.
enum ListPlaces {
  /// The place of a member that comes to the end of a list: later moments are later places.
  ///
  /// A replica's next place at the end is behind all places that it has seen. A list need not be read to add to it.
  static func end(_ time: HybridTime) -> String { time.description + "8" }

  /// The moment that a place at the end was made of.
  static func moment(of place: String) -> HybridTime? {
    place.utf8.count == 33 && place.hasSuffix("8") ? HybridTime(String(place.dropLast())) : nil
  }

  /// New places for the members of a list that are not where their places say.
  ///
  /// Members in a longest run that is in order keep their places.
  /// - Parameters:
  ///   - members: the list as it is.
  ///   - place: the place of each member; nil if it has none.
  ///   - tick: a moment later than all places at the end.
  static func changes(
    _ members: [RecordName], place: (RecordName) -> String?, tick: () -> HybridTime
  ) -> [(RecordName, String)] {
    struct Key: Comparable {
      let place: String
      let name: RecordName
      static func < (left: Key, right: Key) -> Bool { (left.place, left.name) < (right.place, right.name) }
    }
    let keys = members.map { name in place(name).map { Key(place: $0, name: name) } }
    let kept = LongestRun.indices(keys)
    guard kept.count < members.count else { return [] }
    // Two neighbours that stay may have equal places, which leave no room between: the later one moves too.
    var result: [(RecordName, String)] = []
    var previous: String?
    var index = 0
    while index < members.count {
      if kept.contains(index), let own = keys[index]?.place, previous.map({ $0 < own || $0 == own }) ?? true {
        previous = own
        index += 1
        continue
      }
      var next = index + 1
      while next < members.count, !(kept.contains(next) && (keys[next]?.place ?? "") > (previous ?? "")) { next += 1 }
      let high = next < members.count ? keys[next]?.place : nil
      let place: String
      if let high {
        place = FractionalKey.between(previous, high)
      } else {
        let end = end(tick())
        // Not far behind the previous one: places at the end must stay behind all others.
        place = previous.map { $0 < end ? end : $0 + "8" } ?? end
      }
      result.append((members[index], place))
      previous = place
      index += 1
    }
    return result
  }
}
#endif
