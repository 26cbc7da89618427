// scripts/random-models wrote this file. Change cases.txt or the script instead.
import Foundation
import SwiftData

/// take-over of a list
enum Case15 {

  enum V1: RandomVersion {
    static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
    @Model final class List {
      var serial: Int = 7
      var first: [Item] = []
      var second: [Item] = []
      init() {}
    }
    @Model final class Item {
      var serial: Int = 7
      var t: String = "default"
      init() {}
    }
    static var kinds: [any AnyKind] {
      let kind1 = Kind("List", \List.serial) { List() }
      kind1.many("first", \.first, \.serial)
      kind1.many("second", \.second, \.serial)
      let kind2 = Kind("Item", \Item.serial) { Item() }
      kind2.ordered("t", \.t)
      return [kind1, kind2]
    }
  }

  enum V2: RandomVersion {
    static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }
    @Model final class List {
      var serial: Int = 7
      @Relationship(originalName: "second") var first: [Item] = []
      init() {}
    }
    @Model final class Item {
      var serial: Int = 7
      var t: String = "default"
      init() {}
    }
    static var kinds: [any AnyKind] {
      let kind1 = Kind("List", \List.serial) { List() }
      kind1.many("first", \.first, \.serial)
      let kind2 = Kind("Item", \Item.serial) { Item() }
      kind2.ordered("t", \.t)
      return [kind1, kind2]
    }
  }

  static func changeV1toV2(_ object: Object, _ world: World, _ isPlanned: Bool) throws -> [String: Value]? {
    switch object.kind {
    case "List":
      return [
        "serial": object["serial"],
        "first": object["second"],
      ]
    case "Item":
      return [
        "serial": object["serial"],
        "t": object["t"],
      ]
    default: throw Pair.unknown(object)
    }
  }

  static func changeV2toV1(_ object: Object, _ world: World, _ isPlanned: Bool) throws -> [String: Value]? {
    switch object.kind {
    case "List":
      return [
        "serial": object["serial"],
        "first": object["first"],
        "second": .objects([]),
      ]
    case "Item":
      return [
        "serial": object["serial"],
        "t": object["t"],
      ]
    default: throw Pair.unknown(object)
    }
  }

  static func againV1toV2(_ object: Object, _ world: World, _ isPlanned: Bool) throws -> [String: Value]? {
    switch object.kind {
    case "List":
      return [
        "serial": object["serial"],
        "first": object["first"],
      ]
    case "Item":
      return [
        "serial": object["serial"],
        "t": object["t"],
      ]
    default: throw Pair.unknown(object)
    }
  }

  static var pairs: [Pair] {
    [
      Pair(
        name: "take-over of a list 1>2", old: V1.self, new: V2.self, change: changeV1toV2, back: changeV2toV1,
        again: againV1toV2),
      Pair(
        name: "take-over of a list 2>1", old: V2.self, new: V1.self, change: changeV2toV1, back: againV1toV2,
        again: changeV2toV1),
    ]
  }
}

/// exchange of to-ones
enum Case16 {

  enum V1: RandomVersion {
    static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
    @Model final class Pair1 {
      var serial: Int = 7
      var left: Item?
      var right: Item?
      init() {}
    }
    @Model final class Item {
      var serial: Int = 7
      var t: String = "default"
      init() {}
    }
    static var kinds: [any AnyKind] {
      let kind1 = Kind("Pair1", \Pair1.serial) { Pair1() }
      kind1.one("left", \.left, \.serial)
      kind1.one("right", \.right, \.serial)
      let kind2 = Kind("Item", \Item.serial) { Item() }
      kind2.ordered("t", \.t)
      return [kind1, kind2]
    }
  }

  enum V2: RandomVersion {
    static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }
    @Model final class Pair1 {
      var serial: Int = 7
      @Relationship(originalName: "right") var left: Item?
      @Relationship(originalName: "left") var right: Item?
      init() {}
    }
    @Model final class Item {
      var serial: Int = 7
      var t: String = "default"
      init() {}
    }
    static var kinds: [any AnyKind] {
      let kind1 = Kind("Pair1", \Pair1.serial) { Pair1() }
      kind1.one("left", \.left, \.serial)
      kind1.one("right", \.right, \.serial)
      let kind2 = Kind("Item", \Item.serial) { Item() }
      kind2.ordered("t", \.t)
      return [kind1, kind2]
    }
  }

  static func changeV1toV2(_ object: Object, _ world: World, _ isPlanned: Bool) throws -> [String: Value]? {
    switch object.kind {
    case "Pair1":
      return [
        "serial": object["serial"],
        "left": object["right"],
        "right": object["left"],
      ]
    case "Item":
      return [
        "serial": object["serial"],
        "t": object["t"],
      ]
    default: throw Pair.unknown(object)
    }
  }

  static func changeV2toV1(_ object: Object, _ world: World, _ isPlanned: Bool) throws -> [String: Value]? {
    switch object.kind {
    case "Pair1":
      return [
        "serial": object["serial"],
        "left": object["left"],
        "right": object["right"],
      ]
    case "Item":
      return [
        "serial": object["serial"],
        "t": object["t"],
      ]
    default: throw Pair.unknown(object)
    }
  }

  static var pairs: [Pair] {
    [
      Pair(
        name: "exchange of to-ones 1>2", old: V1.self, new: V2.self, change: changeV1toV2, back: changeV2toV1,
        again: changeV2toV1),
      Pair(
        name: "exchange of to-ones 2>1", old: V2.self, new: V1.self, change: changeV2toV1, back: changeV2toV1,
        again: changeV2toV1),
    ]
  }
}

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
      Pair(
        name: "renamed ends 1>2", old: V1.self, new: V2.self, change: changeV1toV2, back: changeV2toV1,
        again: changeV1toV2),
      Pair(
        name: "renamed ends 2>1", old: V2.self, new: V1.self, change: changeV2toV1, back: changeV1toV2,
        again: changeV2toV1, taken: ["Author.books", "Book.author"]),
    ]
  }
}
