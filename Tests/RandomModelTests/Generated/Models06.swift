// scripts/random-models wrote this file. Change cases.txt or the script instead.
import Foundation
import SwiftData

/// exchange of ends
enum Case18 {

  enum V1: RandomVersion {
    static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
    @Model final class Author {
      var serial: Int = 7
      @Relationship(inverse: \Book.author) var books: [Book] = []
      @Relationship(inverse: \Book.drafter) var drafts: [Book] = []
      init() {}
    }
    @Model final class Book {
      var serial: Int = 7
      var title: String = "default"
      var author: Author?
      var drafter: Author?
      init() {}
    }
    static var kinds: [any AnyKind] {
      let kind1 = Kind("Author", \Author.serial) { Author() }
      kind1.many("books", \.books, \.serial)
      kind1.many("drafts", \.drafts, \.serial)
      let kind2 = Kind("Book", \Book.serial) { Book() }
      kind2.ordered("title", \.title)
      kind2.one("author", \.author, \.serial, isOwner: false)
      kind2.one("drafter", \.drafter, \.serial, isOwner: false)
      return [kind1, kind2]
    }
  }

  enum V2: RandomVersion {
    static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }
    @Model final class Author {
      var serial: Int = 7
      @Relationship(originalName: "drafts", inverse: \Book.author) var books: [Book] = []
      @Relationship(originalName: "books", inverse: \Book.drafter) var drafts: [Book] = []
      init() {}
    }
    @Model final class Book {
      var serial: Int = 7
      var title: String = "default"
      @Relationship(originalName: "drafter") var author: Author?
      @Relationship(originalName: "author") var drafter: Author?
      init() {}
    }
    static var kinds: [any AnyKind] {
      let kind1 = Kind("Author", \Author.serial) { Author() }
      kind1.many("books", \.books, \.serial)
      kind1.many("drafts", \.drafts, \.serial)
      let kind2 = Kind("Book", \Book.serial) { Book() }
      kind2.ordered("title", \.title)
      kind2.one("author", \.author, \.serial, isOwner: false)
      kind2.one("drafter", \.drafter, \.serial, isOwner: false)
      return [kind1, kind2]
    }
  }

  static func changeV1toV2(_ object: Object, _ world: World, _ isPlanned: Bool) throws -> [String: Value]? {
    switch object.kind {
    case "Author":
      return [
        "serial": object["serial"],
        "books": object["drafts"],
        "drafts": object["books"],
      ]
    case "Book":
      return [
        "serial": object["serial"],
        "title": object["title"],
        "author": object["drafter"],
        "drafter": object["author"],
      ]
    default: throw Pair.unknown(object)
    }
  }

  static func changeV2toV1(_ object: Object, _ world: World, _ isPlanned: Bool) throws -> [String: Value]? {
    switch object.kind {
    case "Author":
      return [
        "serial": object["serial"],
        "books": object["books"],
        "drafts": object["drafts"],
      ]
    case "Book":
      return [
        "serial": object["serial"],
        "title": object["title"],
        "author": object["author"],
        "drafter": object["drafter"],
      ]
    default: throw Pair.unknown(object)
    }
  }

  static var pairs: [Pair] {
    [
      Pair(
        name: "exchange of ends 1>2", old: V1.self, new: V2.self, change: changeV1toV2, back: changeV2toV1,
        again: changeV2toV1),
      Pair(
        name: "exchange of ends 2>1", old: V2.self, new: V1.self, change: changeV2toV1, back: changeV2toV1,
        again: changeV2toV1),
    ]
  }
}

/// take-over of ends
enum Case19 {

  enum V1: RandomVersion {
    static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
    @Model final class Author {
      var serial: Int = 7
      @Relationship(inverse: \Book.author) var books: [Book] = []
      @Relationship(inverse: \Book.drafter) var drafts: [Book] = []
      init() {}
    }
    @Model final class Book {
      var serial: Int = 7
      var title: String = "default"
      var author: Author?
      var drafter: Author?
      init() {}
    }
    static var kinds: [any AnyKind] {
      let kind1 = Kind("Author", \Author.serial) { Author() }
      kind1.many("books", \.books, \.serial)
      kind1.many("drafts", \.drafts, \.serial)
      let kind2 = Kind("Book", \Book.serial) { Book() }
      kind2.ordered("title", \.title)
      kind2.one("author", \.author, \.serial, isOwner: false)
      kind2.one("drafter", \.drafter, \.serial, isOwner: false)
      return [kind1, kind2]
    }
  }

  enum V2: RandomVersion {
    static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }
    @Model final class Author {
      var serial: Int = 7
      @Relationship(originalName: "drafts", inverse: \Book.author) var books: [Book] = []
      init() {}
    }
    @Model final class Book {
      var serial: Int = 7
      var title: String = "default"
      @Relationship(originalName: "drafter") var author: Author?
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

  static func changeV1toV2(_ object: Object, _ world: World, _ isPlanned: Bool) throws -> [String: Value]? {
    switch object.kind {
    case "Author":
      return [
        "serial": object["serial"],
        "books": object["drafts"],
      ]
    case "Book":
      return [
        "serial": object["serial"],
        "title": object["title"],
        "author": object["drafter"],
      ]
    default: throw Pair.unknown(object)
    }
  }

  static func changeV2toV1(_ object: Object, _ world: World, _ isPlanned: Bool) throws -> [String: Value]? {
    switch object.kind {
    case "Author":
      return [
        "serial": object["serial"],
        "books": object["books"],
        "drafts": .objects([]),
      ]
    case "Book":
      return [
        "serial": object["serial"],
        "title": object["title"],
        "author": object["author"],
        "drafter": .null,
      ]
    default: throw Pair.unknown(object)
    }
  }

  static func againV1toV2(_ object: Object, _ world: World, _ isPlanned: Bool) throws -> [String: Value]? {
    switch object.kind {
    case "Author":
      return [
        "serial": object["serial"],
        "books": object["books"],
      ]
    case "Book":
      return [
        "serial": object["serial"],
        "title": object["title"],
        "author": object["author"],
      ]
    default: throw Pair.unknown(object)
    }
  }

  static var pairs: [Pair] {
    [
      Pair(
        name: "take-over of ends 1>2", old: V1.self, new: V2.self, change: changeV1toV2, back: changeV2toV1,
        again: againV1toV2),
      Pair(
        name: "take-over of ends 2>1", old: V2.self, new: V1.self, change: changeV2toV1, back: againV1toV2,
        again: changeV2toV1),
    ]
  }
}

/// exchange of many-to-manys
enum Case20 {

  enum V1: RandomVersion {
    static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
    @Model final class Post {
      var serial: Int = 7
      @Relationship(inverse: \Tag.posts) var tags: [Tag] = []
      @Relationship(inverse: \Tag.others) var hints: [Tag] = []
      init() {}
    }
    @Model final class Tag {
      var serial: Int = 7
      var name: String = "default"
      var posts: [Post] = []
      var others: [Post] = []
      init() {}
    }
    static var kinds: [any AnyKind] {
      let kind1 = Kind("Post", \Post.serial) { Post() }
      kind1.many("tags", \.tags, \.serial)
      kind1.many("hints", \.hints, \.serial)
      let kind2 = Kind("Tag", \Tag.serial) { Tag() }
      kind2.ordered("name", \.name)
      kind2.many("posts", \.posts, \.serial, isOwner: false)
      kind2.many("others", \.others, \.serial, isOwner: false)
      return [kind1, kind2]
    }
  }

  enum V2: RandomVersion {
    static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }
    @Model final class Post {
      var serial: Int = 7
      @Relationship(originalName: "hints", inverse: \Tag.posts) var tags: [Tag] = []
      @Relationship(originalName: "tags", inverse: \Tag.others) var hints: [Tag] = []
      init() {}
    }
    @Model final class Tag {
      var serial: Int = 7
      var name: String = "default"
      @Relationship(originalName: "others") var posts: [Post] = []
      @Relationship(originalName: "posts") var others: [Post] = []
      init() {}
    }
    static var kinds: [any AnyKind] {
      let kind1 = Kind("Post", \Post.serial) { Post() }
      kind1.many("tags", \.tags, \.serial)
      kind1.many("hints", \.hints, \.serial)
      let kind2 = Kind("Tag", \Tag.serial) { Tag() }
      kind2.ordered("name", \.name)
      kind2.many("posts", \.posts, \.serial, isOwner: false)
      kind2.many("others", \.others, \.serial, isOwner: false)
      return [kind1, kind2]
    }
  }

  static func changeV1toV2(_ object: Object, _ world: World, _ isPlanned: Bool) throws -> [String: Value]? {
    switch object.kind {
    case "Post":
      return [
        "serial": object["serial"],
        "tags": object["hints"],
        "hints": object["tags"],
      ]
    case "Tag":
      return [
        "serial": object["serial"],
        "name": object["name"],
        "posts": object["others"],
        "others": object["posts"],
      ]
    default: throw Pair.unknown(object)
    }
  }

  static func changeV2toV1(_ object: Object, _ world: World, _ isPlanned: Bool) throws -> [String: Value]? {
    switch object.kind {
    case "Post":
      return [
        "serial": object["serial"],
        "tags": object["tags"],
        "hints": object["hints"],
      ]
    case "Tag":
      return [
        "serial": object["serial"],
        "name": object["name"],
        "posts": object["posts"],
        "others": object["others"],
      ]
    default: throw Pair.unknown(object)
    }
  }

  static var pairs: [Pair] {
    [
      Pair(
        name: "exchange of many-to-manys 1>2", old: V1.self, new: V2.self, change: changeV1toV2, back: changeV2toV1,
        again: changeV2toV1),
      Pair(
        name: "exchange of many-to-manys 2>1", old: V2.self, new: V1.self, change: changeV2toV1, back: changeV2toV1,
        again: changeV2toV1),
    ]
  }
}
