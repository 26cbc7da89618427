// scripts/random-models wrote this file. Change cases.txt or the script instead.
import Foundation
import SwiftData

/// random 10
enum Case74 {

  enum V1: RandomVersion {
    static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
    @Model class Base {
      var serial: Int = 7
      var x_position: Int = 7
      init() {}
    }
    @Model class Middle: Base {
      var b: Set<String> = []
      var g: Half = Half.high
      override init() {
        super.init()
      }
    }
    @Model final class Leaf: Middle {
      var order: Double = 1.5
      var group_name: UInt8 = 7
      var e: UInt64?
      override init() {
        super.init()
      }
    }
    @Model final class Side: Base {
      var order: Data = Data([1, 2])
      var a: UInt8?
      var h: Half?
      override init() {
        super.init()
      }
    }
    static var kinds: [any AnyKind] {
      let kind1 = Kind("Base", \Base.serial) { Base() }
      kind1.ordered("x_position", \.x_position)
      let kind2 = Kind("Middle", of: "Base", \Middle.serial) { Middle() }
      kind2.ordered("x_position", \.x_position)
      kind2.value("b", \.b)
      kind2.value("g", \.g)
      let kind3 = Kind("Leaf", of: "Middle", \Leaf.serial) { Leaf() }
      kind3.ordered("x_position", \.x_position)
      kind3.value("b", \.b)
      kind3.value("g", \.g)
      kind3.ordered("order", \.order)
      kind3.ordered("group_name", \.group_name)
      kind3.optional("e", \.e)
      let kind4 = Kind("Side", of: "Base", \Side.serial) { Side() }
      kind4.ordered("x_position", \.x_position)
      kind4.value("order", \.order)
      kind4.optional("a", \.a)
      kind4.value("h", \.h)
      return [kind1, kind2, kind3, kind4]
    }
  }

  enum V2: RandomVersion {
    static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }
    @Model class Base {
      var serial: Int = 7
      var x_position: Int = 7
      init() {}
    }
    @Model class Middle: Base {
      var b: Set<String> = []
      var g: Half = Half.high
      var a: Bool = true
      override init() {
        super.init()
      }
    }
    @Model final class Leaf: Middle {
      var order: Double = 1.5
      var group_name: UInt8 = 7
      var e: UInt64?
      var f: Int8 = 7
      override init() {
        super.init()
      }
    }
    @Model final class Side: Base {
      var a: UInt8?
      @Attribute(originalName: "h") var g: Half?
      override init() {
        super.init()
      }
    }
    static var kinds: [any AnyKind] {
      let kind1 = Kind("Base", \Base.serial) { Base() }
      kind1.ordered("x_position", \.x_position)
      let kind2 = Kind("Middle", of: "Base", \Middle.serial) { Middle() }
      kind2.ordered("x_position", \.x_position)
      kind2.value("b", \.b)
      kind2.value("g", \.g)
      kind2.value("a", \.a)
      let kind3 = Kind("Leaf", of: "Middle", \Leaf.serial) { Leaf() }
      kind3.ordered("x_position", \.x_position)
      kind3.value("b", \.b)
      kind3.value("g", \.g)
      kind3.value("a", \.a)
      kind3.ordered("order", \.order)
      kind3.ordered("group_name", \.group_name)
      kind3.optional("e", \.e)
      kind3.ordered("f", \.f)
      let kind4 = Kind("Side", of: "Base", \Side.serial) { Side() }
      kind4.ordered("x_position", \.x_position)
      kind4.optional("a", \.a)
      kind4.value("g", \.g)
      return [kind1, kind2, kind3, kind4]
    }
  }

  static func changeV1toV2(_ object: Object, _ world: World, _ isPlanned: Bool) throws -> [String: Value]? {
    switch object.kind {
    case "Base":
      return [
        "serial": object["serial"],
        "x_position": object["x_position"],
      ]
    case "Middle":
      return [
        "serial": object["serial"],
        "x_position": object["x_position"],
        "b": object["b"],
        "g": object["g"],
        "a": .bool(true),
      ]
    case "Leaf":
      return [
        "serial": object["serial"],
        "x_position": object["x_position"],
        "b": object["b"],
        "g": object["g"],
        "a": .bool(true),
        "order": object["order"],
        "group_name": object["group_name"],
        "e": object["e"],
        "f": .integer(7),
      ]
    case "Side":
      return [
        "serial": object["serial"],
        "x_position": object["x_position"],
        "a": object["a"],
        "g": object["h"],
      ]
    default: throw Pair.unknown(object)
    }
  }

  static func changeV2toV1(_ object: Object, _ world: World, _ isPlanned: Bool) throws -> [String: Value]? {
    switch object.kind {
    case "Base":
      return [
        "serial": object["serial"],
        "x_position": object["x_position"],
      ]
    case "Middle":
      return [
        "serial": object["serial"],
        "x_position": object["x_position"],
        "b": object["b"],
        "g": object["g"],
      ]
    case "Leaf":
      return [
        "serial": object["serial"],
        "x_position": object["x_position"],
        "b": object["b"],
        "g": object["g"],
        "order": object["order"],
        "group_name": object["group_name"],
        "e": object["e"],
      ]
    case "Side":
      return [
        "serial": object["serial"],
        "x_position": object["x_position"],
        "order": .data(Data([1, 2])),
        "a": object["a"],
        "h": .null,
      ]
    default: throw Pair.unknown(object)
    }
  }

  static var pairs: [Pair] {
    [
      Pair(name: "random 10 1>2", old: V1.self, new: V2.self, change: changeV1toV2),
      Pair(name: "random 10 2>1", old: V2.self, new: V1.self, change: changeV2toV1),
    ]
  }
}
