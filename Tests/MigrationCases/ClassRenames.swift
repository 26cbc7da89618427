import SwiftData

private enum V1: VersionedSchema {
  static let versionIdentifier = Schema.Version(1, 0, 0)
  static var models: [any PersistentModel.Type] { [ItemV1.self, BoxV1.self] }

  @Model final class ItemV1 {
    @Attribute(.unique) var key: String
    var box: BoxV1?
    init(_ key: String) { self.key = key }
  }
  @Model final class BoxV1 {
    var name: String
    @Relationship(inverse: \ItemV1.box) var items: [ItemV1] = []
    var marks: [ItemV1] = []
    init(_ name: String) { self.name = name }
  }
}

/// The classes have other names, and so have the lists of which they are the targets.
private enum V2: VersionedSchema {
  static let versionIdentifier = Schema.Version(2, 0, 0)
  static var models: [any PersistentModel.Type] { [Item.self, Box.self] }

  @Model final class Item {
    @Attribute(.unique) var key: String
    @Relationship(originalName: "box") var holder: Box?
    init(_ key: String) { self.key = key }
  }
  @Model final class Box {
    var name: String
    @Relationship(originalName: "items", inverse: \Item.holder) var contents: [Item] = []
    @Relationship(originalName: "marks") var flags: [Item] = []
    init(_ name: String) { self.name = name }
  }
}

private enum Plan: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { [V1.self, V2.self] }
  static var stages: [MigrationStage] { [.lightweight(fromVersion: V1.self, toVersion: V2.self)] }
}

/// The subclass has another name in the second version, and its superclass has not.
private enum Hierarchy1: VersionedSchema {
  static let versionIdentifier = Schema.Version(1, 0, 0)
  static var models: [any PersistentModel.Type] { [Event.self, PartyV1.self, Work.self] }

  @Model class Event {
    var title: String
    init(_ title: String) { self.title = title }
  }
  @Model final class PartyV1: Event {
    var guests: Int = 1
    override init(_ title: String) { super.init(title) }
  }
  @Model final class Work: Event {
    var cost: Int = 2
    override init(_ title: String) { super.init(title) }
  }
}

private enum Hierarchy2: VersionedSchema {
  static let versionIdentifier = Schema.Version(2, 0, 0)
  static var models: [any PersistentModel.Type] { [Event.self, PartyV2.self, Work.self] }

  @Model class Event {
    var title: String
    init(_ title: String) { self.title = title }
  }
  @Model final class PartyV2: Event {
    var guests: Int = 1
    override init(_ title: String) { super.init(title) }
  }
  @Model final class Work: Event {
    var cost: Int = 2
    override init(_ title: String) { super.init(title) }
  }
}

private enum HierarchyPlan: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { [Hierarchy1.self, Hierarchy2.self] }
  static var stages: [MigrationStage] { [.lightweight(fromVersion: Hierarchy1.self, toVersion: Hierarchy2.self)] }
}

extension MigrationCase {
  static var classRenames: [MigrationCase] {
    // One statement for each case. The compiler takes minutes for them as one literal.
    var cases = [MigrationCase]()
    cases.append(
      MigrationCase(
        "Classes are renamed behind renamed lists", expects: ["b [\"x\", \"y\"] [\"y\"]", "x b, y b", "x y"]
      ) { store in
        do {
          let context = try store.open(V1.models, version: V1.versionIdentifier, plan: nil)
          let box = V1.BoxV1("b")
          context.insert(box)
          box.items = ["x", "y"].map(V1.ItemV1.init)
          box.marks = [box.items[1]]
          try context.save()
        }
        let context = try store.open(V2.models, version: V2.versionIdentifier, plan: Plan.self)
        let boxes = try texts(context, V2.Box.self) {
          "\($0.name) \($0.contents.map(\.key)) \($0.flags.map(\.key))"
        }
        let items = try context.fetch(FetchDescriptor<V2.Item>(sortBy: [SortDescriptor(\.key)]))
        let holders = items.map { "\($0.key) \($0.holder?.name ?? "nil")" }.joined(separator: ", ")
        // A new row has a key of its own, and a unique value finds the row of the former class.
        context.insert(V2.Item("x"))
        try context.save()
        let keys = try ModelContext(context.container).fetch(FetchDescriptor<V2.Item>(sortBy: [SortDescriptor(\.key)]))
        return boxes + [holders, keys.map(\.key).joined(separator: " ")]
      })
    cases.append(
      MigrationCase(
        "A subclass is renamed and its superclass is not", expects: ["party 30", "work 40", "event, party, work"]
      ) { store in
        do {
          let context = try store.open(Hierarchy1.models, version: Hierarchy1.versionIdentifier, plan: nil)
          let (party, work) = (Hierarchy1.PartyV1("party"), Hierarchy1.Work("work"))
          (party.guests, work.cost) = (30, 40)
          for object in [Hierarchy1.Event("event"), party, work] { context.insert(object) }
          try context.save()
        }
        let context = try store.open(Hierarchy2.models, version: Hierarchy2.versionIdentifier, plan: HierarchyPlan.self)
        let titles = try texts(context, Hierarchy2.Event.self, sortBy: [SortDescriptor(\.title)], \.title)
        return try texts(context, Hierarchy2.PartyV2.self) { "\($0.title) \($0.guests)" }
          + texts(context, Hierarchy2.Work.self) { "\($0.title) \($0.cost)" } + [titles.joined(separator: ", ")]
      })
    return cases
  }
}
