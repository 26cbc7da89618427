import SwiftData

// The operations that change objects.

extension LawRun {
  func create(_ kind: LawKind) throws {
    if kind == .part, anyTag(of: .hub) == nil { return }
    let object = try make(kind, hub: nil)
    note("create \(kind) \(object.tag)")
    actor.context.insert(object)
    if random.chance(50) { try setAttributes(of: object.tag) }
  }

  /// A new object that is in no context yet, except a part, whose hub is.
  private func make(_ kind: LawKind, hub: Int?) throws -> any LawObject {
    let tag = nextTag
    nextTag += 1
    var owner: Law.Hub?
    let hubTag = hub ?? anyTag(of: .hub)
    if kind == .part { owner = try object(hubTag!) as? Law.Hub }
    let made = kind.make(tag: tag, hub: owner)
    actor.held[tag] = made
    world.insert(tag, kind)
    if kind == .part {
      note("  part \(tag) of hub \(hubTag!)")
      world.set(tag, "Part.hub", to: [hubTag!])
    }
    return made
  }

  func setAttributes() throws {
    guard let tag = anyTag() else { return }
    try setAttributes(of: tag)
  }

  private func setAttributes(of tag: Int) throws {
    let number = random.chance(30) ? nil : random.below(kind(tag) == .item ? 40 : 6)
    let text = ["", "a", "b", "ä", "z"].randomElement(using: &random)!
    note("\(kind(tag)) \(tag): number \(number.map(String.init) ?? "nil"), text \(text)")
    let object = try object(tag)
    if random.chance(70) { object.number = number } else { world.setAttributes(tag, number: object.number, text: text) }
    object.text = text
    world.setAttributes(tag, number: object.number, text: text)
    guard object.text == text else { throw LawFailure(description: "\(tag).text is \(object.text)") }
  }

  func setToOne() throws {
    let relation = relations.filter { !$0.isToMany }.randomElement(using: &random)!
    guard let tag = anyTag(of: relation.source) else { return }
    var target = random.chance(25) && !relation.isRequired ? nil : anyTag(of: relation.destination)
    if relation.isRequired, target == nil { return }
    let owner = try object(tag)
    if random.chance(15), relation.destination != .part {
      let new = try make(relation.destination, hub: nil)
      note("create \(relation.destination) \(new.tag) for")
      target = new.tag
    }
    note("\(relation.name) of \(tag) = \(target.map(String.init) ?? "nil")")
    relation.write(owner, try target.map { [try object($0)] } ?? [])
    world.set(tag, relation.name, to: target.map { [$0] } ?? [])
    if random.chance(30) { try compare(tag, relation) }
  }

  func editToMany() throws {
    let relation = relations.filter(\.isToMany).randomElement(using: &random)!
    guard let tag = anyTag(of: relation.source) else { return }
    let owner = try object(tag)
    var targets = relation.read(owner).map(\.tag).filter { world.isAlive($0) }
    try compare(tag, relation)
    let verb = try edit(&targets, relation, tag)
    note("\(relation.name) of \(tag): \(verb) \(targets)")
    relation.write(owner, try targets.map { try object($0) })
    world.set(tag, relation.name, to: targets)
    if random.chance(30) { try compare(tag, relation) }
  }

  private func edit(_ targets: inout [Int], _ relation: LawRelation, _ tag: Int) throws -> String {
    switch random.below(10) {
    case 0..<4:
      if random.chance(30) || anyTag(of: relation.destination) == nil {
        let new = try make(relation.destination, hub: tag).tag
        note("create \(relation.destination) \(new) for")
        if !targets.contains(new) { targets.append(new) }
      } else {
        targets.append(anyTag(of: relation.destination)!)
      }
      return "append"
    case 4:
      guard let target = anyTag(of: relation.destination) else { return "keep" }
      targets.removeAll { $0 == target }
      targets.insert(target, at: random.below(targets.count + 1))
      return "insert"
    case 5, 6:
      if !targets.isEmpty { targets.remove(at: random.below(targets.count)) }
      return "remove"
    case 7:
      targets.shuffle(using: &random)
      return "shuffle"
    case 8:
      targets = world.tags(of: relation.destination).filter { _ in random.chance(40) }
      return "replace"
    default:
      if random.chance(40) { targets = [] } else { targets.reverse() }
      return "clear or reverse"
    }
  }

  func delete() throws {
    guard let tag = anyTag() else { return }
    note("delete \(kind(tag)) \(tag)")
    actor.context.delete(try object(tag))
    world.delete(tag)
    for tag in actor.held.keys where !world.isAlive(tag) && random.chance(50) { actor.held[tag] = nil }
  }

  /// Loads arrays while some of what is in them is deleted.
  private func readSomeLikes() throws {
    for tag in world.tags(of: .hub) {
      if let hub: Law.Hub = actor.held[tag] as? Law.Hub, !hub.isDeleted, hub.modelContext != nil { _ = hub.likes.count }
    }
  }

  /// Deleted and inserted again before a save: everything is as it was.
  func undelete() throws {
    guard let tag = anyTag(), !world.reachesTheDead(tag) else { return }
    note("delete and insert \(kind(tag)) \(tag)")
    let object = try object(tag)
    actor.context.delete(object)
    if random.chance(50) { try readSomeLikes() }
    actor.context.insert(object)
    world.loosenAfterUndelete()
    if random.chance(50) { try compareMemory() }
  }
}
