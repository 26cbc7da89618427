import Foundation
import SwiftData

// Models named like types of the standard library, Foundation, Observation and SwiftData: expansions spell every type
// with its module.

enum Names {
  @Model final class Task {
    var title: String
    var tags: [Tag] = []
    var category: Category?
    var descriptor: SortDescriptor?
    init(title: String) { self.title = title }
  }

  @Model final class Tag {
    var name: String
    @Relationship(inverse: \Task.tags) var tasks: [Task] = []
    init(name: String) { self.name = name }
  }

  @Model final class Category {
    var name: String = ""
    var parent: Category?
    @Relationship(inverse: \Category.parent) var children: [Category] = []
    init() {}
  }

  @Model final class SortDescriptor {
    var key: String = ""
  }

  @Model final class Character {
    var name: String = ""
    var friend: Character?
  }

  @Model final class Schema {
    var name: String = ""
    var entities: [Entity] = []
  }

  @Model final class Entity {
    @Attribute(.unique) var name: String = ""
    @Relationship(deleteRule: .cascade) var attribute: Attribute?
  }

  @Model final class Attribute {
    var name = ""
    let optional: Optional
    init(optional: Optional) { self.optional = optional }
    struct Optional: Codable {}
  }

  @Model final class Relationship {
    var name: String = ""
  }

  @Model final class ModelContext {
    var name: String = ""
    var result: Result?
  }

  @Model final class Result {
    var error: Error?
    var value: Int = 0
  }

  enum Error: String, Codable { case broken }

  @Model final class Observation {
    var note: String = ""
  }
}

@Model final class Event {
  var name: String = ""
  var observable: Observable?
  enum Observable: String, Codable { case yes }
}
