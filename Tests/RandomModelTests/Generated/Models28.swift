// scripts/random-models wrote this file. Change cases.txt or the script instead.
import Foundation
import SwiftData

/// random 1
enum Case69 {

  enum V1: RandomVersion {
    static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
    @Model class Base {
      var serial: Int = 7
      var b: Int8 = 7
      var e: [Look] = []
      var c: WideLook = WideLook(dark: true, size: 9, font: nil, zoom: 5)
      init() {}
    }
    @Model class Middle: Base {
      var f: Int64 = 7
      var h: Int?
      override init() {
        super.init()
      }
    }
    @Model final class Leaf: Middle {
      var a: String?
      var order: Half = Half.high
      override init() {
        super.init()
      }
    }
    @Model final class Side: Base {
      var x_position: Int = 7
      override init() {
        super.init()
      }
    }
    static var kinds: [any AnyKind] {
      let kind1 = Kind("Base", \Base.serial) { Base() }
      kind1.ordered("b", \.b)
      kind1.value("e", \.e)
      kind1.value("c", \.c)
      kind1.member("c.size", \.c, \.size, \.c.size)
      kind1.member("c.zoom", \.c, \.zoom, \.c.zoom)
      let kind2 = Kind("Middle", of: "Base", \Middle.serial) { Middle() }
      kind2.ordered("b", \.b)
      kind2.value("e", \.e)
      kind2.value("c", \.c)
      kind2.member("c.size", \.c, \.size, \.c.size)
      kind2.member("c.zoom", \.c, \.zoom, \.c.zoom)
      kind2.ordered("f", \.f)
      kind2.optional("h", \.h)
      let kind3 = Kind("Leaf", of: "Middle", \Leaf.serial) { Leaf() }
      kind3.ordered("b", \.b)
      kind3.value("e", \.e)
      kind3.value("c", \.c)
      kind3.member("c.size", \.c, \.size, \.c.size)
      kind3.member("c.zoom", \.c, \.zoom, \.c.zoom)
      kind3.ordered("f", \.f)
      kind3.optional("h", \.h)
      kind3.optional("a", \.a)
      kind3.value("order", \.order)
      let kind4 = Kind("Side", of: "Base", \Side.serial) { Side() }
      kind4.ordered("b", \.b)
      kind4.value("e", \.e)
      kind4.value("c", \.c)
      kind4.member("c.size", \.c, \.size, \.c.size)
      kind4.member("c.zoom", \.c, \.zoom, \.c.zoom)
      kind4.ordered("x_position", \.x_position)
      return [kind1, kind2, kind3, kind4]
    }
  }

  enum V2: RandomVersion {
    static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }
    @Model class Base {
      var serial: Int = 7
      var e: [Look] = []
      var c: WideLook = WideLook(dark: true, size: 9, font: nil, zoom: 5)
      init() {}
    }
    @Model class Middle: Base {
      var h: Int?
      override init() {
        super.init()
      }
    }
    @Model final class Leaf: Middle {
      var order: Half = Half.high
      @Attribute(originalName: "a") var x_position: String?
      var group_name: [String: Int] = [:]
      override init() {
        super.init()
      }
    }
    @Model final class Side: Base {
      var x_position: Int = 7
      override init() {
        super.init()
      }
    }
    static var kinds: [any AnyKind] {
      let kind1 = Kind("Base", \Base.serial) { Base() }
      kind1.value("e", \.e)
      kind1.value("c", \.c)
      kind1.member("c.size", \.c, \.size, \.c.size)
      kind1.member("c.zoom", \.c, \.zoom, \.c.zoom)
      let kind2 = Kind("Middle", of: "Base", \Middle.serial) { Middle() }
      kind2.value("e", \.e)
      kind2.value("c", \.c)
      kind2.member("c.size", \.c, \.size, \.c.size)
      kind2.member("c.zoom", \.c, \.zoom, \.c.zoom)
      kind2.optional("h", \.h)
      let kind3 = Kind("Leaf", of: "Middle", \Leaf.serial) { Leaf() }
      kind3.value("e", \.e)
      kind3.value("c", \.c)
      kind3.member("c.size", \.c, \.size, \.c.size)
      kind3.member("c.zoom", \.c, \.zoom, \.c.zoom)
      kind3.optional("h", \.h)
      kind3.value("order", \.order)
      kind3.optional("x_position", \.x_position)
      kind3.value("group_name", \.group_name)
      let kind4 = Kind("Side", of: "Base", \Side.serial) { Side() }
      kind4.value("e", \.e)
      kind4.value("c", \.c)
      kind4.member("c.size", \.c, \.size, \.c.size)
      kind4.member("c.zoom", \.c, \.zoom, \.c.zoom)
      kind4.ordered("x_position", \.x_position)
      return [kind1, kind2, kind3, kind4]
    }
  }

  static func changeV1toV2(_ object: Object, _ world: World, _ isPlanned: Bool) throws -> [String: Value]? {
    switch object.kind {
    case "Base":
      return [
        "serial": object["serial"],
        "e": object["e"],
        "c": object["c"],
      ]
    case "Middle":
      return [
        "serial": object["serial"],
        "e": object["e"],
        "c": object["c"],
        "h": object["h"],
      ]
    case "Leaf":
      return [
        "serial": object["serial"],
        "e": object["e"],
        "c": object["c"],
        "h": object["h"],
        "order": object["order"],
        "x_position": object["a"],
        "group_name": .record([:]),
      ]
    case "Side":
      return [
        "serial": object["serial"],
        "e": object["e"],
        "c": object["c"],
        "x_position": object["x_position"],
      ]
    default: throw Pair.unknown(object)
    }
  }

  static func changeV2toV1(_ object: Object, _ world: World, _ isPlanned: Bool) throws -> [String: Value]? {
    switch object.kind {
    case "Base":
      return [
        "serial": object["serial"],
        "b": .integer(7),
        "e": object["e"],
        "c": object["c"],
      ]
    case "Middle":
      return [
        "serial": object["serial"],
        "b": .integer(7),
        "e": object["e"],
        "c": object["c"],
        "f": .integer(7),
        "h": object["h"],
      ]
    case "Leaf":
      return [
        "serial": object["serial"],
        "b": .integer(7),
        "e": object["e"],
        "c": object["c"],
        "f": .integer(7),
        "h": object["h"],
        "a": .null,
        "order": object["order"],
      ]
    case "Side":
      return [
        "serial": object["serial"],
        "b": .integer(7),
        "e": object["e"],
        "c": object["c"],
        "x_position": object["x_position"],
      ]
    default: throw Pair.unknown(object)
    }
  }

  static var pairs: [Pair] {
    [
      Pair(
        name: "random 1 1>2", old: V1.self, new: V2.self, change: changeV1toV2, back: changeV2toV1, again: changeV1toV2),
      Pair(
        name: "random 1 2>1", old: V2.self, new: V1.self, change: changeV2toV1, back: changeV1toV2, again: changeV2toV1,
        taken: ["Leaf.a"]),
    ]
  }
}
