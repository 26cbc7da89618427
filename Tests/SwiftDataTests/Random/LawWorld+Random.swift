// What the reference knows beyond one context that throws on collisions.

extension LawWorld {
  /// A new thing that is written over another one, whose unique value it has.
  struct Upsert: Equatable {
    let new: Int
    let old: Int
  }

  enum Upserts: Equatable {
    case merges([Upsert])
    /// A stored thing took the value of another.
    case refused
    /// Both have unsaved changes: which of them counts is the engine's choice.
    case unclear
  }

  private func uniqueKey(_ tag: Int) -> String? {
    guard let thing = things[tag], let number = thing.number else { return nil }
    return thing.kind == .item ? "item \(number)" : thing.kind == .part ? "part \(number) \(thing.text)" : nil
  }

  /// What a save does with things that have the same unique value.
  func upserts(stored: LawWorld, touched: Set<Int>) -> Upserts {
    let groups = Dictionary(grouping: order.filter { uniqueKey($0) != nil }) { uniqueKey($0)! }
    var merges = [Upsert]()
    for group in groups.values where group.count > 1 {
      let old = group.filter { !things[$0]!.isNew }
      if old.count > 1 { return .refused }
      if let old = old.first {
        if stored.uniqueKey(old) != uniqueKey(old) { return .refused }
        if touched.contains(old) { return .unclear }
      }
      // Of several new ones each is written over the one before; the order is that of the insertion.
      if agesAreLoose { return .unclear }
      var target = group[0]
      for new in group.dropFirst() {
        merges.append(Upsert(new: new, old: target))
        target = new
      }
    }
    return .merges(merges)
  }

  /// Writes a new thing over another one: the row and what leads to it stay, and take the new values. A to-one that
  /// the new thing leaves empty keeps its target.
  mutating func merge(_ upsert: Upsert) {
    let (new, old) = (upsert.new, upsert.old)
    for relation in relations(of: things[new]!.kind) where !relation.isToMany {
      let own = links(new, relation.name)
      let kept = own.isEmpty ? links(old, relation.name) : own
      set(old, relation.name, to: [])
      set(new, relation.name, to: kept)
    }
    for relation in byName.values where relation.destination == things[new]!.kind {
      for owner in tags(of: relation.source) where links(owner, relation.name).contains(old) {
        var targets = links(owner, relation.name).map { $0 == old ? new : $0 }
        var seen = Set<Int>()
        targets.removeAll { !seen.insert($0).inserted }
        relink(owner, relation.name, targets)
      }
    }
    replace(old, by: new)
  }

  /// Whether nothing leads to or from a thing.
  func isAlone(_ tag: Int) -> Bool {
    things.allSatisfy { id, thing in thing.links.allSatisfy { id == tag ? $1.isEmpty : !$1.contains(tag) } }
      && doomed.values.allSatisfy { thing in thing.links.values.allSatisfy { !$0.contains(tag) } }
  }

  /// Whether a context that shows this has something to save.
  func differs(from stored: LawWorld) -> Bool {
    guard Set(order) == Set(stored.order) else { return true }
    return order.contains { tag in
      let (own, other) = (things[tag]!, stored.things[tag]!)
      if own.number != other.number || own.text != other.text { return true }
      return relations(of: own.kind).contains { relation in
        Set(links(tag, relation.name)) != Set(stored.links(tag, relation.name))
      }
    }
  }
}
