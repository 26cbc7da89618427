import Foundation
import Testing

@testable import SwiftData

/// The pure plan of a deletion, asked about a world of plain values.
extension LawWorld {
  func plan(deleting tags: [Int], _ tables: TableCatalog) throws -> DeletePlan {
    func table(_ tag: Int) throws -> EntityTable { try tables.table(for: things[tag]!.kind.type.__entity) }
    return try DeletePlan(
      deleting: try tags.map { DeletePlan.Rows(table: try table($0), keys: [Int64($0)]) }, tables
    ) { questions in
      questions.map { question in
        switch question.step.link {
        case .relationship(let info):
          question.keys.flatMap { key in
            links(Int(key), "\(info.source.name).\(info.property.name)").map {
              DeletePlan.Related(key: Int64($0), entity: nil, owner: key)
            }
          }
        case .referrer(let property, let entity):
          order.filter { things[$0]!.kind.type.__entity === entity }.flatMap { tag in
            links(tag, "\(entity.name).\(property.name)").filter { question.keys.contains(Int64($0)) }.map {
              DeletePlan.Related(key: Int64(tag), entity: nil, owner: Int64($0))
            }
          }
        }
      }
    }
  }
}

extension DeletePlan {
  var deletedTags: Set<Int> { Set(deleted.flatMap(\.keys).map { Int($0) }) }

  /// The changes of the history: the class of each deletion, and the class and the properties of each cleared object.
  var changes: [String] {
    var names = [String: Set<String>]()
    for (property, rows) in cleared {
      for key in rows.keys { names["\(rows.table.entity.name) \(key)", default: []].insert(property.name) }
    }
    return
      (deleted.flatMap { rows in rows.keys.map { _ in "-\(rows.table.entity.name)" } }
      + names.map { "~\($0.key.split(separator: " ")[0]) \($0.value.sorted().joined(separator: " "))" }).sorted()
  }
}

@Suite("The plan of a deletion and what carries it out") struct DeletionPlanLawTests {
  @Test(
    "The memory, the saves of objects and the batches do what the plan says, whatever another program related meanwhile",
    arguments: DeletionDatabase.available)
  func law(database: DeletionDatabase) throws {
    for seed in LawSettings.seeds(default: database == .file ? 400 : 60) {
      let run = try PlanRun(seed: seed, database)
      try run.check()
    }
  }
}

private final class PlanRun {
  private let programs: DeletionPrograms
  private var random: LawRandom
  private var world = LawWorld(relations: LawRelation.shared)
  private var context: ModelContext
  private var tag = 0
  private let seed: UInt64

  init(seed: UInt64, _ database: DeletionDatabase) throws {
    (self.seed, random) = (seed, LawRandom(seed: seed))
    programs = try DeletionPrograms(database)
    context = ModelContext(programs.container)
  }

  private var tables: TableCatalog { programs.container.core.tables }

  /// A new object of a kind, with some of its relationships set.
  private func make(in context: ModelContext) throws {
    let kinds: [LawKind] =
      [.hub, .item, .part, .note, .label, .badge, .node, .node] + (random.chance(15) ? [.lock] : [])
    var kind = kinds.randomElement(using: &random)!
    if kind == .part, world.tags(of: .hub).isEmpty { kind = .hub }
    tag += 1
    let hub = try world.tags(of: .hub).randomElement(using: &random).flatMap { try context.tagged($0, Law.Hub.self) }
    let object = kind.make(tag: tag, hub: hub)
    context.insert(object)
    world.insert(tag, kind)
    if kind == .part { world.set(tag, "Part.hub", to: [hub!.tag]) }
    for relation in world.relations(of: kind) where relation.name != "Part.hub" && random.chance(50) {
      // A new object takes the only place of another one. So would a list of objects with another owner.
      guard
        let target = world.tags(of: relation.destination).filter({ isFree($0, relation) }).randomElement(using: &random)
      else { continue }
      relation.write(object, [try find(target, in: context)])
      world.set(tag, relation.name, to: [target])
    }
  }

  private func isFree(_ target: Int, _ relation: LawRelation) -> Bool {
    guard target != tag, let inverse = relation.inverse.flatMap({ world.byName[$0] }) else { return target != tag }
    return inverse.isToMany || world.links(target, inverse.name).isEmpty
  }

  private func find(_ tag: Int, in context: ModelContext) throws -> any LawObject {
    func find<M: LawObject>(_: M.Type) throws -> any LawObject { try #require(try context.tagged(tag, M.self)) }
    return try find(world.things[tag]!.kind.type)
  }

  func check() throws {
    for _ in 0..<(6 + random.below(8)) { try make(in: context) }
    try context.save()
    world.save()
    let doomed = world.order.filter { _ in random.chance(25) }
    let isBatch = random.chance(40)
    if isBatch || random.chance(30) { context = ModelContext(programs.container) }
    let before = try world.plan(deleting: doomed, tables)
    if isBatch { try deleteRows(doomed) } else { try deleteObjects(doomed, before) }
    let isMeanwhile = random.chance(70)
    if isMeanwhile {
      try programs.other { other in for _ in 0..<(1 + random.below(6)) { try make(in: other) } }
      world.save()
    }
    let plan = try world.plan(deleting: doomed, tables)
    if let refusal = plan.refusal {
      let error = #expect(throws: SwiftDataError.self, "seed \(seed)") { try context.save() }
      #expect(error?.code == refusal.code && error?.property == refusal.property, "seed \(seed)")
      return try compare("a refused save, seed \(seed)")
    }
    try context.save()
    if !plan.deletedTags.isEmpty { #expect(try programs.newestChanges() == plan.changes, "seed \(seed)") }
    for tag in plan.deletedTags { world.forget(tag) }
    try compare("seed \(seed)")
  }

  private func deleteObjects(_ doomed: [Int], _ plan: DeletePlan) throws {
    if random.chance(50) {
      // Loaded lists must not make a difference.
      for tag in world.order {
        for relation in world.relations(of: world.things[tag]!.kind) { _ = relation.read(try find(tag, in: context)) }
      }
    }
    let objects = try Dictionary(uniqueKeysWithValues: world.order.map { ($0, try find($0, in: context)) })
    for tag in doomed { context.delete(objects[tag]!) }
    #expect(Set(objects.filter { $0.value.isDeleted }.keys) == plan.deletedTags, "seed \(seed)")
    guard plan.refusal == nil else { return }
    for (property, rows) in plan.cleared where RelationshipInfo.of(property, in: rows.table.entity).inverse != nil {
      for key in rows.keys {
        let relation = world.byName["\(rows.table.entity.name).\(property.name)"]!
        #expect(relation.read(objects[Int(key)]!).isEmpty, "\(relation.name) of \(key), seed \(seed)")
      }
    }
  }

  private func deleteRows(_ doomed: [Int]) throws {
    for kind in LawKind.allCases {
      func delete<M: LawObject>(_: M.Type) throws {
        let tags = doomed.filter { world.things[$0]!.kind == kind }
        if !tags.isEmpty {
          try context.delete(model: M.self, where: #Predicate<M> { tags.contains($0.tag) })
        }
      }
      try delete(kind.type)
    }
  }

  /// Compares the store with the world.
  private func compare(_ note: Comment) throws {
    let fresh = ModelContext(programs.elsewhere)
    for kind in LawKind.allCases {
      func compare<M: LawObject>(_: M.Type) throws {
        let objects = try fresh.fetch(FetchDescriptor<M>())
        #expect(objects.map(\.tag).sorted() == world.tags(of: kind).sorted(), note)
        for object in objects where world.isAlive(object.tag) {
          for relation in world.relations(of: kind) {
            let expected = world.links(object.tag, relation.name).sorted()
            #expect(relation.read(object).map(\.tag).sorted() == expected, "\(relation.name) of \(object.tag), \(note)")
          }
        }
      }
      try compare(kind.type)
    }
  }
}
