// scripts/random-models wrote this file. Change cases.txt or the script instead.
import Foundation
import SwiftData

/// other target
enum Case61 {

  enum V1: RandomVersion {
    static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
    @Model final class A {
      var serial: Int = 7
      var x: B?
      var n: Int = 7
      init() {}
    }
    @Model final class B {
      var serial: Int = 7
      var b: Int = 7
      init() {}
    }
    @Model final class C {
      var serial: Int = 7
      var c: Int = 7
      init() {}
    }
    static var kinds: [any AnyKind] {
      let kind1 = Kind("A", \A.serial) { A() }
      kind1.one("x", \.x, \.serial)
      kind1.ordered("n", \.n)
      let kind2 = Kind("B", \B.serial) { B() }
      kind2.ordered("b", \.b)
      let kind3 = Kind("C", \C.serial) { C() }
      kind3.ordered("c", \.c)
      return [kind1, kind2, kind3]
    }
  }

  enum V2: RandomVersion {
    static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }
    @Model final class A {
      var serial: Int = 7
      var x: C?
      var n: Int = 7
      init() {}
    }
    @Model final class B {
      var serial: Int = 7
      var b: Int = 7
      init() {}
    }
    @Model final class C {
      var serial: Int = 7
      var c: Int = 7
      init() {}
    }
    static var kinds: [any AnyKind] {
      let kind1 = Kind("A", \A.serial) { A() }
      kind1.one("x", \.x, \.serial)
      kind1.ordered("n", \.n)
      let kind2 = Kind("B", \B.serial) { B() }
      kind2.ordered("b", \.b)
      let kind3 = Kind("C", \C.serial) { C() }
      kind3.ordered("c", \.c)
      return [kind1, kind2, kind3]
    }
  }

  static func changeV1toV2(_ object: Object, _ world: World, _ isPlanned: Bool) throws -> [String: Value]? {
    switch object.kind {
    case "A":
      throw Refused("x cannot have the values of x")
    case "B":
      return [
        "serial": object["serial"],
        "b": object["b"],
      ]
    case "C":
      return [
        "serial": object["serial"],
        "c": object["c"],
      ]
    default: throw Pair.unknown(object)
    }
  }

  static var pairs: [Pair] {
    [
      Pair(name: "other target 1>2", old: V1.self, new: V2.self, change: changeV1toV2)
    ]
  }
}

/// relationships to itself
enum Case62 {

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
      Pair(name: "relationships to itself 1>2", old: V1.self, new: V2.self, change: changeV1toV2),
      Pair(name: "relationships to itself 2>1", old: V2.self, new: V1.self, change: changeV2toV1),
    ]
  }
}

/// delete rules
enum Case63 {

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
      Pair(name: "delete rules 1>2", old: V1.self, new: V2.self, change: changeV1toV2),
      Pair(name: "delete rules 2>1", old: V2.self, new: V1.self, change: changeV2toV1),
    ]
  }
}
