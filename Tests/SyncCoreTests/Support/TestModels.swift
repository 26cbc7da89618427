import SyncCore

/// The programs of the model: `NEW` and `OLD` in Tests/SyncCoreTests/Model/model.py.
enum TestModels {
  static let new = SyncModels([
    "Project": [
      .init("title", .attribute(isUnique: false)), .init("code", .attribute(isUnique: true)),
      .init("tasks", .list("Task", inverse: "project", isCascade: true)),
      .init("labels", .members("Label", isCascade: true)), .init("people", .members("Person", isCascade: false)),
    ],
    "Task": [
      .init("title", .attribute(isUnique: false), wire: "name"), .init("priority", .attribute(isUnique: false)),
      .init("photo", .attribute(isUnique: false)), .init("project", .toOne("Project", isExclusive: false)),
    ],
    "Label": [.init("text", .attribute(isUnique: false))],
    "Person": [.init("email", .attribute(isUnique: true)), .init("name", .attribute(isUnique: false))],
    "Badge": [.init("number", .attribute(isUnique: false)), .init("person", .toOne("Person", isExclusive: true))],
    "Half": [.init("side", .attribute(isUnique: true)), .init("value", .attribute(isUnique: false))],
    "Mark": [
      .init("after", .toOne("Mark", isExclusive: false)), .init("pair", .toOne("Task", isExclusive: false)),
    ],
  ])

  /// An older program. It knows no labels, no priorities and no unique e-mail addresses, and calls a task's `title` `name`.
  static let old = SyncModels([
    "Project": [
      .init("title", .attribute(isUnique: false)),
      .init("tasks", .list("Task", inverse: "project", isCascade: true)),
      .init("people", .members("Person", isCascade: false)),
    ],
    "Task": [
      .init("name", .attribute(isUnique: false)), .init("photo", .attribute(isUnique: false)),
      .init("project", .toOne("Project", isExclusive: false)),
    ],
    "Person": [.init("email", .attribute(isUnique: false)), .init("name", .attribute(isUnique: false))],
    "Half": [.init("side", .attribute(isUnique: true)), .init("value", .attribute(isUnique: false))],
    "Mark": [.init("after", .toOne("Mark", isExclusive: false))],
  ])
}
