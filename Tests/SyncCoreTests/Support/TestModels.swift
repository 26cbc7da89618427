import SyncCore

/// The programs of the model: `NEW` and `OLD` in Tests/SyncCoreTests/Model/model.py.
enum TestModels {
  static let new = SyncModels([
    "Project": .init(
      [
        .init("title", .attribute), .init("code", .attribute),
        .init("tasks", .list("Task", inverse: "project", isCascade: true)),
        .init("labels", .members("Label", isCascade: true)), .init("people", .members("Person")),
      ], unique: [["code"]]),
    "Task": .init([
      .init("title", .attribute, wire: "name"), .init("priority", .attribute), .init("photo", .attribute),
      .init("project", .toOne("Project", isExclusive: false)),
    ]),
    "Label": .init([.init("text", .attribute)]),
    "Person": .init([.init("email", .attribute), .init("name", .attribute)], unique: [["email"]]),
    "Badge": .init([.init("number", .attribute), .init("person", .toOne("Person", isExclusive: true))]),
    "Half": .init([.init("side", .attribute), .init("value", .attribute)], unique: [["side"]]),
    "Mark": .init([
      .init("after", .toOne("Mark", isExclusive: false)), .init("pair", .toOne("Task", isExclusive: false)),
    ]),
  ])

  /// An older program. It knows no labels, no priorities and no unique e-mail addresses, and calls a task's `title` `name`.
  static let old = SyncModels([
    "Project": .init([
      .init("title", .attribute), .init("tasks", .list("Task", inverse: "project", isCascade: true)),
      .init("people", .members("Person")),
    ]),
    "Task": .init([
      .init("name", .attribute), .init("photo", .attribute), .init("project", .toOne("Project", isExclusive: false)),
    ]),
    "Person": .init([.init("email", .attribute), .init("name", .attribute)]),
    "Half": .init([.init("side", .attribute), .init("value", .attribute)], unique: [["side"]]),
    "Mark": .init([.init("after", .toOne("Mark", isExclusive: false))]),
  ])
}
