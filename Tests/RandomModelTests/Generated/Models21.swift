// scripts/random-models wrote this file. Change cases.txt or the script instead.
import Foundation
import SwiftData

/// narrower target
enum Case48 {

  enum V1: RandomVersion {
    static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
    @Model class Media {
      var serial: Int = 7
      var n: Int = 7
      init() {}
    }
    @Model final class Film: Media {
      override init() {
        super.init()
      }
    }
    @Model final class Album: Media {
      override init() {
        super.init()
      }
    }
    @Model final class Shelf {
      var serial: Int = 7
      var best: Media?
      var all: [Media] = []
      init() {}
    }
    static var kinds: [any AnyKind] {
      let kind1 = Kind("Media", \Media.serial) { Media() }
      kind1.ordered("n", \.n)
      let kind2 = Kind("Film", of: "Media", \Film.serial) { Film() }
      kind2.ordered("n", \.n)
      let kind3 = Kind("Album", of: "Media", \Album.serial) { Album() }
      kind3.ordered("n", \.n)
      let kind4 = Kind("Shelf", \Shelf.serial) { Shelf() }
      kind4.one("best", \.best, \.serial)
      kind4.many("all", \.all, \.serial)
      return [kind1, kind2, kind3, kind4]
    }
  }

  enum V2: RandomVersion {
    static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }
    @Model class Media {
      var serial: Int = 7
      var n: Int = 7
      init() {}
    }
    @Model final class Film: Media {
      override init() {
        super.init()
      }
    }
    @Model final class Album: Media {
      override init() {
        super.init()
      }
    }
    @Model final class Shelf {
      var serial: Int = 7
      var best: Film?
      var all: [Film] = []
      init() {}
    }
    static var kinds: [any AnyKind] {
      let kind1 = Kind("Media", \Media.serial) { Media() }
      kind1.ordered("n", \.n)
      let kind2 = Kind("Film", of: "Media", \Film.serial) { Film() }
      kind2.ordered("n", \.n)
      let kind3 = Kind("Album", of: "Media", \Album.serial) { Album() }
      kind3.ordered("n", \.n)
      let kind4 = Kind("Shelf", \Shelf.serial) { Shelf() }
      kind4.one("best", \.best, \.serial)
      kind4.many("all", \.all, \.serial)
      return [kind1, kind2, kind3, kind4]
    }
  }

  static func changeV1toV2(_ object: Object, _ world: World, _ isPlanned: Bool) throws -> [String: Value]? {
    switch object.kind {
    case "Media":
      return [
        "serial": object["serial"],
        "n": object["n"],
      ]
    case "Film":
      return [
        "serial": object["serial"],
        "n": object["n"],
      ]
    case "Album":
      return [
        "serial": object["serial"],
        "n": object["n"],
      ]
    case "Shelf":
      return [
        "serial": object["serial"],
        "best": try object["best"].narrowed(to: ["Film"], in: world),
        "all": try object["all"].narrowed(to: ["Film"], in: world),
      ]
    default: throw Pair.unknown(object)
    }
  }

  static func changeV2toV1(_ object: Object, _ world: World, _ isPlanned: Bool) throws -> [String: Value]? {
    switch object.kind {
    case "Media":
      return [
        "serial": object["serial"],
        "n": object["n"],
      ]
    case "Film":
      return [
        "serial": object["serial"],
        "n": object["n"],
      ]
    case "Album":
      return [
        "serial": object["serial"],
        "n": object["n"],
      ]
    case "Shelf":
      return [
        "serial": object["serial"],
        "best": object["best"],
        "all": object["all"],
      ]
    default: throw Pair.unknown(object)
    }
  }

  static var pairs: [Pair] {
    [
      Pair(
        name: "narrower target 1>2", old: V1.self, new: V2.self, change: changeV1toV2, back: changeV2toV1,
        again: changeV1toV2),
      Pair(
        name: "narrower target 2>1", old: V2.self, new: V1.self, change: changeV2toV1, back: changeV1toV2,
        again: changeV2toV1),
    ]
  }
}

/// new superclass
enum Case49 {

  enum V1: RandomVersion {
    static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
    @Model final class Trip {
      var serial: Int = 7
      var name: String = "default"
      var days: Int = 7
      init() {}
    }
    static var kinds: [any AnyKind] {
      let kind1 = Kind("Trip", \Trip.serial) { Trip() }
      kind1.ordered("name", \.name)
      kind1.ordered("days", \.days)
      return [kind1]
    }
  }

  enum V2: RandomVersion {
    static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }
    @Model class Journey {
      var serial: Int = 7
      var year: Int = 7
      init() {}
    }
    @Model final class Trip: Journey {
      var name: String = "default"
      var days: Int = 7
      override init() {
        super.init()
      }
    }
    @Model final class Walk: Journey {
      var name: String = "default"
      override init() {
        super.init()
      }
    }
    static var kinds: [any AnyKind] {
      let kind1 = Kind("Journey", \Journey.serial) { Journey() }
      kind1.ordered("year", \.year)
      let kind2 = Kind("Trip", of: "Journey", \Trip.serial) { Trip() }
      kind2.ordered("year", \.year)
      kind2.ordered("name", \.name)
      kind2.ordered("days", \.days)
      let kind3 = Kind("Walk", of: "Journey", \Walk.serial) { Walk() }
      kind3.ordered("year", \.year)
      kind3.ordered("name", \.name)
      return [kind1, kind2, kind3]
    }
  }

  static func changeV1toV2(_ object: Object, _ world: World, _ isPlanned: Bool) throws -> [String: Value]? {
    switch object.kind {
    case "Trip":
      return [
        "serial": object["serial"],
        "year": .integer(7),
        "name": object["name"],
        "days": object["days"],
      ]
    default: throw Pair.unknown(object)
    }
  }

  static var pairs: [Pair] {
    [
      Pair(
        name: "new superclass 1>2", old: V1.self, new: V2.self, change: changeV1toV2,
        refusedOnPostgres: "Documentation/postgres.md names this difference")
    ]
  }
}

/// names that differ by case
enum Case50 {

  enum V1: RandomVersion {
    static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
    @Model final class Link {
      var serial: Int = 7
      var url: String = "default"
      var URL: Int = 7
      init() {}
    }
    @Model final class item {
      var serial: Int = 7
      var v: Int = 7
      init() {}
    }
    @Model final class Item {
      var serial: Int = 7
      var v: Int = 7
      init() {}
    }
    static var kinds: [any AnyKind] {
      let kind1 = Kind("Link", \Link.serial) { Link() }
      kind1.ordered("url", \.url)
      kind1.ordered("URL", \.URL)
      let kind2 = Kind("item", \item.serial) { item() }
      kind2.ordered("v", \.v)
      let kind3 = Kind("Item", \Item.serial) { Item() }
      kind3.ordered("v", \.v)
      return [kind1, kind2, kind3]
    }
  }

  enum V2: RandomVersion {
    static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }
    @Model final class Link {
      var serial: Int = 7
      var url: String = "default"
      @Attribute(originalName: "url") var Url: String = "default"
      var URL: Int = 7
      init() {}
    }
    @Model final class item {
      var serial: Int = 7
      var v: Int?
      init() {}
    }
    @Model final class Item {
      var serial: Int = 7
      @Attribute(originalName: "v") var V: Int = 7
      init() {}
    }
    static var kinds: [any AnyKind] {
      let kind1 = Kind("Link", \Link.serial) { Link() }
      kind1.ordered("url", \.url)
      kind1.ordered("Url", \.Url)
      kind1.ordered("URL", \.URL)
      let kind2 = Kind("item", \item.serial) { item() }
      kind2.optional("v", \.v)
      let kind3 = Kind("Item", \Item.serial) { Item() }
      kind3.ordered("V", \.V)
      return [kind1, kind2, kind3]
    }
  }

  static func changeV1toV2(_ object: Object, _ world: World, _ isPlanned: Bool) throws -> [String: Value]? {
    switch object.kind {
    case "Link":
      return [
        "serial": object["serial"],
        "url": .text("default"),
        "Url": object["url"],
        "URL": object["URL"],
      ]
    case "item":
      return [
        "serial": object["serial"],
        "v": object["v"],
      ]
    case "Item":
      return [
        "serial": object["serial"],
        "V": object["v"],
      ]
    default: throw Pair.unknown(object)
    }
  }

  static func changeV2toV1(_ object: Object, _ world: World, _ isPlanned: Bool) throws -> [String: Value]? {
    switch object.kind {
    case "Link":
      return [
        "serial": object["serial"],
        "url": object["url"],
        "URL": object["URL"],
      ]
    case "item":
      return [
        "serial": object["serial"],
        "v": object["v"].or(.integer(7)),
      ]
    case "Item":
      return [
        "serial": object["serial"],
        "v": .integer(7),
      ]
    default: throw Pair.unknown(object)
    }
  }

  static var pairs: [Pair] {
    [
      Pair(
        name: "names that differ by case 1>2", old: V1.self, new: V2.self, change: changeV1toV2, back: changeV2toV1,
        again: changeV1toV2),
      Pair(
        name: "names that differ by case 2>1", old: V2.self, new: V1.self, change: changeV2toV1, back: changeV1toV2,
        again: changeV2toV1, taken: ["Item.v", "Link.url"]),
    ]
  }
}
