// scripts/random-models wrote this file. Change cases.txt or the script instead.
import Foundation
import SwiftData

/// siblings gain a property
enum Case37 {

  enum V1: RandomVersion {
    static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
    @Model class Event {
      var serial: Int = 7
      var title: String = "default"
      init() {}
    }
    @Model final class Work: Event {
      override init() {
        super.init()
      }
    }
    @Model final class Party: Event {
      var guests: Int = 7
      var place: String?
      override init() {
        super.init()
      }
    }
    static var kinds: [any AnyKind] {
      let kind1 = Kind("Event", \Event.serial) { Event() }
      kind1.ordered("title", \.title)
      let kind2 = Kind("Work", of: "Event", \Work.serial) { Work() }
      kind2.ordered("title", \.title)
      let kind3 = Kind("Party", of: "Event", \Party.serial) { Party() }
      kind3.ordered("title", \.title)
      kind3.ordered("guests", \.guests)
      kind3.optional("place", \.place)
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
      var guests: Int = 7
      override init() {
        super.init()
      }
    }
    @Model final class Party: Event {
      var guests: Int = 7
      var place: String?
      override init() {
        super.init()
      }
    }
    static var kinds: [any AnyKind] {
      let kind1 = Kind("Event", \Event.serial) { Event() }
      kind1.ordered("title", \.title)
      let kind2 = Kind("Work", of: "Event", \Work.serial) { Work() }
      kind2.ordered("title", \.title)
      kind2.ordered("guests", \.guests)
      let kind3 = Kind("Party", of: "Event", \Party.serial) { Party() }
      kind3.ordered("title", \.title)
      kind3.ordered("guests", \.guests)
      kind3.optional("place", \.place)
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
      var guests: Int = 7
      override init() {
        super.init()
      }
    }
    @Model final class Party: Event {
      var place: String?
      override init() {
        super.init()
      }
    }
    static var kinds: [any AnyKind] {
      let kind1 = Kind("Event", \Event.serial) { Event() }
      kind1.ordered("title", \.title)
      let kind2 = Kind("Work", of: "Event", \Work.serial) { Work() }
      kind2.ordered("title", \.title)
      kind2.ordered("guests", \.guests)
      let kind3 = Kind("Party", of: "Event", \Party.serial) { Party() }
      kind3.ordered("title", \.title)
      kind3.optional("place", \.place)
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
      var place: String = "default"
      override init() {
        super.init()
      }
    }
    @Model final class Party: Event {
      var guests: Int = 7
      override init() {
        super.init()
      }
    }
    static var kinds: [any AnyKind] {
      let kind1 = Kind("Event", \Event.serial) { Event() }
      kind1.ordered("title", \.title)
      let kind2 = Kind("Work", of: "Event", \Work.serial) { Work() }
      kind2.ordered("title", \.title)
      kind2.ordered("place", \.place)
      let kind3 = Kind("Party", of: "Event", \Party.serial) { Party() }
      kind3.ordered("title", \.title)
      kind3.ordered("guests", \.guests)
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
        "guests": .integer(7),
      ]
    case "Party":
      return [
        "serial": object["serial"],
        "title": object["title"],
        "guests": object["guests"],
        "place": object["place"],
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
        "guests": .integer(7),
      ]
    case "Party":
      return [
        "serial": object["serial"],
        "title": object["title"],
        "place": object["place"],
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
        "place": .text("default"),
      ]
    case "Party":
      return [
        "serial": object["serial"],
        "title": object["title"],
        "guests": object["guests"],
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
      ]
    case "Party":
      return [
        "serial": object["serial"],
        "title": object["title"],
        "guests": object["guests"],
        "place": object["place"],
      ]
    default: throw Pair.unknown(object)
    }
  }

  static func changeV3toV1(_ object: Object, _ world: World, _ isPlanned: Bool) throws -> [String: Value]? {
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
      ]
    case "Party":
      return [
        "serial": object["serial"],
        "title": object["title"],
        "guests": .integer(7),
        "place": object["place"],
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
      ]
    case "Party":
      return [
        "serial": object["serial"],
        "title": object["title"],
        "guests": object["guests"],
        "place": .null,
      ]
    default: throw Pair.unknown(object)
    }
  }

  static var pairs: [Pair] {
    [
      Pair(
        name: "siblings gain a property 1>2", old: V1.self, new: V2.self, change: changeV1toV2, back: changeV2toV1,
        again: changeV1toV2),
      Pair(
        name: "siblings gain a property 1>3", old: V1.self, new: V3.self, change: changeV1toV3, back: changeV3toV1,
        again: changeV1toV3),
      Pair(
        name: "siblings gain a property 1>4", old: V1.self, new: V4.self, change: changeV1toV4, back: returnV4toV1,
        again: changeV1toV4),
      Pair(
        name: "siblings gain a property 2>1", old: V2.self, new: V1.self, change: changeV2toV1, back: changeV1toV2,
        again: changeV2toV1),
      Pair(
        name: "siblings gain a property 3>1", old: V3.self, new: V1.self, change: changeV3toV1, back: changeV1toV3,
        again: changeV3toV1),
    ]
  }
}
