// scripts/random-models wrote this file. Change cases.txt or the script instead.
import Foundation
import SwiftData

/// exchange of names and uniqueness
enum Case21 {

  enum V1: RandomVersion {
    static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
    @Model final class R {
      var serial: Int = 7
      @Attribute(.unique) var a: String = "default"
      var b: String = "default"
      var n: Int = 7
      init() {}
    }
    static var kinds: [any AnyKind] {
      let kind1 = Kind("R", \R.serial, unique: [["a"]]) { R() }
      kind1.ordered("a", \.a)
      kind1.ordered("b", \.b)
      kind1.ordered("n", \.n)
      return [kind1]
    }
  }

  enum V2: RandomVersion {
    static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }
    @Model final class R {
      var serial: Int = 7
      @Attribute(originalName: "b") var a: String = "default"
      @Attribute(.unique, originalName: "a") var b: String = "default"
      @Attribute(originalName: "n") var m: Int = 7
      init() {}
    }
    static var kinds: [any AnyKind] {
      let kind1 = Kind("R", \R.serial, unique: [["b"]]) { R() }
      kind1.ordered("a", \.a)
      kind1.ordered("b", \.b)
      kind1.ordered("m", \.m)
      return [kind1]
    }
  }

  static func changeV1toV2(_ object: Object, _ world: World, _ isPlanned: Bool) throws -> [String: Value]? {
    switch object.kind {
    case "R":
      return [
        "serial": object["serial"],
        "a": object["b"],
        "b": object["a"],
        "m": object["n"],
      ]
    default: throw Pair.unknown(object)
    }
  }

  static func changeV2toV1(_ object: Object, _ world: World, _ isPlanned: Bool) throws -> [String: Value]? {
    switch object.kind {
    case "R":
      return [
        "serial": object["serial"],
        "a": object["a"],
        "b": object["b"],
        "n": .integer(7),
      ]
    default: throw Pair.unknown(object)
    }
  }

  static func againV1toV2(_ object: Object, _ world: World, _ isPlanned: Bool) throws -> [String: Value]? {
    switch object.kind {
    case "R":
      return [
        "serial": object["serial"],
        "a": object["a"],
        "b": object["b"],
        "m": object["n"],
      ]
    default: throw Pair.unknown(object)
    }
  }

  static var pairs: [Pair] {
    [
      Pair(
        name: "exchange of names and uniqueness 1>2", old: V1.self, new: V2.self, change: changeV1toV2,
        back: changeV2toV1, again: againV1toV2),
      Pair(
        name: "exchange of names and uniqueness 2>1", old: V2.self, new: V1.self, change: changeV2toV1,
        back: againV1toV2, again: changeV2toV1, taken: ["R.n"]),
    ]
  }
}

/// renamed many-to-many
enum Case22 {

  enum V1: RandomVersion {
    static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
    @Model final class Post {
      var serial: Int = 7
      @Relationship(inverse: \Tag.posts) var tags: [Tag] = []
      init() {}
    }
    @Model final class Tag {
      var serial: Int = 7
      var name: String = "default"
      var posts: [Post] = []
      init() {}
    }
    static var kinds: [any AnyKind] {
      let kind1 = Kind("Post", \Post.serial) { Post() }
      kind1.many("tags", \.tags, \.serial)
      let kind2 = Kind("Tag", \Tag.serial) { Tag() }
      kind2.ordered("name", \.name)
      kind2.many("posts", \.posts, \.serial, isOwner: false)
      return [kind1, kind2]
    }
  }

  enum V2: RandomVersion {
    static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }
    @Model final class Post {
      var serial: Int = 7
      @Relationship(originalName: "tags", inverse: \Tag.articles) var topics: [Tag] = []
      init() {}
    }
    @Model final class Tag {
      var serial: Int = 7
      var name: String = "default"
      @Relationship(originalName: "posts") var articles: [Post] = []
      init() {}
    }
    static var kinds: [any AnyKind] {
      let kind1 = Kind("Post", \Post.serial) { Post() }
      kind1.many("topics", \.topics, \.serial)
      let kind2 = Kind("Tag", \Tag.serial) { Tag() }
      kind2.ordered("name", \.name)
      kind2.many("articles", \.articles, \.serial, isOwner: false)
      return [kind1, kind2]
    }
  }

  static func changeV1toV2(_ object: Object, _ world: World, _ isPlanned: Bool) throws -> [String: Value]? {
    switch object.kind {
    case "Post":
      return [
        "serial": object["serial"],
        "topics": object["tags"],
      ]
    case "Tag":
      return [
        "serial": object["serial"],
        "name": object["name"],
        "articles": object["posts"],
      ]
    default: throw Pair.unknown(object)
    }
  }

  static func changeV2toV1(_ object: Object, _ world: World, _ isPlanned: Bool) throws -> [String: Value]? {
    switch object.kind {
    case "Post":
      return [
        "serial": object["serial"],
        "tags": .objects([]),
      ]
    case "Tag":
      return [
        "serial": object["serial"],
        "name": object["name"],
        "posts": .objects([]),
      ]
    default: throw Pair.unknown(object)
    }
  }

  static var pairs: [Pair] {
    [
      Pair(
        name: "renamed many-to-many 1>2", old: V1.self, new: V2.self, change: changeV1toV2, back: changeV2toV1,
        again: changeV1toV2),
      Pair(
        name: "renamed many-to-many 2>1", old: V2.self, new: V1.self, change: changeV2toV1, back: changeV1toV2,
        again: changeV2toV1, taken: ["Post.tags", "Tag.posts"]),
    ]
  }
}

/// renamed list and a new class
enum Case23 {

  enum V1: RandomVersion {
    static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
    @Model final class Shelf {
      var serial: Int = 7
      var items: [Book] = []
      init() {}
    }
    @Model final class Book {
      var serial: Int = 7
      var t: String = "default"
      init() {}
    }
    static var kinds: [any AnyKind] {
      let kind1 = Kind("Shelf", \Shelf.serial) { Shelf() }
      kind1.many("items", \.items, \.serial)
      let kind2 = Kind("Book", \Book.serial) { Book() }
      kind2.ordered("t", \.t)
      return [kind1, kind2]
    }
  }

  enum V2: RandomVersion {
    static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }
    @Model final class Shelf {
      var serial: Int = 7
      @Relationship(originalName: "items") var books: [Book] = []
      var items: [Toy] = []
      init() {}
    }
    @Model final class Book {
      var serial: Int = 7
      var t: String = "default"
      init() {}
    }
    @Model final class Toy {
      var serial: Int = 7
      var t: String = "default"
      init() {}
    }
    static var kinds: [any AnyKind] {
      let kind1 = Kind("Shelf", \Shelf.serial) { Shelf() }
      kind1.many("books", \.books, \.serial)
      kind1.many("items", \.items, \.serial)
      let kind2 = Kind("Book", \Book.serial) { Book() }
      kind2.ordered("t", \.t)
      let kind3 = Kind("Toy", \Toy.serial) { Toy() }
      kind3.ordered("t", \.t)
      return [kind1, kind2, kind3]
    }
  }

  static func changeV1toV2(_ object: Object, _ world: World, _ isPlanned: Bool) throws -> [String: Value]? {
    switch object.kind {
    case "Shelf":
      return [
        "serial": object["serial"],
        "books": object["items"],
        "items": .objects([]),
      ]
    case "Book":
      return [
        "serial": object["serial"],
        "t": object["t"],
      ]
    default: throw Pair.unknown(object)
    }
  }

  static var pairs: [Pair] {
    [
      Pair(name: "renamed list and a new class 1>2", old: V1.self, new: V2.self, change: changeV1toV2)
    ]
  }
}

/// renamed class
enum Case24 {

  enum V1: RandomVersion {
    static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
    @Model final class ItemV1 {
      var serial: Int = 7
      var a: String = "default"
      var n: Int = 7
      init() {}
    }
    static var kinds: [any AnyKind] {
      let kind1 = Kind("ItemV1", \ItemV1.serial) { ItemV1() }
      kind1.ordered("a", \.a)
      kind1.ordered("n", \.n)
      return [kind1]
    }
  }

  enum V2: RandomVersion {
    static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }
    @Model final class ItemV2 {
      var serial: Int = 7
      @Attribute(originalName: "a") var b: String = "default"
      var n: Int = 7
      init() {}
    }
    static var kinds: [any AnyKind] {
      let kind1 = Kind("ItemV2", \ItemV2.serial) { ItemV2() }
      kind1.ordered("b", \.b)
      kind1.ordered("n", \.n)
      return [kind1]
    }
  }

  static func changeV1toV2(_ object: Object, _ world: World, _ isPlanned: Bool) throws -> [String: Value]? {
    switch object.kind {
    case "ItemV1":
      guard isPlanned else { return nil }
      return [
        "serial": object["serial"],
        "b": object["a"],
        "n": object["n"],
      ]
    default: throw Pair.unknown(object)
    }
  }

  static var pairs: [Pair] {
    [
      Pair(
        name: "renamed class 1>2", old: V1.self, new: V2.self, change: changeV1toV2,
        renamedClasses: ["ItemV1": "ItemV2"])
    ]
  }
}
