// scripts/random-models wrote this file. Change cases.txt or the script instead.
import Foundation
import SwiftData

/// relationships to itself
enum Case66 {

  enum V1: RandomVersion {
    static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
    @Model final class Person {
      var serial: Int = 7
      var name: String = "default"
      @Relationship(inverse: \Person.parent) var children: [Person] = []
      var parent: Person?
      var friends: [Person] = []
      var best: Person?
      init() {}
    }
    static var kinds: [any AnyKind] {
      let kind1 = Kind("Person", \Person.serial) { Person() }
      kind1.ordered("name", \.name)
      kind1.many("children", \.children, \.serial)
      kind1.one("parent", \.parent, \.serial, isOwner: false)
      kind1.many("friends", \.friends, \.serial)
      kind1.one("best", \.best, \.serial)
      return [kind1]
    }
  }

  enum V2: RandomVersion {
    static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }
    @Model final class Person {
      var serial: Int = 7
      var name: String = "default"
      @Relationship(originalName: "children", inverse: \Person.mother) var kids: [Person] = []
      @Relationship(originalName: "parent") var mother: Person?
      var friends: [Person] = []
      var best: Person?
      init() {}
    }
    static var kinds: [any AnyKind] {
      let kind1 = Kind("Person", \Person.serial) { Person() }
      kind1.ordered("name", \.name)
      kind1.many("kids", \.kids, \.serial)
      kind1.one("mother", \.mother, \.serial, isOwner: false)
      kind1.many("friends", \.friends, \.serial)
      kind1.one("best", \.best, \.serial)
      return [kind1]
    }
  }

  static func changeV1toV2(_ object: Object, _ world: World, _ isPlanned: Bool) throws -> [String: Value]? {
    switch object.kind {
    case "Person":
      return [
        "serial": object["serial"],
        "name": object["name"],
        "kids": object["children"],
        "mother": object["parent"],
        "friends": object["friends"],
        "best": object["best"],
      ]
    default: throw Pair.unknown(object)
    }
  }

  static func changeV2toV1(_ object: Object, _ world: World, _ isPlanned: Bool) throws -> [String: Value]? {
    switch object.kind {
    case "Person":
      return [
        "serial": object["serial"],
        "name": object["name"],
        "children": .objects([]),
        "parent": .null,
        "friends": object["friends"],
        "best": object["best"],
      ]
    default: throw Pair.unknown(object)
    }
  }

  static var pairs: [Pair] {
    [
      Pair(
        name: "relationships to itself 1>2", old: V1.self, new: V2.self, change: changeV1toV2, back: changeV2toV1,
        again: changeV1toV2),
      Pair(
        name: "relationships to itself 2>1", old: V2.self, new: V1.self, change: changeV2toV1, back: changeV1toV2,
        again: changeV2toV1, taken: ["Person.children", "Person.parent"]),
    ]
  }
}

/// delete rules
enum Case67 {

  enum V1: RandomVersion {
    static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
    @Model final class Owner {
      var serial: Int = 7
      @Relationship(deleteRule: .cascade, inverse: \Part.owner) var parts: [Part] = []
      @Relationship(deleteRule: .nullify) var notes: [Note] = []
      init() {}
    }
    @Model final class Part {
      var serial: Int = 7
      var t: String = "default"
      var owner: Owner?
      @Relationship(deleteRule: .cascade) var note: Note?
      init() {}
    }
    @Model final class Note {
      var serial: Int = 7
      var t: String = "default"
      init() {}
    }
    static var kinds: [any AnyKind] {
      let kind1 = Kind("Owner", \Owner.serial) { Owner() }
      kind1.many("parts", \.parts, \.serial)
      kind1.many("notes", \.notes, \.serial)
      let kind2 = Kind("Part", \Part.serial) { Part() }
      kind2.ordered("t", \.t)
      kind2.one("owner", \.owner, \.serial, isOwner: false)
      kind2.one("note", \.note, \.serial)
      let kind3 = Kind("Note", \Note.serial) { Note() }
      kind3.ordered("t", \.t)
      return [kind1, kind2, kind3]
    }
  }

  enum V2: RandomVersion {
    static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }
    @Model final class Owner {
      var serial: Int = 7
      @Relationship(deleteRule: .nullify, inverse: \Part.owner) var parts: [Part] = []
      @Relationship(deleteRule: .cascade) var notes: [Note] = []
      var n: Int = 7
      init() {}
    }
    @Model final class Part {
      var serial: Int = 7
      var t: String = "default"
      var owner: Owner?
      var note: Note?
      init() {}
    }
    @Model final class Note {
      var serial: Int = 7
      var t: String = "default"
      init() {}
    }
    static var kinds: [any AnyKind] {
      let kind1 = Kind("Owner", \Owner.serial) { Owner() }
      kind1.many("parts", \.parts, \.serial)
      kind1.many("notes", \.notes, \.serial)
      kind1.ordered("n", \.n)
      let kind2 = Kind("Part", \Part.serial) { Part() }
      kind2.ordered("t", \.t)
      kind2.one("owner", \.owner, \.serial, isOwner: false)
      kind2.one("note", \.note, \.serial)
      let kind3 = Kind("Note", \Note.serial) { Note() }
      kind3.ordered("t", \.t)
      return [kind1, kind2, kind3]
    }
  }

  static func changeV1toV2(_ object: Object, _ world: World, _ isPlanned: Bool) throws -> [String: Value]? {
    switch object.kind {
    case "Owner":
      return [
        "serial": object["serial"],
        "parts": object["parts"],
        "notes": object["notes"],
        "n": .integer(7),
      ]
    case "Part":
      return [
        "serial": object["serial"],
        "t": object["t"],
        "owner": object["owner"],
        "note": object["note"],
      ]
    case "Note":
      return [
        "serial": object["serial"],
        "t": object["t"],
      ]
    default: throw Pair.unknown(object)
    }
  }

  static func changeV2toV1(_ object: Object, _ world: World, _ isPlanned: Bool) throws -> [String: Value]? {
    switch object.kind {
    case "Owner":
      return [
        "serial": object["serial"],
        "parts": object["parts"],
        "notes": object["notes"],
      ]
    case "Part":
      return [
        "serial": object["serial"],
        "t": object["t"],
        "owner": object["owner"],
        "note": object["note"],
      ]
    case "Note":
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
        name: "delete rules 1>2", old: V1.self, new: V2.self, change: changeV1toV2, back: changeV2toV1,
        again: changeV1toV2),
      Pair(
        name: "delete rules 2>1", old: V2.self, new: V1.self, change: changeV2toV1, back: changeV1toV2,
        again: changeV2toV1),
    ]
  }
}

/// added and removed relationships
enum Case68 {

  enum V1: RandomVersion {
    static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
    @Model final class A {
      var serial: Int = 7
      var t: String = "default"
      init() {}
    }
    @Model final class B {
      var serial: Int = 7
      var t: String = "default"
      init() {}
    }
    static var kinds: [any AnyKind] {
      let kind1 = Kind("A", \A.serial) { A() }
      kind1.ordered("t", \.t)
      let kind2 = Kind("B", \B.serial) { B() }
      kind2.ordered("t", \.t)
      return [kind1, kind2]
    }
  }

  enum V2: RandomVersion {
    static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }
    @Model final class A {
      var serial: Int = 7
      var t: String = "default"
      var one: B?
      var many: [B] = []
      @Relationship(inverse: \B.mutual) var mutual: [B] = []
      init() {}
    }
    @Model final class B {
      var serial: Int = 7
      var t: String = "default"
      var mutual: [A] = []
      init() {}
    }
    static var kinds: [any AnyKind] {
      let kind1 = Kind("A", \A.serial) { A() }
      kind1.ordered("t", \.t)
      kind1.one("one", \.one, \.serial)
      kind1.many("many", \.many, \.serial)
      kind1.many("mutual", \.mutual, \.serial)
      let kind2 = Kind("B", \B.serial) { B() }
      kind2.ordered("t", \.t)
      kind2.many("mutual", \.mutual, \.serial, isOwner: false)
      return [kind1, kind2]
    }
  }

  static func changeV1toV2(_ object: Object, _ world: World, _ isPlanned: Bool) throws -> [String: Value]? {
    switch object.kind {
    case "A":
      return [
        "serial": object["serial"],
        "t": object["t"],
        "one": .null,
        "many": .objects([]),
        "mutual": .objects([]),
      ]
    case "B":
      return [
        "serial": object["serial"],
        "t": object["t"],
        "mutual": .objects([]),
      ]
    default: throw Pair.unknown(object)
    }
  }

  static func changeV2toV1(_ object: Object, _ world: World, _ isPlanned: Bool) throws -> [String: Value]? {
    switch object.kind {
    case "A":
      return [
        "serial": object["serial"],
        "t": object["t"],
      ]
    case "B":
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
        name: "added and removed relationships 1>2", old: V1.self, new: V2.self, change: changeV1toV2,
        back: changeV2toV1, again: changeV1toV2),
      Pair(
        name: "added and removed relationships 2>1", old: V2.self, new: V1.self, change: changeV2toV1,
        back: changeV1toV2, again: changeV2toV1),
    ]
  }
}
