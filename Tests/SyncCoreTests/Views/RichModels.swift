import SyncCore

/// Programs with all that models can have: subclasses, several unique sets, to-ones and to-manys with a cascade on either side, lists with two orders, renamed properties.
enum RichModels {
  static let new = SyncModels([
    "Item": .init(
      [
        .init("name", .attribute), .init("tag", .attribute),
        .init("parent", .toOne("Item", isExclusive: false)),
        .init("children", .list("Item", inverse: "parent", isCascade: true)),
        .init("labels", .inverseMembers("Label", inverse: "items")),
      ], unique: [["tag"]]),
    "Box": .init(
      [
        .init("code", .attribute, wire: "number"), .init("size", .attribute),
        .init("cover", .toOne("Note", isExclusive: false, isCascade: true)),
        .init("lid", .toOne("Lid", isExclusive: true)),
      ], unique: [["code"], ["name", "size"]], superclass: "Item"),
    "Crate": .init([.init("weight", .attribute)], superclass: "Box"),
    "Lid": .init([.init("color", .attribute), .init("box", .inverseToOne("Box", inverse: "lid"))]),
    "Note": .init([
      .init("text", .attribute, wire: "body"), .init("albums", .inverseMembers("Album", inverse: "notes")),
    ]),
    "Label": .init([.init("text", .attribute), .init("items", .members("Item"))]),
    "Album": .init([.init("title", .attribute), .init("notes", .members("Note", isCascade: true), wire: "pages")]),
    "Person": .init(
      [
        .init("email", .attribute), .init("badge", .inverseToOne("Badge", inverse: "person", isCascade: true)),
        .init("clubs", .inverseMembers("Club", inverse: "people", isCascade: true)),
      ], unique: [["email"]]),
    "Badge": .init([.init("number", .attribute), .init("person", .toOne("Person", isExclusive: true), wire: "holder")]),
    "Club": .init([.init("name", .attribute), .init("people", .members("Person"))]),
  ])

  /// An older program: without crates, clubs and labels, with other unique values, and before two properties were renamed.
  static let old = SyncModels([
    "Item": .init([
      .init("name", .attribute), .init("tag", .attribute), .init("parent", .toOne("Item", isExclusive: false)),
      .init("children", .list("Item", inverse: "parent")),
    ]),
    "Box": .init(
      [
        .init("number", .attribute), .init("size", .attribute), .init("cover", .toOne("Note", isExclusive: true)),
        .init("lid", .toOne("Lid", isExclusive: true)),
      ], unique: [["number"]], superclass: "Item"),
    "Lid": .init([.init("color", .attribute), .init("box", .inverseToOne("Box", inverse: "lid", isCascade: true))]),
    "Note": .init([.init("body", .attribute)], unique: [["body"]]),
    "Album": .init([.init("title", .attribute), .init("notes", .members("Note"), wire: "pages")]),
    "Person": .init([.init("email", .attribute), .init("badge", .inverseToOne("Badge", inverse: "holder"))]),
    "Badge": .init([.init("number", .attribute), .init("holder", .toOne("Person", isExclusive: true))]),
  ])
}
