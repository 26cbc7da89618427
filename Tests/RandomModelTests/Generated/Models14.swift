// scripts/random-models wrote this file. Change cases.txt or the script instead.
import Foundation
import SwiftData

/// siblings rename and retype
enum Case38 {

  enum V1: RandomVersion {
    static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
    @Model class Event {
      var serial: Int = 7
      var title: String = "default"
      init() {}
    }
    @Model final class Work: Event {
      var cost: Int = 7
      override init() {
        super.init()
      }
    }
    @Model final class Party: Event {
      var cost: Int = 7
      override init() {
        super.init()
      }
    }
    static var kinds: [any AnyKind] {
      let kind1 = Kind("Event", \Event.serial) { Event() }
      kind1.ordered("title", \.title)
      let kind2 = Kind("Work", of: "Event", \Work.serial) { Work() }
      kind2.ordered("title", \.title)
      kind2.ordered("cost", \.cost)
      let kind3 = Kind("Party", of: "Event", \Party.serial) { Party() }
      kind3.ordered("title", \.title)
      kind3.ordered("cost", \.cost)
      return [kind1, kind2, kind3]
    }
  }

  enum V2: RandomVersion {
    static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }
    @Model class Event {
      var serial: Int = 7
      var title: String = "default"
      init() {}
    }
    @Model final class Work: Event {
      @Attribute(originalName: "cost") var budget: Int = 7
      override init() {
        super.init()
      }
    }
    @Model final class Party: Event {
      var cost: Int = 7
      override init() {
        super.init()
      }
    }
    static var kinds: [any AnyKind] {
      let kind1 = Kind("Event", \Event.serial) { Event() }
      kind1.ordered("title", \.title)
      let kind2 = Kind("Work", of: "Event", \Work.serial) { Work() }
      kind2.ordered("title", \.title)
      kind2.ordered("budget", \.budget)
      let kind3 = Kind("Party", of: "Event", \Party.serial) { Party() }
      kind3.ordered("title", \.title)
      kind3.ordered("cost", \.cost)
      return [kind1, kind2, kind3]
    }
  }

  enum V3: RandomVersion {
    static var versionIdentifier: Schema.Version { Schema.Version(3, 0, 0) }
    @Model class Event {
      var serial: Int = 7
      var title: String = "default"
      init() {}
    }
    @Model final class Work: Event {
      @Attribute(originalName: "never") var cost: Look = Look(dark: true, size: 9, font: nil)
      override init() {
        super.init()
      }
    }
    @Model final class Party: Event {
      var cost: Int = 7
      override init() {
        super.init()
      }
    }
    static var kinds: [any AnyKind] {
      let kind1 = Kind("Event", \Event.serial) { Event() }
      kind1.ordered("title", \.title)
      let kind2 = Kind("Work", of: "Event", \Work.serial) { Work() }
      kind2.ordered("title", \.title)
      kind2.value("cost", \.cost)
      kind2.member("cost.size", \.cost, \.size, \.cost.size)
      let kind3 = Kind("Party", of: "Event", \Party.serial) { Party() }
      kind3.ordered("title", \.title)
      kind3.ordered("cost", \.cost)
      return [kind1, kind2, kind3]
    }
  }

  enum V4: RandomVersion {
    static var versionIdentifier: Schema.Version { Schema.Version(4, 0, 0) }
    @Model class Event {
      var serial: Int = 7
      var title: String = "default"
      init() {}
    }
    @Model final class Work: Event {
      var cost: Int = 7
      override init() {
        super.init()
      }
    }
    @Model final class Party: Event {
      var cost: Int8 = 7
      override init() {
        super.init()
      }
    }
    static var kinds: [any AnyKind] {
      let kind1 = Kind("Event", \Event.serial) { Event() }
      kind1.ordered("title", \.title)
      let kind2 = Kind("Work", of: "Event", \Work.serial) { Work() }
      kind2.ordered("title", \.title)
      kind2.ordered("cost", \.cost)
      let kind3 = Kind("Party", of: "Event", \Party.serial) { Party() }
      kind3.ordered("title", \.title)
      kind3.ordered("cost", \.cost)
      return [kind1, kind2, kind3]
    }
  }

  static func changeV1toV2(_ object: Object, _ world: World, _ isPlanned: Bool) throws -> [String: Value]? {
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
        "budget": object["cost"],
      ]
    case "Party":
      return [
        "serial": object["serial"],
        "title": object["title"],
        "cost": object["cost"],
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
        "cost": .integer(7),
      ]
    case "Party":
      return [
        "serial": object["serial"],
        "title": object["title"],
        "cost": object["cost"],
      ]
    default: throw Pair.unknown(object)
    }
  }

  static func changeV1toV3(_ object: Object, _ world: World, _ isPlanned: Bool) throws -> [String: Value]? {
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
        "cost": .record(["dark": .bool(true), "size": .integer(9), "font": .null]),
      ]
    case "Party":
      return [
        "serial": object["serial"],
        "title": object["title"],
        "cost": object["cost"],
      ]
    default: throw Pair.unknown(object)
    }
  }

  static func changeV1toV4(_ object: Object, _ world: World, _ isPlanned: Bool) throws -> [String: Value]? {
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
        "cost": object["cost"],
      ]
    case "Party":
      return [
        "serial": object["serial"],
        "title": object["title"],
        "cost": try object["cost"].fits(Int8.self),
      ]
    default: throw Pair.unknown(object)
    }
  }

  static func returnV3toV1(_ object: Object, _ world: World, _ isPlanned: Bool) throws -> [String: Value]? {
    switch object.kind {
    case "Event":
      return [
        "serial": object["serial"],
        "title": object["title"],
      ]
    case "Work":
      throw Refused("cost cannot have the values of cost")
    case "Party":
      return [
        "serial": object["serial"],
        "title": object["title"],
        "cost": object["cost"],
      ]
    default: throw Pair.unknown(object)
    }
  }

  static func returnV4toV1(_ object: Object, _ world: World, _ isPlanned: Bool) throws -> [String: Value]? {
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
        "cost": object["cost"],
      ]
    case "Party":
      return [
        "serial": object["serial"],
        "title": object["title"],
        "cost": try object["cost"].fits(Int.self),
      ]
    default: throw Pair.unknown(object)
    }
  }

  static var pairs: [Pair] {
    [
      Pair(
        name: "siblings rename and retype 1>2", old: V1.self, new: V2.self, change: changeV1toV2, back: changeV2toV1,
        again: changeV1toV2),
      Pair(
        name: "siblings rename and retype 2>1", old: V2.self, new: V1.self, change: changeV2toV1, back: changeV1toV2,
        again: changeV2toV1, taken: ["Work.cost"]),
      Pair(
        name: "siblings rename and retype 1>3", old: V1.self, new: V3.self, change: changeV1toV3, back: returnV3toV1,
        again: returnV3toV1),
      Pair(
        name: "siblings rename and retype 1>4", old: V1.self, new: V4.self, change: changeV1toV4, back: returnV4toV1,
        again: changeV1toV4),
    ]
  }
}
