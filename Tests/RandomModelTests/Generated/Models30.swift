// scripts/random-models wrote this file. Change cases.txt or the script instead.
import Foundation
import SwiftData

/// random 5
enum Case69 {

  enum V1: RandomVersion {
    static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
    @Model class Base {
      var serial: Int = 7
      var order: [Int]?
      var f: [String] = []
      init() {}
    }
    @Model class Middle: Base {
      var h: Int64 = 7
      var group_name: Half?
      var x_position: Int16?
      override init() {
        super.init()
      }
    }
    @Model final class Leaf: Middle {
      var c: Decimal = Decimal(3)
      override init() {
        super.init()
      }
    }
    @Model final class Side: Base {
      var x_position: Int8 = 7
      override init() {
        super.init()
      }
    }
    static var kinds: [any AnyKind] {
      let kind1 = Kind("Base", \Base.serial) { Base() }
      kind1.value("order", \.order)
      kind1.value("f", \.f)
      let kind2 = Kind("Middle", of: "Base", \Middle.serial) { Middle() }
      kind2.value("order", \.order)
      kind2.value("f", \.f)
      kind2.ordered("h", \.h)
      kind2.value("group_name", \.group_name)
      kind2.optional("x_position", \.x_position)
      let kind3 = Kind("Leaf", of: "Middle", \Leaf.serial) { Leaf() }
      kind3.value("order", \.order)
      kind3.value("f", \.f)
      kind3.ordered("h", \.h)
      kind3.value("group_name", \.group_name)
      kind3.optional("x_position", \.x_position)
      kind3.ordered("c", \.c)
      let kind4 = Kind("Side", of: "Base", \Side.serial) { Side() }
      kind4.value("order", \.order)
      kind4.value("f", \.f)
      kind4.ordered("x_position", \.x_position)
      return [kind1, kind2, kind3, kind4]
    }
  }

  enum V2: RandomVersion {
    static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }
    @Model class Base {
      var serial: Int = 7
      var order: [Int] = []
      var f: [String] = []
      init() {}
    }
    @Model class Middle: Base {
      var group_name: Half?
      var x_position: Int16?
      @Attribute(originalName: "h") var b: Int64 = 7
      override init() {
        super.init()
      }
    }
    @Model final class Leaf: Middle {
      var c: Decimal = Decimal(3)
      override init() {
        super.init()
      }
    }
    @Model final class Side: Base {
      var x_position: Int8 = 7
      override init() {
        super.init()
      }
    }
    static var kinds: [any AnyKind] {
      let kind1 = Kind("Base", \Base.serial) { Base() }
      kind1.value("order", \.order)
      kind1.value("f", \.f)
      let kind2 = Kind("Middle", of: "Base", \Middle.serial) { Middle() }
      kind2.value("order", \.order)
      kind2.value("f", \.f)
      kind2.value("group_name", \.group_name)
      kind2.optional("x_position", \.x_position)
      kind2.ordered("b", \.b)
      let kind3 = Kind("Leaf", of: "Middle", \Leaf.serial) { Leaf() }
      kind3.value("order", \.order)
      kind3.value("f", \.f)
      kind3.value("group_name", \.group_name)
      kind3.optional("x_position", \.x_position)
      kind3.ordered("b", \.b)
      kind3.ordered("c", \.c)
      let kind4 = Kind("Side", of: "Base", \Side.serial) { Side() }
      kind4.value("order", \.order)
      kind4.value("f", \.f)
      kind4.ordered("x_position", \.x_position)
      return [kind1, kind2, kind3, kind4]
    }
  }

  static func changeV1toV2(_ object: Object, _ world: World, _ isPlanned: Bool) throws -> [String: Value]? {
    switch object.kind {
    case "Base":
      return [
        "serial": object["serial"],
        "order": object["order"].or(.list([])),
        "f": object["f"],
      ]
    case "Middle":
      return [
        "serial": object["serial"],
        "order": object["order"].or(.list([])),
        "f": object["f"],
        "group_name": object["group_name"],
        "x_position": object["x_position"],
        "b": object["h"],
      ]
    case "Leaf":
      return [
        "serial": object["serial"],
        "order": object["order"].or(.list([])),
        "f": object["f"],
        "group_name": object["group_name"],
        "x_position": object["x_position"],
        "b": object["h"],
        "c": object["c"],
      ]
    case "Side":
      return [
        "serial": object["serial"],
        "order": object["order"].or(.list([])),
        "f": object["f"],
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
        "order": object["order"],
        "f": object["f"],
      ]
    case "Middle":
      return [
        "serial": object["serial"],
        "order": object["order"],
        "f": object["f"],
        "h": .integer(7),
        "group_name": object["group_name"],
        "x_position": object["x_position"],
      ]
    case "Leaf":
      return [
        "serial": object["serial"],
        "order": object["order"],
        "f": object["f"],
        "h": .integer(7),
        "group_name": object["group_name"],
        "x_position": object["x_position"],
        "c": object["c"],
      ]
    case "Side":
      return [
        "serial": object["serial"],
        "order": object["order"],
        "f": object["f"],
        "x_position": object["x_position"],
      ]
    default: throw Pair.unknown(object)
    }
  }

  static var pairs: [Pair] {
    [
      Pair(name: "random 5 1>2", old: V1.self, new: V2.self, change: changeV1toV2),
      Pair(name: "random 5 2>1", old: V2.self, new: V1.self, change: changeV2toV1),
    ]
  }
}
