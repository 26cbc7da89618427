// scripts/random-models wrote this file. Change cases.txt or the script instead.
import Foundation
import SwiftData

/// renamed ends
enum Case17 {

  enum V1: RandomVersion {
    static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
    @Model final class Author {
      var serial: Int = 7
      @Relationship(deleteRule: .cascade, inverse: \Book.author) var books: [Book] = []
      init() {}
    }
    @Model final class Book {
      var serial: Int = 7
      var title: String = "default"
      var author: Author?
      init() {}
    }
    static var kinds: [any AnyKind] {
      let kind1 = Kind("Author", \Author.serial) { Author() }
      kind1.many("books", \.books, \.serial)
      let kind2 = Kind("Book", \Book.serial) { Book() }
      kind2.ordered("title", \.title)
      kind2.one("author", \.author, \.serial, isOwner: false)
      return [kind1, kind2]
    }
  }

  enum V2: RandomVersion {
    static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }
    @Model final class Author {
      var serial: Int = 7
      @Relationship(deleteRule: .cascade, originalName: "books", inverse: \Book.writer) var works: [Book] = []
      init() {}
    }
    @Model final class Book {
      var serial: Int = 7
      var title: String = "default"
      @Relationship(originalName: "author") var writer: Author?
      init() {}
    }
    static var kinds: [any AnyKind] {
      let kind1 = Kind("Author", \Author.serial) { Author() }
      kind1.many("works", \.works, \.serial)
      let kind2 = Kind("Book", \Book.serial) { Book() }
      kind2.ordered("title", \.title)
      kind2.one("writer", \.writer, \.serial, isOwner: false)
      return [kind1, kind2]
    }
  }

  static func changeV1toV2(_ object: Object, _ world: World, _ isPlanned: Bool) throws -> [String: Value]? {
    switch object.kind {
    case "Author":
      return [
        "serial": object["serial"],
        "works": object["books"],
      ]
    case "Book":
      return [
        "serial": object["serial"],
        "title": object["title"],
        "writer": object["author"],
      ]
    default: throw Pair.unknown(object)
    }
  }

  static func changeV2toV1(_ object: Object, _ world: World, _ isPlanned: Bool) throws -> [String: Value]? {
    switch object.kind {
    case "Author":
      return [
        "serial": object["serial"],
        "books": .objects([]),
      ]
    case "Book":
      return [
        "serial": object["serial"],
        "title": object["title"],
        "author": .null,
      ]
    default: throw Pair.unknown(object)
    }
  }

  static var pairs: [Pair] {
    [
      Pair(name: "renamed ends 1>2", old: V1.self, new: V2.self, change: changeV1toV2),
      Pair(name: "renamed ends 2>1", old: V2.self, new: V1.self, change: changeV2toV1),
    ]
  }
}

/// renamed many-to-many
enum Case18 {

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
      Pair(name: "renamed many-to-many 1>2", old: V1.self, new: V2.self, change: changeV1toV2),
      Pair(name: "renamed many-to-many 2>1", old: V2.self, new: V1.self, change: changeV2toV1),
    ]
  }
}

/// renamed list and a new class
enum Case19 {

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
enum Case20 {

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
