#if Sync
import SyncProtocol

/// Values by record, in the order in which the records came.
///
/// A record is looked up often on its way. This table hashes a name in a few instructions, and its values can be reached by index
/// after one look-up. Nothing is ever removed but all at once.
struct RecordMap<Value> {
  private(set) var names: [RecordName] = []
  /// The values, each at the index of its name.
  var values: [Value] = []
  /// Each name's index + 1, at the first free place behind that of its hash. Zero is a free place.
  private var places: [UInt32] = []

  var count: Int { names.count }
  var isEmpty: Bool { names.isEmpty }

  /// Makes room for so many records, and for twice as many as there is room for at least: otherwise many calls for a few more would
  /// copy the table each time.
  mutating func reserve(_ count: Int) {
    guard count * 2 > places.count else { return }
    let room = Swift.max(count, names.count * 2)
    names.reserveCapacity(room)
    values.reserveCapacity(room)
    place(room: room * 2)
  }

  private mutating func place(room: Int) {
    var size = 16
    while size < room { size *= 2 }
    places = [UInt32](repeating: 0, count: size)
    for (index, name) in names.enumerated() {
      var place = name.quickHash & (size - 1)
      while places[place] != 0 { place = (place + 1) & (size - 1) }
      places[place] = UInt32(index + 1)
    }
  }

  /// The index of a record; nil for one that is not here.
  func index(of name: RecordName) -> Int? {
    guard !names.isEmpty else { return nil }
    let mask = places.count - 1
    var place = name.quickHash & mask
    while true {
      let index = Int(places[place]) - 1
      if index < 0 { return nil }
      if names[index] == name { return index }
      place = (place + 1) & mask
    }
  }

  /// The index of a record, which gets a value if it has none.
  mutating func insert(_ name: RecordName, _ value: @autoclosure () -> Value) -> (index: Int, isNew: Bool) {
    if (names.count + 1) * 2 > places.count { place(room: (names.count + 1) * 4) }
    let mask = places.count - 1
    var place = name.quickHash & mask
    while case let index = Int(places[place]) - 1, index >= 0 {
      if names[index] == name { return (index, false) }
      place = (place + 1) & mask
    }
    names.append(name)
    values.append(value())
    places[place] = UInt32(names.count)
    return (names.count - 1, true)
  }

  subscript(name: RecordName) -> Value? { index(of: name).map { values[$0] } }

  mutating func set(_ name: RecordName, _ value: Value) {
    let (index, isNew) = insert(name, value)
    if !isNew { values[index] = value }
  }
}

/// Records in the order in which they came.
typealias RecordList = RecordMap<Void>

extension RecordMap<Void> {
  mutating func insert(_ name: RecordName) { _ = insert(name, ()) }

  mutating func insert(_ names: some Sequence<RecordName>) { for name in names { insert(name) } }
}

extension RecordMap: Sequence {
  func makeIterator() -> Zip2Sequence<[RecordName], [Value]>.Iterator { zip(names, values).makeIterator() }
}
#endif
