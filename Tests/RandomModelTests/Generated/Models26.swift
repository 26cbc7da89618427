// scripts/random-models wrote this file. Change cases.txt or the script instead.
import Foundation
import SwiftData

/// to-one to to-many with inverse
enum Case63 {

  enum V1: RandomVersion {
    static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
    @Model final class Item {
      var serial: Int = 7
      var t: String = "default"
      var box: Box?
      init() {}
    }
    @Model final class Box {
      var serial: Int = 7
      @Relationship(inverse: \Item.box) var items: [Item] = []
      var n: Int = 7
      init() {}
    }
    static var kinds: [any AnyKind] {
      let kind1 = Kind("Item", \Item.serial) { Item() }
      kind1.ordered("t", \.t)
      kind1.one("box", \.box, \.serial)
      let kind2 = Kind("Box", \Box.serial) { Box() }
      kind2.many("items", \.items, \.serial, isOwner: false)
      kind2.ordered("n", \.n)
      return [kind1, kind2]
    }
  }

  enum V2: RandomVersion {
    static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }
    @Model final class Item {
      var serial: Int = 7
      var t: String = "default"
      var box: [Box] = []
      init() {}
    }
    @Model final class Box {
      var serial: Int = 7
      @Relationship(inverse: \Item.box) var items: [Item] = []
      var n: Int = 7
      init() {}
    }
    static var kinds: [any AnyKind] {
      let kind1 = Kind("Item", \Item.serial) { Item() }
      kind1.ordered("t", \.t)
      kind1.many("box", \.box, \.serial)
      let kind2 = Kind("Box", \Box.serial) { Box() }
      kind2.many("items", \.items, \.serial, isOwner: false)
      kind2.ordered("n", \.n)
      return [kind1, kind2]
    }
  }

  static func changeV1toV2(_ object: Object, _ world: World, _ isPlanned: Bool) throws -> [String: Value]? {
    switch object.kind {
    case "Item":
      return [
        "serial": object["serial"],
        "t": object["t"],
        "box": object["box"].asList,
      ]
    case "Box":
      return [
        "serial": object["serial"],
        "items": object["items"],
        "n": object["n"],
      ]
    default: throw Pair.unknown(object)
    }
  }

  static func returnV2toV1(_ object: Object, _ world: World, _ isPlanned: Bool) throws -> [String: Value]? {
    switch object.kind {
    case "Item":
      return [
        "serial": object["serial"],
        "t": object["t"],
        "box": try object["box"].single(),
      ]
    case "Box":
      return [
        "serial": object["serial"],
        "items": object["items"],
        "n": object["n"],
      ]
    default: throw Pair.unknown(object)
    }
  }

  static var pairs: [Pair] {
    [
      Pair(
        name: "to-one to to-many with inverse 1>2", old: V1.self, new: V2.self, change: changeV1toV2,
        refusedOnPostgres: "Documentation/postgres.md names this difference", back: returnV2toV1, again: changeV1toV2)
    ]
  }
}

/// inverse is added and removed
enum Case64 {

  enum V1: RandomVersion {
    static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
    @Model final class Box {
      var serial: Int = 7
      var items: [Item] = []
      init() {}
    }
    @Model final class Item {
      var serial: Int = 7
      var t: String = "default"
      init() {}
    }
    static var kinds: [any AnyKind] {
      let kind1 = Kind("Box", \Box.serial) { Box() }
      kind1.many("items", \.items, \.serial)
      let kind2 = Kind("Item", \Item.serial) { Item() }
      kind2.ordered("t", \.t)
      return [kind1, kind2]
    }
  }

  enum V2: RandomVersion {
    static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }
    @Model final class Box {
      var serial: Int = 7
      @Relationship(inverse: \Item.box) var items: [Item] = []
      init() {}
    }
    @Model final class Item {
      var serial: Int = 7
      var t: String = "default"
      var box: Box?
      init() {}
    }
    static var kinds: [any AnyKind] {
      let kind1 = Kind("Box", \Box.serial) { Box() }
      kind1.many("items", \.items, \.serial)
      let kind2 = Kind("Item", \Item.serial) { Item() }
      kind2.ordered("t", \.t)
      kind2.one("box", \.box, \.serial, isOwner: false)
      return [kind1, kind2]
    }
  }

  static func changeV1toV2(_ object: Object, _ world: World, _ isPlanned: Bool) throws -> [String: Value]? {
    switch object.kind {
    case "Box":
      return [
        "serial": object["serial"],
        "items": object["items"],
      ]
    case "Item":
      return [
        "serial": object["serial"],
        "t": object["t"],
        "box": try object.owner("Box", "items", in: world),
      ]
    default: throw Pair.unknown(object)
    }
  }

  static func changeV2toV1(_ object: Object, _ world: World, _ isPlanned: Bool) throws -> [String: Value]? {
    switch object.kind {
    case "Box":
      return [
        "serial": object["serial"],
        "items": object["items"],
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
        name: "inverse is added and removed 1>2", old: V1.self, new: V2.self, change: changeV1toV2,
        refusedOnPostgres: "Documentation/postgres.md names this difference", back: changeV2toV1, again: changeV1toV2),
      Pair(
        name: "inverse is added and removed 2>1", old: V2.self, new: V1.self, change: changeV2toV1,
        refusedOnPostgres: "Documentation/postgres.md names this difference", back: changeV1toV2, again: changeV2toV1),
    ]
  }
}

/// other target
enum Case65 {

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
      Pair(
        name: "other target 1>2", old: V1.self, new: V2.self, change: changeV1toV2, back: changeV1toV2,
        again: changeV1toV2)
    ]
  }
}
