// scripts/random-models wrote this file. Change cases.txt or the script instead.
import Foundation
import SwiftData

/// uniqueness over inherited properties
enum Case41 {

  enum V1: RandomVersion {
    static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
    @Model class Event {
      var serial: Int = 7
      var title: String = "default"
      init() {}
    }
    @Model final class Holiday: Event {
      #Unique<Holiday>([\.title])
      var days: Int = 7
      override init() {
        super.init()
      }
    }
    @Model final class Meeting: Event {
      var room: String = "default"
      override init() {
        super.init()
      }
    }
    static var kinds: [any AnyKind] {
      let kind1 = Kind("Event", \Event.serial) { Event() }
      kind1.ordered("title", \.title)
      let kind2 = Kind("Holiday", of: "Event", \Holiday.serial, unique: [["title"]]) { Holiday() }
      kind2.ordered("title", \.title)
      kind2.ordered("days", \.days)
      let kind3 = Kind("Meeting", of: "Event", \Meeting.serial) { Meeting() }
      kind3.ordered("title", \.title)
      kind3.ordered("room", \.room)
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
    @Model final class Holiday: Event {
      var days: Int = 7
      override init() {
        super.init()
      }
    }
    @Model final class Meeting: Event {
      #Unique<Meeting>([\.title, \.room])
      var room: String = "default"
      override init() {
        super.init()
      }
    }
    static var kinds: [any AnyKind] {
      let kind1 = Kind("Event", \Event.serial) { Event() }
      kind1.ordered("title", \.title)
      let kind2 = Kind("Holiday", of: "Event", \Holiday.serial) { Holiday() }
      kind2.ordered("title", \.title)
      kind2.ordered("days", \.days)
      let kind3 = Kind("Meeting", of: "Event", \Meeting.serial, unique: [["title", "room"]]) { Meeting() }
      kind3.ordered("title", \.title)
      kind3.ordered("room", \.room)
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
    case "Holiday":
      return [
        "serial": object["serial"],
        "title": object["title"],
        "days": object["days"],
      ]
    case "Meeting":
      return [
        "serial": object["serial"],
        "title": object["title"],
        "room": object["room"],
      ]
    default: throw Pair.unknown(object)
    }
  }

  static var pairs: [Pair] {
    [
      Pair(
        name: "uniqueness over inherited properties 1>2", old: V1.self, new: V2.self, change: changeV1toV2,
        back: changeV1toV2, again: changeV1toV2),
      Pair(
        name: "uniqueness over inherited properties 2>1", old: V2.self, new: V1.self, change: changeV1toV2,
        back: changeV1toV2, again: changeV1toV2),
    ]
  }
}

/// moves up and down
enum Case42 {

  enum V1: RandomVersion {
    static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
    @Model class Event {
      var serial: Int = 7
      var title: String = "default"
      init() {}
    }
    @Model final class Work: Event {
      var note: String = "default"
      var n: Int = 7
      override init() {
        super.init()
      }
    }
    @Model final class Party: Event {
      var note: String = "default"
      var m: Int = 7
      override init() {
        super.init()
      }
    }
    static var kinds: [any AnyKind] {
      let kind1 = Kind("Event", \Event.serial) { Event() }
      kind1.ordered("title", \.title)
      let kind2 = Kind("Work", of: "Event", \Work.serial) { Work() }
      kind2.ordered("title", \.title)
      kind2.ordered("note", \.note)
      kind2.ordered("n", \.n)
      let kind3 = Kind("Party", of: "Event", \Party.serial) { Party() }
      kind3.ordered("title", \.title)
      kind3.ordered("note", \.note)
      kind3.ordered("m", \.m)
      return [kind1, kind2, kind3]
    }
  }

  enum V2: RandomVersion {
    static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }
    @Model class Event {
      var serial: Int = 7
      var title: String = "default"
      var note: String = "default"
      init() {}
    }
    @Model final class Work: Event {
      var n: Int = 7
      override init() {
        super.init()
      }
    }
    @Model final class Party: Event {
      var m: Int = 7
      override init() {
        super.init()
      }
    }
    static var kinds: [any AnyKind] {
      let kind1 = Kind("Event", \Event.serial) { Event() }
      kind1.ordered("title", \.title)
      kind1.ordered("note", \.note)
      let kind2 = Kind("Work", of: "Event", \Work.serial) { Work() }
      kind2.ordered("title", \.title)
      kind2.ordered("note", \.note)
      kind2.ordered("n", \.n)
      let kind3 = Kind("Party", of: "Event", \Party.serial) { Party() }
      kind3.ordered("title", \.title)
      kind3.ordered("note", \.note)
      kind3.ordered("m", \.m)
      return [kind1, kind2, kind3]
    }
  }

  static func changeV1toV2(_ object: Object, _ world: World, _ isPlanned: Bool) throws -> [String: Value]? {
    switch object.kind {
    case "Event":
      return [
        "serial": object["serial"],
        "title": object["title"],
        "note": .text("default"),
      ]
    case "Work":
      return [
        "serial": object["serial"],
        "title": object["title"],
        "note": object["note"],
        "n": object["n"],
      ]
    case "Party":
      return [
        "serial": object["serial"],
        "title": object["title"],
        "note": object["note"],
        "m": object["m"],
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
        "note": object["note"],
        "n": object["n"],
      ]
    case "Party":
      return [
        "serial": object["serial"],
        "title": object["title"],
        "note": object["note"],
        "m": object["m"],
      ]
    default: throw Pair.unknown(object)
    }
  }

  static var pairs: [Pair] {
    [
      Pair(
        name: "moves up and down 1>2", old: V1.self, new: V2.self, change: changeV1toV2, back: changeV2toV1,
        again: changeV1toV2, taken: ["Event.note", "Party.note", "Work.note"]),
      Pair(
        name: "moves up and down 2>1", old: V2.self, new: V1.self, change: changeV2toV1, back: changeV1toV2,
        again: changeV2toV1, taken: ["Event.note", "Party.note", "Work.note"]),
    ]
  }
}
