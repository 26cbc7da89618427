// scripts/random-models wrote this file. Change cases.txt or the script instead.
import Foundation
import SwiftData

/// moves of lists
enum Case43 {

  enum V1: RandomVersion {
    static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
    @Model class Event {
      var serial: Int = 7
      var title: String = "default"
      init() {}
    }
    @Model final class Work: Event {
      var tags: [Tag] = []
      var main: Tag?
      override init() {
        super.init()
      }
    }
    @Model final class Party: Event {
      var tags: [Tag] = []
      var main: Tag?
      override init() {
        super.init()
      }
    }
    @Model final class Tag {
      var serial: Int = 7
      var name: String = "default"
      init() {}
    }
    static var kinds: [any AnyKind] {
      let kind1 = Kind("Event", \Event.serial) { Event() }
      kind1.ordered("title", \.title)
      let kind2 = Kind("Work", of: "Event", \Work.serial) { Work() }
      kind2.ordered("title", \.title)
      kind2.many("tags", \.tags, \.serial)
      kind2.one("main", \.main, \.serial)
      let kind3 = Kind("Party", of: "Event", \Party.serial) { Party() }
      kind3.ordered("title", \.title)
      kind3.many("tags", \.tags, \.serial)
      kind3.one("main", \.main, \.serial)
      let kind4 = Kind("Tag", \Tag.serial) { Tag() }
      kind4.ordered("name", \.name)
      return [kind1, kind2, kind3, kind4]
    }
  }

  enum V2: RandomVersion {
    static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }
    @Model class Event {
      var serial: Int = 7
      var title: String = "default"
      var tags: [Tag] = []
      var main: Tag?
      init() {}
    }
    @Model final class Work: Event {
      override init() {
        super.init()
      }
    }
    @Model final class Party: Event {
      override init() {
        super.init()
      }
    }
    @Model final class Tag {
      var serial: Int = 7
      var name: String = "default"
      init() {}
    }
    static var kinds: [any AnyKind] {
      let kind1 = Kind("Event", \Event.serial) { Event() }
      kind1.ordered("title", \.title)
      kind1.many("tags", \.tags, \.serial)
      kind1.one("main", \.main, \.serial)
      let kind2 = Kind("Work", of: "Event", \Work.serial) { Work() }
      kind2.ordered("title", \.title)
      kind2.many("tags", \.tags, \.serial)
      kind2.one("main", \.main, \.serial)
      let kind3 = Kind("Party", of: "Event", \Party.serial) { Party() }
      kind3.ordered("title", \.title)
      kind3.many("tags", \.tags, \.serial)
      kind3.one("main", \.main, \.serial)
      let kind4 = Kind("Tag", \Tag.serial) { Tag() }
      kind4.ordered("name", \.name)
      return [kind1, kind2, kind3, kind4]
    }
  }

  static func changeV1toV2(_ object: Object, _ world: World, _ isPlanned: Bool) throws -> [String: Value]? {
    switch object.kind {
    case "Event":
      return [
        "serial": object["serial"],
        "title": object["title"],
        "tags": .objects([]),
        "main": .null,
      ]
    case "Work":
      return [
        "serial": object["serial"],
        "title": object["title"],
        "tags": object["tags"],
        "main": object["main"],
      ]
    case "Party":
      return [
        "serial": object["serial"],
        "title": object["title"],
        "tags": object["tags"],
        "main": object["main"],
      ]
    case "Tag":
      return [
        "serial": object["serial"],
        "name": object["name"],
      ]
    default: throw Pair.unknown(object)
    }
  }

  static func changeV2toV1(_ object: Object, _ world: World, _ isPlanned: Bool) throws -> [String: Value]? {
    switch object.kind {
    case "Event":
      return [
        "serial": object["serial"],
        "title": object["title"],
      ]
    case "Work":
      return [
        "serial": object["serial"],
        "title": object["title"],
        "tags": object["tags"],
        "main": object["main"],
      ]
    case "Party":
      return [
        "serial": object["serial"],
        "title": object["title"],
        "tags": object["tags"],
        "main": object["main"],
      ]
    case "Tag":
      return [
        "serial": object["serial"],
        "name": object["name"],
      ]
    default: throw Pair.unknown(object)
    }
  }

  static var pairs: [Pair] {
    [
      Pair(
        name: "moves of lists 1>2", old: V1.self, new: V2.self, change: changeV1toV2, back: changeV2toV1,
        again: changeV1toV2, taken: ["Event.main", "Event.tags", "Party.main", "Party.tags", "Work.main", "Work.tags"]),
      Pair(
        name: "moves of lists 2>1", old: V2.self, new: V1.self, change: changeV2toV1, back: changeV1toV2,
        again: changeV2toV1, taken: ["Event.main", "Event.tags", "Party.main", "Party.tags", "Work.main", "Work.tags"]),
    ]
  }
}
