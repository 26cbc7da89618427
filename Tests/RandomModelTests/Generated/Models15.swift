// scripts/random-models wrote this file. Change cases.txt or the script instead.
import Foundation
import SwiftData

/// siblings of two types
enum Case39 {

  enum V1: RandomVersion {
    static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
    @Model class Event {
      var serial: Int = 7
      var title: String = "default"
      init() {}
    }
    @Model final class Work: Event {
      var value: Int = 7
      override init() {
        super.init()
      }
    }
    @Model final class Party: Event {
      var value: String = "default"
      override init() {
        super.init()
      }
    }
    static var kinds: [any AnyKind] {
      let kind1 = Kind("Event", \Event.serial) { Event() }
      kind1.ordered("title", \.title)
      let kind2 = Kind("Work", of: "Event", \Work.serial) { Work() }
      kind2.ordered("title", \.title)
      kind2.ordered("value", \.value)
      let kind3 = Kind("Party", of: "Event", \Party.serial) { Party() }
      kind3.ordered("title", \.title)
      kind3.ordered("value", \.value)
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
      var value: Int = 7
      var more: Int = 7
      override init() {
        super.init()
      }
    }
    @Model final class Party: Event {
      var value: String?
      override init() {
        super.init()
      }
    }
    static var kinds: [any AnyKind] {
      let kind1 = Kind("Event", \Event.serial) { Event() }
      kind1.ordered("title", \.title)
      let kind2 = Kind("Work", of: "Event", \Work.serial) { Work() }
      kind2.ordered("title", \.title)
      kind2.ordered("value", \.value)
      kind2.ordered("more", \.more)
      let kind3 = Kind("Party", of: "Event", \Party.serial) { Party() }
      kind3.ordered("title", \.title)
      kind3.optional("value", \.value)
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
        "value": object["value"],
        "more": .integer(7),
      ]
    case "Party":
      return [
        "serial": object["serial"],
        "title": object["title"],
        "value": object["value"],
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
        "value": object["value"],
      ]
    case "Party":
      return [
        "serial": object["serial"],
        "title": object["title"],
        "value": object["value"].or(.text("default")),
      ]
    default: throw Pair.unknown(object)
    }
  }

  static var pairs: [Pair] {
    [
      Pair(
        name: "siblings of two types 1>2", old: V1.self, new: V2.self, change: changeV1toV2, back: changeV2toV1,
        again: changeV1toV2),
      Pair(
        name: "siblings of two types 2>1", old: V2.self, new: V1.self, change: changeV2toV1, back: changeV1toV2,
        again: changeV2toV1),
    ]
  }
}

/// siblings with uniqueness
enum Case40 {

  enum V1: RandomVersion {
    static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
    @Model class Event {
      var serial: Int = 7
      var title: String = "default"
      init() {}
    }
    @Model final class Ticket: Event {
      @Attribute(.unique) var code: String = "default"
      override init() {
        super.init()
      }
    }
    @Model final class Visit: Event {
      var code: String = "default"
      override init() {
        super.init()
      }
    }
    static var kinds: [any AnyKind] {
      let kind1 = Kind("Event", \Event.serial) { Event() }
      kind1.ordered("title", \.title)
      let kind2 = Kind("Ticket", of: "Event", \Ticket.serial, unique: [["code"]]) { Ticket() }
      kind2.ordered("title", \.title)
      kind2.ordered("code", \.code)
      let kind3 = Kind("Visit", of: "Event", \Visit.serial) { Visit() }
      kind3.ordered("title", \.title)
      kind3.ordered("code", \.code)
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
    @Model final class Ticket: Event {
      var code: String = "default"
      override init() {
        super.init()
      }
    }
    @Model final class Visit: Event {
      var code: String = "default"
      override init() {
        super.init()
      }
    }
    static var kinds: [any AnyKind] {
      let kind1 = Kind("Event", \Event.serial) { Event() }
      kind1.ordered("title", \.title)
      let kind2 = Kind("Ticket", of: "Event", \Ticket.serial) { Ticket() }
      kind2.ordered("title", \.title)
      kind2.ordered("code", \.code)
      let kind3 = Kind("Visit", of: "Event", \Visit.serial) { Visit() }
      kind3.ordered("title", \.title)
      kind3.ordered("code", \.code)
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
    @Model final class Ticket: Event {
      var code: String = "default"
      override init() {
        super.init()
      }
    }
    @Model final class Visit: Event {
      @Attribute(.unique) var code: String = "default"
      override init() {
        super.init()
      }
    }
    static var kinds: [any AnyKind] {
      let kind1 = Kind("Event", \Event.serial) { Event() }
      kind1.ordered("title", \.title)
      let kind2 = Kind("Ticket", of: "Event", \Ticket.serial) { Ticket() }
      kind2.ordered("title", \.title)
      kind2.ordered("code", \.code)
      let kind3 = Kind("Visit", of: "Event", \Visit.serial, unique: [["code"]]) { Visit() }
      kind3.ordered("title", \.title)
      kind3.ordered("code", \.code)
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
    case "Ticket":
      return [
        "serial": object["serial"],
        "title": object["title"],
        "code": object["code"],
      ]
    case "Visit":
      return [
        "serial": object["serial"],
        "title": object["title"],
        "code": object["code"],
      ]
    default: throw Pair.unknown(object)
    }
  }

  static var pairs: [Pair] {
    [
      Pair(
        name: "siblings with uniqueness 1>2", old: V1.self, new: V2.self, change: changeV1toV2, back: changeV1toV2,
        again: changeV1toV2),
      Pair(
        name: "siblings with uniqueness 2>1", old: V2.self, new: V1.self, change: changeV1toV2, back: changeV1toV2,
        again: changeV1toV2),
      Pair(
        name: "siblings with uniqueness 1>3", old: V1.self, new: V3.self, change: changeV1toV2, back: changeV1toV2,
        again: changeV1toV2),
      Pair(
        name: "siblings with uniqueness 3>1", old: V3.self, new: V1.self, change: changeV1toV2, back: changeV1toV2,
        again: changeV1toV2),
    ]
  }
}
