// scripts/random-models wrote this file. Change cases.txt or the script instead.
import Foundation
import SwiftData

/// random 6
enum Case70 {

  enum V1: RandomVersion {
    static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
    @Model class Base {
      var serial: Int = 7
      var f: Bool?
      var order: Int32 = 7
      init() {}
    }
    @Model class Middle: Base {
      var h: UInt64 = 7
      var x: [Int]?
      override init() {
        super.init()
      }
    }
    @Model final class Leaf: Middle {
      var e: UInt64?
      var x_position: Data?
      override init() {
        super.init()
      }
    }
    @Model final class Side {
      var serial: Int = 7
      var value: Half?
      init() {}
    }
    static var kinds: [any AnyKind] {
      let kind1 = Kind("Base", \Base.serial) { Base() }
      kind1.value("f", \.f)
      kind1.ordered("order", \.order)
      let kind2 = Kind("Middle", of: "Base", \Middle.serial) { Middle() }
      kind2.value("f", \.f)
      kind2.ordered("order", \.order)
      kind2.ordered("h", \.h)
      kind2.value("x", \.x)
      let kind3 = Kind("Leaf", of: "Middle", \Leaf.serial) { Leaf() }
      kind3.value("f", \.f)
      kind3.ordered("order", \.order)
      kind3.ordered("h", \.h)
      kind3.value("x", \.x)
      kind3.optional("e", \.e)
      kind3.value("x_position", \.x_position)
      let kind4 = Kind("Side", \Side.serial) { Side() }
      kind4.value("value", \.value)
      return [kind1, kind2, kind3, kind4]
    }
  }

  enum V2: RandomVersion {
    static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }
    @Model class Base {
      var serial: Int = 7
      var order: Int32 = 7
      @Attribute(originalName: "f") var a: Bool?
      var g: Half = Half.high
      init() {}
    }
    @Model class Middle: Base {
      var h: UInt64 = 7
      @Attribute(originalName: "x") var group_name: [Int]?
      var c: UInt64 = 7
      override init() {
        super.init()
      }
    }
    @Model final class Leaf: Middle {
      var e: UInt64?
      @Attribute(originalName: "x_position") var value: Data?
      override init() {
        super.init()
      }
    }
    @Model final class Side {
      var serial: Int = 7
      var value: Half?
      var b: Int32 = 7
      init() {}
    }
    static var kinds: [any AnyKind] {
      let kind1 = Kind("Base", \Base.serial) { Base() }
      kind1.ordered("order", \.order)
      kind1.value("a", \.a)
      kind1.value("g", \.g)
      let kind2 = Kind("Middle", of: "Base", \Middle.serial) { Middle() }
      kind2.ordered("order", \.order)
      kind2.value("a", \.a)
      kind2.value("g", \.g)
      kind2.ordered("h", \.h)
      kind2.value("group_name", \.group_name)
      kind2.ordered("c", \.c)
      let kind3 = Kind("Leaf", of: "Middle", \Leaf.serial) { Leaf() }
      kind3.ordered("order", \.order)
      kind3.value("a", \.a)
      kind3.value("g", \.g)
      kind3.ordered("h", \.h)
      kind3.value("group_name", \.group_name)
      kind3.ordered("c", \.c)
      kind3.optional("e", \.e)
      kind3.value("value", \.value)
      let kind4 = Kind("Side", \Side.serial) { Side() }
      kind4.value("value", \.value)
      kind4.ordered("b", \.b)
      return [kind1, kind2, kind3, kind4]
    }
  }

  static func changeV1toV2(_ object: Object, _ world: World, _ isPlanned: Bool) throws -> [String: Value]? {
    switch object.kind {
    case "Base":
      return [
        "serial": object["serial"],
        "order": object["order"],
        "a": object["f"],
        "g": .text("high"),
      ]
    case "Middle":
      return [
        "serial": object["serial"],
        "order": object["order"],
        "a": object["f"],
        "g": .text("high"),
        "h": object["h"],
        "group_name": object["x"],
        "c": .integer(7),
      ]
    case "Leaf":
      return [
        "serial": object["serial"],
        "order": object["order"],
        "a": object["f"],
        "g": .text("high"),
        "h": object["h"],
        "group_name": object["x"],
        "c": .integer(7),
        "e": object["e"],
        "value": object["x_position"],
      ]
    case "Side":
      return [
        "serial": object["serial"],
        "value": object["value"],
        "b": .integer(7),
      ]
    default: throw Pair.unknown(object)
    }
  }

  static func changeV2toV1(_ object: Object, _ world: World, _ isPlanned: Bool) throws -> [String: Value]? {
    switch object.kind {
    case "Base":
      return [
        "serial": object["serial"],
        "f": .null,
        "order": object["order"],
      ]
    case "Middle":
      return [
        "serial": object["serial"],
        "f": .null,
        "order": object["order"],
        "h": object["h"],
        "x": .null,
      ]
    case "Leaf":
      return [
        "serial": object["serial"],
        "f": .null,
        "order": object["order"],
        "h": object["h"],
        "x": .null,
        "e": object["e"],
        "x_position": .null,
      ]
    case "Side":
      return [
        "serial": object["serial"],
        "value": object["value"],
      ]
    default: throw Pair.unknown(object)
    }
  }

  static var pairs: [Pair] {
    [
      Pair(name: "random 6 1>2", old: V1.self, new: V2.self, change: changeV1toV2),
      Pair(name: "random 6 2>1", old: V2.self, new: V1.self, change: changeV2toV1),
    ]
  }
}
