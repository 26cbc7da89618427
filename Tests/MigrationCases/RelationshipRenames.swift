import SwiftData

private enum L1 {
  @Model final class List {
    var first: [Item] = []
    var second: [Item] = []
    var best: Item?
    var worst: Item?
    init() {}
  }
  @Model final class Item {
    var text: String = ""
    init(_ text: String) { self.text = text }
  }
}

/// The second list takes the name of the first, which goes.
private enum TakeOver {
  @Model final class List {
    @Relationship(originalName: "second") var first: [Item] = []
    @Relationship(originalName: "worst") var best: Item?
    init() {}
  }
  @Model final class Item {
    var text: String = ""
    init(_ text: String) { self.text = text }
  }
}

private enum Exchange {
  @Model final class List {
    @Relationship(originalName: "second") var first: [Item] = []
    @Relationship(originalName: "first") var second: [Item] = []
    @Relationship(originalName: "worst") var best: Item?
    @Relationship(originalName: "best") var worst: Item?
    init() {}
  }
  @Model final class Item {
    var text: String = ""
    init(_ text: String) { self.text = text }
  }
}

private enum E1 {
  @Model final class List {
    var name: String = ""
    @Relationship(inverse: \Tag.lists) var tags: [Tag] = []
    @Relationship(inverse: \Page.list) var pages: [Page] = []
    init(_ name: String) { self.name = name }
  }
  @Model final class Tag {
    var text: String = ""
    var lists: [List] = []
    init(_ text: String) { self.text = text }
  }
  @Model final class Page {
    var text: String = ""
    var list: List?
    init(_ text: String) { self.text = text }
  }
}

/// Both ends of each relationship have other names.
private enum E2 {
  @Model final class List {
    var name: String = ""
    @Relationship(originalName: "tags", inverse: \Tag.owners) var labels: [Tag] = []
    @Relationship(originalName: "pages", inverse: \Page.owner) var sheets: [Page] = []
    init(_ name: String) { self.name = name }
  }
  @Model final class Tag {
    var text: String = ""
    @Relationship(originalName: "lists") var owners: [List] = []
    init(_ text: String) { self.text = text }
  }
  @Model final class Page {
    var text: String = ""
    @Relationship(originalName: "list") var owner: List?
    init(_ text: String) { self.text = text }
  }
}

/// Only the case of the letters changes.
private enum E3 {
  @Model final class List {
    var name: String = ""
    @Relationship(originalName: "tags", inverse: \Tag.lists) var TAGS: [Tag] = []
    @Relationship(originalName: "pages", inverse: \Page.list) var Pages: [Page] = []
    init(_ name: String) { self.name = name }
  }
  @Model final class Tag {
    var text: String = ""
    var lists: [List] = []
    init(_ text: String) { self.text = text }
  }
  @Model final class Page {
    var text: String = ""
    var list: List?
    init(_ text: String) { self.text = text }
  }
}

/// Only one end of each relationship keeps its name, and no `originalName:` says so of the other.
private enum E4 {
  @Model final class List {
    var name: String = ""
    @Relationship(inverse: \Tag.lists) var labels: [Tag] = []
    @Relationship(inverse: \Page.list) var sheets: [Page] = []
    init(_ name: String) { self.name = name }
  }
  @Model final class Tag {
    var text: String = ""
    var lists: [List] = []
    init(_ text: String) { self.text = text }
  }
  @Model final class Page {
    var text: String = ""
    var list: List?
    init(_ text: String) { self.text = text }
  }
}

extension MigrationCase {
  private static func seed(_ store: any CaseStore) throws {
    let context = try store.open(L1.List.self, L1.Item.self)
    let list = L1.List()
    context.insert(list)
    list.first = [L1.Item("f1"), L1.Item("f2")]
    list.second = [L1.Item("s")]
    (list.best, list.worst) = (list.first[0], list.second[0])
    try context.save()
  }

  private static func seedEnds(_ store: any CaseStore) throws {
    let context = try store.open(E1.List.self, E1.Tag.self, E1.Page.self)
    let list = E1.List("x")
    context.insert(list)
    list.tags = [E1.Tag("t"), E1.Tag("u")]
    list.pages = ["1", "2", "3"].map(E1.Page.init)
    try context.save()
    list.pages.reverse()
    list.tags.reverse()
    try context.save()
  }

  static var relationshipRenames: [MigrationCase] {
    // One statement for each case. The compiler takes minutes for them as one literal.
    var cases = [MigrationCase]()
    cases.append(
      MigrationCase("A list and a to-one take the names of others that go", expects: ["[\"s\"] s"]) { store in
        try seed(store)
        return try texts(store.open(TakeOver.List.self, TakeOver.Item.self), TakeOver.List.self) {
          "\($0.first.map(\.text)) \($0.best?.text ?? "nil")"
        }
      })
    cases.append(
      MigrationCase(
        "Lists and to-ones exchange their names, once",
        expects: ["[\"s\"] [\"f1\", \"f2\"] s f1", "[\"s\"] [\"f1\", \"f2\"] s f1"]
      ) { store in
        try seed(store)
        return try (0..<2).flatMap { _ in
          try texts(store.open(Exchange.List.self, Exchange.Item.self), Exchange.List.self) {
            "\($0.first.map(\.text)) \($0.second.map(\.text)) \($0.best?.text ?? "nil") \($0.worst?.text ?? "nil")"
          }
        }
      })
    cases.append(
      MigrationCase(
        "Both ends of relationships have other names, and lists keep their order",
        expects: ["[\"u\", \"t\"] [\"3\", \"2\", \"1\"]", "[\"x\"]", "x"]
      ) { store in
        try seedEnds(store)
        let context = try store.open(E2.List.self, E2.Tag.self, E2.Page.self)
        let lists = try texts(context, E2.List.self) {
          "\($0.labels.map(\.text)) \($0.sheets.map(\.text))"
        }
        let owners = try texts(context, E2.Tag.self) { "\($0.owners.map(\.name))" }.prefix(1)
        let owner = try texts(context, E2.Page.self) { $0.owner?.name ?? "nil" }.prefix(1)
        return lists + owners + owner
      })
    cases.append(
      MigrationCase("A list's name changes its case only", expects: ["[\"u\", \"t\"] [\"3\", \"2\", \"1\"]"]) { store in
        try seedEnds(store)
        return try texts(store.open(E3.List.self, E3.Tag.self, E3.Page.self), E3.List.self) {
          "\($0.TAGS.map(\.text)) \($0.Pages.map(\.text))"
        }
      })
    cases.append(
      MigrationCase(
        "A relationship stays if one of its ends keeps its name", expects: ["[\"u\", \"t\"] [\"3\", \"2\", \"1\"]"]
      ) { store in
        try seedEnds(store)
        return try texts(store.open(E4.List.self, E4.Tag.self, E4.Page.self), E4.List.self) {
          "\($0.labels.map(\.text)) \($0.sheets.map(\.text))"
        }
      })
    return cases
  }
}
