/// The reference: what a context must show, in plain values.
struct LawWorld {
  struct Thing {
    let kind: LawKind
    var number: Int?
    var text = ""
    var links: [String: [Int]] = [:]
    /// Inserted and not saved.
    var isNew = true
  }

  /// A to-many array.
  struct Array: Hashable {
    let owner: Int
    let name: String
  }

  let relations: [LawRelation]
  let byName: [String: LawRelation]
  private(set) var things: [Int: Thing] = [:]
  /// The living things by age.
  private(set) var order: [Int] = []
  /// Stored things whose deletion is not saved, with their last values.
  private(set) var doomed: [Int: Thing] = [:]
  /// Things whose required target was taken away.
  private(set) var broken: Set<Int> = []
  /// Arrays that changed from the other side: who is in them is law, the order is the engine's.
  private(set) var unordered: Set<Array> = []
  /// Whether new things were inserted again, which makes them younger.
  private(set) var agesAreLoose = false

  init(relations: [LawRelation]) {
    self.relations = relations
    self.byName = Dictionary(uniqueKeysWithValues: relations.map { ($0.name, $0) })
  }

  func relations(of kind: LawKind) -> [LawRelation] { relations.filter { $0.source == kind } }

  func isAlive(_ id: Int) -> Bool { things[id] != nil }

  func tags(of kind: LawKind) -> [Int] { order.filter { things[$0]!.kind == kind } }

  /// The living targets.
  func links(_ id: Int, _ name: String) -> [Int] { (things[id]?.links[name] ?? []).filter(isAlive) }

  func isOrdered(_ id: Int, _ name: String) -> Bool { !unordered.contains(Array(owner: id, name: name)) }

  // MARK: - Changes

  mutating func insert(_ id: Int, _ kind: LawKind) {
    things[id] = Thing(kind: kind)
    order.append(id)
  }

  mutating func setAttributes(_ id: Int, number: Int?, text: String) {
    things[id]!.number = number
    things[id]!.text = text
  }

  mutating func set(_ id: Int, _ name: String, to targets: [Int]) {
    let relation = byName[name]!
    var seen = Set<Int>()
    let new = targets.filter { seen.insert($0).inserted }
    let old = read(id, name)
    write(id, name, new)
    unordered.remove(Array(owner: id, name: name))
    let wasBroken = broken.remove(id) != nil
    guard let inverse = relation.inverse.map({ byName[$0]! }) else { return }
    for target in old where !seen.contains(target) { disconnect(target, inverse, from: id) }
    for target in new where wasBroken || !old.contains(target) { connect(target, inverse, to: id, relation) }
  }

  private mutating func connect(_ target: Int, _ inverse: LawRelation, to id: Int, _ relation: LawRelation) {
    let current = read(target, inverse.name)
    if inverse.isRequired { broken.remove(target) }
    if current.contains(id) { return }
    write(target, inverse.name, inverse.isToMany ? current + [id] : [id])
    if inverse.isToMany { unordered.insert(Array(owner: target, name: inverse.name)) }
    if !inverse.isToMany, let former = current.first {
      write(former, relation.name, read(former, relation.name).filter { $0 != target })
    }
  }

  private mutating func disconnect(_ target: Int, _ inverse: LawRelation, from id: Int) {
    guard read(target, inverse.name).contains(id) else { return }
    if inverse.isRequired {
      broken.insert(target)
    } else {
      write(target, inverse.name, read(target, inverse.name).filter { $0 != id })
    }
  }

  private func read(_ id: Int, _ name: String) -> [Int] { (things[id] ?? doomed[id])?.links[name] ?? [] }

  private mutating func write(_ id: Int, _ name: String, _ targets: [Int]) {
    if things[id] != nil { things[id]!.links[name] = targets }
    if doomed[id] != nil { doomed[id]!.links[name] = targets }
  }

  mutating func delete(_ id: Int) {
    var pending = [id]
    while let id = pending.popLast() {
      guard let thing = things[id] else { continue }
      things[id] = nil
      order.removeAll { $0 == id }
      broken.remove(id)
      if !thing.isNew { doomed[id] = thing }
      for relation in relations(of: thing.kind) {
        for target in thing.links[relation.name] ?? [] where isAlive(target) {
          switch (relation.rule, relation.inverse) {
          case (.cascade, _): pending.append(target)
          case (.nullify, let inverse?): disconnect(target, byName[inverse]!, from: id)
          case (.nullify, nil), (.deny, _), (.noAction, _): break
          }
        }
      }
    }
  }

  /// Whether an object, or one that is deleted with it, has deleted targets: inserting it would bring new ones
  /// back. A required target that let go of it would take it again.
  func reachesTheDead(_ id: Int) -> Bool {
    var (pending, seen) = ([id], Set<Int>())
    while let id = pending.popLast() {
      guard seen.insert(id).inserted, let thing = things[id] else { continue }
      if broken.contains(id) { return true }
      for relation in relations(of: thing.kind) {
        let targets = thing.links[relation.name] ?? []
        if !targets.allSatisfy(isAlive) { return true }
        if relation.rule == .cascade { pending += targets }
      }
    }
    return false
  }

  // MARK: - Other contexts

  /// A thing that another context saved: it is older than what is new here.
  mutating func insertStored(_ id: Int, _ kind: LawKind) {
    things[id] = Thing(kind: kind, isNew: false)
    order.insert(id, at: order.firstIndex { things[$0]!.isNew } ?? order.count)
  }

  mutating func forget(_ id: Int) {
    things[id] = nil
    order.removeAll { $0 == id }
  }

  /// Gives an array targets that are the same things under other names.
  mutating func relink(_ id: Int, _ name: String, _ targets: [Int]) {
    write(id, name, targets)
    unordered.insert(Array(owner: id, name: name))
  }

  /// Puts a thing at the place of another one, which is gone.
  mutating func replace(_ old: Int, by new: Int) {
    things[old] = nil
    order.removeAll { $0 == new }
    order[order.firstIndex(of: old)!] = new
    broken.remove(old)
  }

  /// Deleting an object and inserting it again gives everything back, except the places in arrays.
  mutating func loosenAfterUndelete() {
    for (id, thing) in things {
      for relation in relations(of: thing.kind) where relation.isToMany {
        unordered.insert(Array(owner: id, name: relation.name))
      }
    }
    agesAreLoose = true
  }

  // MARK: - Saving

  /// Why a save must be refused; nil where it must not.
  var refusal: String? { refusalButUnique ?? collision }

  /// The same, where new things may be written over others.
  var refusalButUnique: String? {
    for (id, thing) in doomed {
      for relation in relations(of: thing.kind) where relation.rule == .deny {
        if (thing.links[relation.name] ?? []).contains(where: isAlive) { return "deny of \(id)" }
      }
    }
    if let id = broken.first { return "\(id) has lost its required target" }
    for (id, thing) in things {
      for relation in relations(of: thing.kind) where relation.isRequired && links(id, relation.name).isEmpty {
        return "\(id) has no \(relation.name)"
      }
    }
    return nil
  }

  private var collision: String? {
    var seen = Set<String>()
    for thing in things.values {
      guard let number = thing.number, thing.kind == .item || thing.kind == .part else { continue }
      let key = thing.kind == .item ? "item \(number)" : "part \(number) \(thing.text)"
      if !seen.insert(key).inserted { return "unique \(key)" }
    }
    return nil
  }

  mutating func save() {
    doomed = [:]
    for id in order {
      things[id]!.isNew = false
      for relation in relations(of: things[id]!.kind) {
        things[id]!.links[relation.name] = links(id, relation.name)
      }
    }
  }

  var hasNothingDoomed: Bool { doomed.isEmpty }

  /// Age order is exact again once everybody has agreed on it.
  mutating func adopt(order new: [Int]) {
    order = new
    agesAreLoose = false
  }
}
