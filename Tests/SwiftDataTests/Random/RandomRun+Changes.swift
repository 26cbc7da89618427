import Foundation
import SwiftData

// The steps that change something.

extension RandomRun {
  static let texts = ["", "a", "b", "ä", "z"]

  func create(_ step: RandomStep) throws {
    // Hubs and items are what most happens to.
    let kinds: [LawKind] = [.hub, .item, .item, .hub, .part, .lock, .node, .label, .badge, .note, .node, .item]
    let kind = kinds[step.a % kinds.count]
    guard let object = try make(kind, hub: step.b) else { return }
    if step.c % 3 == 0 { object.number = step.b % 5 }
    note("create \(kind) \(object.tag)\(object.number.map { ", number \($0)" } ?? "")")
    world.setAttributes(object.tag, number: object.number, text: "")
    context.insert(object)
  }

  /// A new object that is in no context yet, except a part, whose hub is.
  private func make(_ kind: LawKind, hub: Int) throws -> (any LawObject)? {
    var owner: Law.Hub?
    if kind == .part {
      guard let hub = tag(of: .hub, hub) else { return nil }
      owner = try object(hub) as? Law.Hub
    }
    let tag = nextTag
    nextTag += 1
    let made = kind.make(tag: tag, hub: owner)
    held[tag] = [made]
    touched.insert(tag)
    world.insert(tag, kind)
    if let owner {
      note("  part \(tag) of hub \(owner.tag)")
      touched.insert(owner.tag)
      world.set(tag, "Part.hub", to: [owner.tag])
    }
    return made
  }

  func setNumber(_ step: RandomStep) throws {
    guard let tag = anyTag(step.a) else { return }
    let number = step.b % 4 == 0 ? nil : step.b % 5
    note("number of \(tag) = \(number.map(String.init) ?? "nil")")
    try object(tag).number = number
    touched.insert(tag)
    world.setAttributes(tag, number: number, text: world.things[tag]!.text)
  }

  func setText(_ step: RandomStep) throws {
    guard let tag = anyTag(step.a) else { return }
    let text = Self.texts[step.b % 5]
    note("text of \(tag) = \"\(text)\"")
    try object(tag).text = text
    touched.insert(tag)
    world.setAttributes(tag, number: world.things[tag]!.number, text: text)
  }

  func setToOne(_ step: RandomStep) throws {
    let toOnes = LawRelation.shared.filter { relation in
      !relation.isToMany && tag(of: relation.source, 0) != nil
        && (tag(of: relation.destination, 0) != nil || !relation.isRequired)
    }
    guard !toOnes.isEmpty else { return }
    let relation = toOnes[step.a % toOnes.count]
    let owner = tag(of: relation.source, step.b)!
    let target = step.c % 4 == 3 && !relation.isRequired ? nil : tag(of: relation.destination, step.c)
    note("\(relation.name) of \(owner) = \(target.map(String.init) ?? "nil")")
    relation.write(try object(owner), try target.map { [try object($0)] } ?? [])
    touch(owner, relation, [target].compactMap { $0 })
    world.set(owner, relation.name, to: target.map { [$0] } ?? [])
  }

  func editToMany(_ step: RandomStep) throws {
    let toManys = LawRelation.shared.filter { $0.isToMany && tag(of: $0.source, 0) != nil }
    guard !toManys.isEmpty else { return }
    let relation = toManys[step.a % toManys.count]
    let owner = tag(of: relation.source, step.b)!
    try compare(owner, relation)
    let shown = relation.read(try object(owner))
    var targets = shown.map(\.tag).filter { world.isAlive($0) }
    if targets.count == shown.count, step.a / toManys.count % 2 == 1 {
      guard let edit = try editInPlace(&targets, relation, step.c) else { return }
      note("\(relation.name) of \(owner) becomes \(targets) in place")
      relation.edit(try object(owner), edit)
    } else {
      try edit(&targets, relation, owner, step.c)
      note("\(relation.name) of \(owner) = \(targets)")
      relation.write(try object(owner), try targets.map { try object($0) })
    }
    touch(owner, relation, targets)
    world.set(owner, relation.name, to: targets)
  }

  /// - Returns: the edit that makes the list what `targets` is afterwards.
  private func editInPlace(_ targets: inout [Int], _ relation: LawRelation, _ choice: Int) throws -> LawEdit? {
    let (number, all) = (choice / 6, world.tags(of: relation.destination))
    switch choice % 6 {
    case 0, 1:
      let new = all.isEmpty ? [] : (0...choice % 6).map { all[(number + $0) % all.count] }
      targets += new
      return .append(try new.map { try object($0) })
    case 2:
      guard relation.destination != .part, let new = try make(relation.destination, hub: 0) else { return nil }
      note("create \(relation.destination) \(new.tag) for")
      targets.insert(new.tag, at: 0)
      return .insertFirst(new)
    case 3:
      guard !targets.isEmpty else { return nil }
      targets.remove(at: number % targets.count)
      return .remove(number % (targets.count + 1))
    case 4:
      switch number % 3 {
      case 0: targets.reverse()
      case 1: if targets.count > 1 { targets.swapAt(0, targets.count - 1) }
      default: if !targets.isEmpty { targets.append(targets.removeFirst()) }
      }
      return [.reverse, .swapEnds, .moveFirstToEnd][number % 3]
    default:
      if number % 2 == 0 {
        targets = []
        return .removeAll
      }
      targets += all
      return .append(try all.map { try object($0) })
    }
  }

  private func edit(_ targets: inout [Int], _ relation: LawRelation, _ owner: Int, _ choice: Int) throws {
    let other = tag(of: relation.destination, choice / 6)
    switch choice % 6 {
    case 0, 1:
      if let other { targets.append(other) }
    case 2:
      guard relation.destination != .part, let new = try make(relation.destination, hub: owner) else { return }
      note("create \(relation.destination) \(new.tag) for")
      targets.insert(new.tag, at: 0)
    case 3:
      if !targets.isEmpty { targets.remove(at: choice / 6 % targets.count) }
    case 4:
      targets.reverse()
    default:
      targets = choice / 6 % 2 == 0 ? [] : world.tags(of: relation.destination)
    }
  }

  /// An object whose other side changed has unsaved changes too.
  private func touch(_ owner: Int, _ relation: LawRelation, _ targets: [Int]) {
    let former = world.links(owner, relation.name)
    touched.formUnion([owner] + targets + former)
    guard let inverse = relation.inverse else { return }
    for target in targets { touched.formUnion(world.links(target, inverse)) }
  }

  func delete(_ step: RandomStep) throws {
    guard let tag = anyTag(step.a) else { return }
    note("delete \(tag)")
    try deleted {
      context.delete(try object(tag))
    } in: {
      $0.delete(tag)
    }
  }

  /// Deletes on both sides, and lets go of some of what is gone.
  private func deleted(_ body: () throws -> Void, in reference: (inout LawWorld) -> Void) rethrows {
    for relation in LawRelation.shared {
      for tag in world.tags(of: relation.source) where !world.links(tag, relation.name).isEmpty { touched.insert(tag) }
    }
    try body()
    reference(&world)
    for tag in held.keys where !world.isAlive(tag) && tag % 2 == 0 { held[tag] = nil }
  }

  func undelete(_ step: RandomStep) throws {
    guard let tag = anyTag(step.a), !world.reachesTheDead(tag) else { return }
    note("delete and insert \(tag)")
    let object = try object(tag)
    touched = Set(world.order)
    context.delete(object)
    context.insert(object)
    world.loosenAfterUndelete()
  }

  // MARK: - Batches

  func batchDelete(_ step: RandomStep) throws {
    let kind = LawKind.allCases[step.a % LawKind.allCases.count]
    let bound = step.b % 4
    let doomed = world.tags(of: kind).filter { step.c % 3 == 0 || (world.things[$0]!.number ?? 0) >= bound }
    note("delete \(kind) where \(step.c % 3 == 0 ? "true" : "number >= \(bound)"): \(doomed)")
    try deleted {
      try batchDelete(kind.type, bound, all: step.c % 3 == 0)
    } in: { world in
      for tag in doomed { world.delete(tag) }
    }
  }

  private func batchDelete<M: LawObject>(_ type: M.Type, _ bound: Int, all: Bool) throws {
    try context.delete(model: type, where: all ? nil : #Predicate<M> { ($0.number ?? 0) >= bound })
  }

  func batchUpdate(_ step: RandomStep) throws {
    let kind = LawKind.allCases[step.a % LawKind.allCases.count]
    // A text is part of a part's unique value.
    guard kind != .part else { return }
    let (bound, text) = (step.b % 4, Self.texts[step.c % 5])
    let matching = world.tags(of: kind).filter { (world.things[$0]!.number ?? 0) >= bound }
    note("update \(kind) where number >= \(bound): text \"\(text)\": \(matching)")
    // The change is saved at once, except for what has unsaved changes already.
    // The cast cannot fail: the context has the models of the law alone.
    let unsaved = Set((context.insertedModelsArray + context.changedModelsArray).map { ($0 as! any LawObject).tag })
    let count = try batchUpdate(kind.type, bound, text)
    guard count == matching.count else { throw fail("updated \(count), not \(matching.count)") }
    for tag in matching {
      world.setAttributes(tag, number: world.things[tag]!.number, text: text)
      if unsaved.contains(tag) {
        touched.insert(tag)
      } else {
        stored.setAttributes(tag, number: stored.things[tag]!.number, text: text)
      }
    }
    undo.removeAllActions()
  }

  private func batchUpdate<M: LawObject>(_ type: M.Type, _ bound: Int, _ text: String) throws -> Int {
    try context.update(
      model: type, where: #Predicate<M> { ($0.number ?? 0) >= bound }, set: .assign(\.text, text))
  }

  // MARK: - Another context

  private func untouched(_ number: Int) -> Int? {
    let tags = world.order.filter { !touched.contains($0) && stored.isAlive($0) }
    return tags.isEmpty ? nil : tags[number % tags.count]
  }

  private func elsewhere(_ body: (ModelContext) throws -> Void) throws {
    let other = ModelContext(container)
    try body(other)
    try other.save()
    context.state.takeInSaves()
    undo.removeAllActions()
  }

  func otherChanges(_ step: RandomStep) throws {
    guard let tag = untouched(step.a) else { return }
    let kind = stored.things[tag]!.kind
    let text = Self.texts[step.b % 5]
    // Parts are unique by number and text.
    guard kind != .part else { return }
    note("elsewhere: text of \(tag) = \"\(text)\"")
    try elsewhere { other in
      guard let object = try Self.find(kind.type, tag, other) else { throw fail("elsewhere is no \(tag)") }
      object.text = text
    }
    world.setAttributes(tag, number: world.things[tag]!.number, text: text)
    stored.setAttributes(tag, number: stored.things[tag]!.number, text: text)
  }

  func otherInserts(_ step: RandomStep) throws {
    let kinds = LawKind.allCases.filter { $0 != .part }
    let kind = kinds[step.a % kinds.count]
    let tag = nextTag
    nextTag += 1
    note("elsewhere: create \(kind) \(tag)")
    try elsewhere { $0.insert(kind.make(tag: tag)) }
    stored.insertStored(tag, kind)
    world.insertStored(tag, kind)
    identifiers[tag] = try object(tag).persistentModelID
  }

  /// Something that nothing leads to, so that no rule acts.
  func otherDeletes(_ step: RandomStep) throws {
    guard let tag = untouched(step.a), world.isAlone(tag), stored.isAlone(tag) else { return }
    let kind = stored.things[tag]!.kind
    note("elsewhere: delete \(tag)")
    try elsewhere { other in
      guard let object = try Self.find(kind.type, tag, other) else { throw fail("elsewhere is no \(tag)") }
      other.delete(object)
    }
    world.forget(tag)
    stored.forget(tag)
    held[tag] = nil
    identifiers[tag] = nil
  }
}
