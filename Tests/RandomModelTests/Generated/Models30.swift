// scripts/random-models wrote this file. Change cases.txt or the script instead.
import Foundation
import SwiftData

/// random 3
enum Case71 {

  enum V1: RandomVersion {
    static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
    @Model class Base {
      var serial: Int = 7
      var order: String = "default"
      init() {}
    }
    @Model class Middle: Base {
      var f: String = "default"
      var value: Figure?
      var h: [String: Int] = [:]
      override init() {
        super.init()
      }
    }
    @Model final class Leaf: Middle {
      var c: Int = 7
      var a: Decimal = Decimal(3)
      var e: Set<String> = []
      override init() {
        super.init()
      }
    }
    @Model final class Side: Base {
      var group_name: Float?
      var e: [Look] = []
      var h: Figure = Figure.circle(radius: 4)
      override init() {
        super.init()
      }
    }
    static var kinds: [any AnyKind] {
      let kind1 = Kind("Base", \Base.serial) { Base() }
      kind1.ordered("order", \.order)
      let kind2 = Kind("Middle", of: "Base", \Middle.serial) { Middle() }
      kind2.ordered("order", \.order)
      kind2.ordered("f", \.f)
      kind2.value("value", \.value)
      kind2.value("h", \.h)
      let kind3 = Kind("Leaf", of: "Middle", \Leaf.serial) { Leaf() }
      kind3.ordered("order", \.order)
      kind3.ordered("f", \.f)
      kind3.value("value", \.value)
      kind3.value("h", \.h)
      kind3.ordered("c", \.c)
      kind3.ordered("a", \.a)
      kind3.value("e", \.e)
      let kind4 = Kind("Side", of: "Base", \Side.serial) { Side() }
      kind4.ordered("order", \.order)
      kind4.optional("group_name", \.group_name)
      kind4.value("e", \.e)
      kind4.value("h", \.h)
      return [kind1, kind2, kind3, kind4]
    }
  }

  enum V2: RandomVersion {
    static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }
    @Model class Base {
      var serial: Int = 7
      var order: String?
      init() {}
    }
    @Model class Middle: Base {
      var f: String?
      var h: [String: Int]?
      @Attribute(originalName: "value") var group_name: Figure?
      var x: String = "default"
      override init() {
        super.init()
      }
    }
    @Model final class Leaf: Middle {
      var c: Int?
      var a: Decimal?
      var e: Set<String> = []
      override init() {
        super.init()
      }
    }
    @Model final class Side: Base {
      var group_name: Float?
      var h: Figure = Figure.circle(radius: 4)
      @Attribute(originalName: "e") var a: [Look] = []
      var x_position: Int64 = 7
      override init() {
        super.init()
      }
    }
    static var kinds: [any AnyKind] {
      let kind1 = Kind("Base", \Base.serial) { Base() }
      kind1.optional("order", \.order)
      let kind2 = Kind("Middle", of: "Base", \Middle.serial) { Middle() }
      kind2.optional("order", \.order)
      kind2.optional("f", \.f)
      kind2.value("h", \.h)
      kind2.value("group_name", \.group_name)
      kind2.ordered("x", \.x)
      let kind3 = Kind("Leaf", of: "Middle", \Leaf.serial) { Leaf() }
      kind3.optional("order", \.order)
      kind3.optional("f", \.f)
      kind3.value("h", \.h)
      kind3.value("group_name", \.group_name)
      kind3.ordered("x", \.x)
      kind3.optional("c", \.c)
      kind3.optional("a", \.a)
      kind3.value("e", \.e)
      let kind4 = Kind("Side", of: "Base", \Side.serial) { Side() }
      kind4.optional("order", \.order)
      kind4.optional("group_name", \.group_name)
      kind4.value("h", \.h)
      kind4.value("a", \.a)
      kind4.ordered("x_position", \.x_position)
      return [kind1, kind2, kind3, kind4]
    }
  }

  static func changeV1toV2(_ object: Object, _ world: World, _ isPlanned: Bool) throws -> [String: Value]? {
    switch object.kind {
    case "Base":
      return [
        "serial": object["serial"],
        "order": object["order"],
      ]
    case "Middle":
      return [
        "serial": object["serial"],
        "order": object["order"],
        "f": object["f"],
        "h": object["h"],
        "group_name": object["value"],
        "x": .text("default"),
      ]
    case "Leaf":
      return [
        "serial": object["serial"],
        "order": object["order"],
        "f": object["f"],
        "h": object["h"],
        "group_name": object["value"],
        "x": .text("default"),
        "c": object["c"],
        "a": object["a"],
        "e": object["e"],
      ]
    case "Side":
      return [
        "serial": object["serial"],
        "order": object["order"],
        "group_name": object["group_name"],
        "h": object["h"],
        "a": object["e"],
        "x_position": .integer(7),
      ]
    default: throw Pair.unknown(object)
    }
  }

  static func changeV2toV1(_ object: Object, _ world: World, _ isPlanned: Bool) throws -> [String: Value]? {
    switch object.kind {
    case "Base":
      return [
        "serial": object["serial"],
        "order": object["order"].or(.text("default")),
      ]
    case "Middle":
      return [
        "serial": object["serial"],
        "order": object["order"].or(.text("default")),
        "f": object["f"].or(.text("default")),
        "value": .null,
        "h": object["h"].or(.record([:])),
      ]
    case "Leaf":
      return [
        "serial": object["serial"],
        "order": object["order"].or(.text("default")),
        "f": object["f"].or(.text("default")),
        "value": .null,
        "h": object["h"].or(.record([:])),
        "c": object["c"].or(.integer(7)),
        "a": object["a"].or(.decimal(3)),
        "e": object["e"],
      ]
    case "Side":
      return [
        "serial": object["serial"],
        "order": object["order"].or(.text("default")),
        "group_name": object["group_name"],
        "e": .list([]),
        "h": object["h"],
      ]
    default: throw Pair.unknown(object)
    }
  }

  static var pairs: [Pair] {
    [
      Pair(
        name: "random 3 1>2", old: V1.self, new: V2.self, change: changeV1toV2, back: changeV2toV1, again: changeV1toV2),
      Pair(
        name: "random 3 2>1", old: V2.self, new: V1.self, change: changeV2toV1, back: changeV1toV2, again: changeV2toV1,
        taken: ["Leaf.value", "Middle.value", "Side.e"]),
    ]
  }
}
