/// The places of objects in a list, by identity.
///
/// A dictionary hashes each identity with a key that no attacker knows, and keeps the identity and the place. An address
/// needs no such hash. This table has four bytes for each object, filled at most to the half, and compares with the list
/// of identities.
struct ObjectPlaces {
  /// The identity at each place, or nil if it was removed.
  private var ids: [ObjectIdentifier?] = []
  /// The place plus one of the object whose search comes by, or 0. Their number is a power of two.
  private var slots: [UInt32] = []
  /// The number of objects.
  private(set) var count = 0

  var isEmpty: Bool { count == 0 }

  /// The place of an object.
  subscript(id: ObjectIdentifier) -> Int? {
    if count == 0 { return nil }
    var slot = home(of: id)
    while slots[slot] != 0 {
      let place = Int(slots[slot]) - 1
      if ids[place] == id { return place }
      slot = (slot + 1) & (slots.count - 1)
    }
    return nil
  }

  /// Adds an object, which must not be there, at the next place.
  /// - Returns: the place.
  mutating func append(_ id: ObjectIdentifier) -> Int {
    count += 1
    ids.append(id)
    if count * 2 > slots.count { grow() } else { put(UInt32(ids.count), of: id) }
    return ids.count - 1
  }

  /// Removes an object. The places of the others stay.
  /// - Returns: the place that it had.
  mutating func remove(_ id: ObjectIdentifier) -> Int? {
    guard let place = self[id] else { return nil }
    ids[place] = nil
    count -= 1
    var hole = home(of: id)
    while slots[hole] != UInt32(place + 1) { hole = (hole + 1) & (slots.count - 1) }
    // A later object of the run moves into the hole if its search passes there.
    var slot = (hole + 1) & (slots.count - 1)
    while slots[slot] != 0, let other = ids[Int(slots[slot]) - 1] {
      if (slot - home(of: other)) & (slots.count - 1) >= (slot - hole) & (slots.count - 1) {
        slots[hole] = slots[slot]
        hole = slot
      }
      slot = (slot + 1) & (slots.count - 1)
    }
    slots[hole] = 0
    return place
  }

  mutating func removeAll(keepsCapacity: Bool) {
    ids.removeAll(keepingCapacity: keepsCapacity)
    count = 0
    if keepsCapacity {
      for slot in slots.indices { slots[slot] = 0 }
    } else {
      slots = []
    }
  }

  private mutating func grow() {
    slots = Array(repeating: 0, count: max(8, slots.count * 2))
    for (place, id) in ids.enumerated() { if let id { put(UInt32(place + 1), of: id) } }
  }

  private mutating func put(_ number: UInt32, of id: ObjectIdentifier) {
    var slot = home(of: id)
    while slots[slot] != 0 { slot = (slot + 1) & (slots.count - 1) }
    slots[slot] = number
  }

  /// The slot where the search for an object begins: the highest bits of a product with the golden ratio, in which each bit
  /// of the address counts.
  private func home(of id: ObjectIdentifier) -> Int {
    let product = UInt64(UInt(bitPattern: id)) &* 0x9E37_79B9_7F4A_7C15
    return Int(product >> UInt64(64 - slots.count.trailingZeroBitCount))
  }
}
