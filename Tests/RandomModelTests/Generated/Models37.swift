// scripts/random-models wrote this file. Change cases.txt or the script instead.
import Foundation
import SwiftData

/// random 12
enum Case76 {

  enum V1: RandomVersion {
    static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
    @Model class Base {
      var serial: Int = 7
      var order: URL?
      var f: Int16 = 7
      var g: Look = Look(dark: true, size: 9, font: nil)
      init() {}
    }
    @Model class Middle: Base {
      var x_position: Grade = Grade.high
      override init() {
        super.init()
      }
    }
    @Model final class Leaf: Middle {
      var h: Look = Look(dark: true, size: 9, font: nil)
      var value: UInt = 7
      var b: WideLook = WideLook(dark: true, size: 9, font: nil, zoom: 5)
      override init() {
        super.init()
      }
    }
    @Model final class Side {
      var serial: Int = 7
      var f: [Int] = []
      var h: Int16 = 7
      init() {}
    }
    static var kinds: [any AnyKind] {
      let kind1 = Kind("Base", \Base.serial) { Base() }
      kind1.value("order", \.order)
      kind1.ordered("f", \.f)
      kind1.value("g", \.g)
      kind1.member("g.size", \.g, \.size, \.g.size)
      let kind2 = Kind("Middle", of: "Base", \Middle.serial) { Middle() }
      kind2.value("order", \.order)
      kind2.ordered("f", \.f)
      kind2.value("g", \.g)
      kind2.member("g.size", \.g, \.size, \.g.size)
      kind2.value("x_position", \.x_position)
      let kind3 = Kind("Leaf", of: "Middle", \Leaf.serial) { Leaf() }
      kind3.value("order", \.order)
      kind3.ordered("f", \.f)
      kind3.value("g", \.g)
      kind3.member("g.size", \.g, \.size, \.g.size)
      kind3.value("x_position", \.x_position)
      kind3.value("h", \.h)
      kind3.member("h.size", \.h, \.size, \.h.size)
      kind3.ordered("value", \.value)
      kind3.value("b", \.b)
      kind3.member("b.size", \.b, \.size, \.b.size)
      kind3.member("b.zoom", \.b, \.zoom, \.b.zoom)
      let kind4 = Kind("Side", \Side.serial) { Side() }
      kind4.value("f", \.f)
      kind4.ordered("h", \.h)
      return [kind1, kind2, kind3, kind4]
    }
  }

  enum V2: RandomVersion {
    static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }
    @Model class Base {
      var serial: Int = 7
      var f: Int16 = 7
      var g: Look = Look(dark: true, size: 9, font: nil)
      var e: Bool = true
      init() {}
    }
    @Model class Middle: Base {
      var x_position: Grade = Grade.high
      override init() {
        super.init()
      }
    }
    @Model final class Leaf: Middle {
      var h: Look?
      var value: UInt = 7
      @Attribute(originalName: "b") var a: WideLook = WideLook(dark: true, size: 9, font: nil, zoom: 5)
      var c: UInt = 7
      override init() {
        super.init()
      }
    }
    @Model final class Side {
      var serial: Int = 7
      var f: [Int]?
      var h: Int16 = 7
      init() {}
    }
    static var kinds: [any AnyKind] {
      let kind1 = Kind("Base", \Base.serial) { Base() }
      kind1.ordered("f", \.f)
      kind1.value("g", \.g)
      kind1.member("g.size", \.g, \.size, \.g.size)
      kind1.value("e", \.e)
      let kind2 = Kind("Middle", of: "Base", \Middle.serial) { Middle() }
      kind2.ordered("f", \.f)
      kind2.value("g", \.g)
      kind2.member("g.size", \.g, \.size, \.g.size)
      kind2.value("e", \.e)
      kind2.value("x_position", \.x_position)
      let kind3 = Kind("Leaf", of: "Middle", \Leaf.serial) { Leaf() }
      kind3.ordered("f", \.f)
      kind3.value("g", \.g)
      kind3.member("g.size", \.g, \.size, \.g.size)
      kind3.value("e", \.e)
      kind3.value("x_position", \.x_position)
      kind3.value("h", \.h)
      kind3.ordered("value", \.value)
      kind3.value("a", \.a)
      kind3.member("a.size", \.a, \.size, \.a.size)
      kind3.member("a.zoom", \.a, \.zoom, \.a.zoom)
      kind3.ordered("c", \.c)
      let kind4 = Kind("Side", \Side.serial) { Side() }
      kind4.value("f", \.f)
      kind4.ordered("h", \.h)
      return [kind1, kind2, kind3, kind4]
    }
  }

  static func changeV1toV2(_ object: Object, _ world: World, _ isPlanned: Bool) throws -> [String: Value]? {
    switch object.kind {
    case "Base":
      return [
        "serial": object["serial"],
        "f": object["f"],
        "g": object["g"],
        "e": .bool(true),
      ]
    case "Middle":
      return [
        "serial": object["serial"],
        "f": object["f"],
        "g": object["g"],
        "e": .bool(true),
        "x_position": object["x_position"],
      ]
    case "Leaf":
      return [
        "serial": object["serial"],
        "f": object["f"],
        "g": object["g"],
        "e": .bool(true),
        "x_position": object["x_position"],
        "h": object["h"],
        "value": object["value"],
        "a": object["b"],
        "c": .integer(7),
      ]
    case "Side":
      return [
        "serial": object["serial"],
        "f": object["f"],
        "h": object["h"],
      ]
    default: throw Pair.unknown(object)
    }
  }

  static func changeV2toV1(_ object: Object, _ world: World, _ isPlanned: Bool) throws -> [String: Value]? {
    switch object.kind {
    case "Base":
      return [
        "serial": object["serial"],
        "order": .null,
        "f": object["f"],
        "g": object["g"],
      ]
    case "Middle":
      return [
        "serial": object["serial"],
        "order": .null,
        "f": object["f"],
        "g": object["g"],
        "x_position": object["x_position"],
      ]
    case "Leaf":
      return [
        "serial": object["serial"],
        "order": .null,
        "f": object["f"],
        "g": object["g"],
        "x_position": object["x_position"],
        "h": object["h"].or(.record(["dark": .bool(true), "size": .integer(9), "font": .null])),
        "value": object["value"],
        "b": .record(["dark": .bool(true), "size": .integer(9), "font": .null, "zoom": .integer(5)]),
      ]
    case "Side":
      return [
        "serial": object["serial"],
        "f": object["f"].or(.list([])),
        "h": object["h"],
      ]
    default: throw Pair.unknown(object)
    }
  }

  static var pairs: [Pair] {
    [
      Pair(name: "random 12 1>2", old: V1.self, new: V2.self, change: changeV1toV2),
      Pair(name: "random 12 2>1", old: V2.self, new: V1.self, change: changeV2toV1),
    ]
  }
}
