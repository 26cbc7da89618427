// scripts/random-models wrote this file. Change cases.txt or the script instead.
import Foundation
import SwiftData

/// renames 5
enum Case77 {

  enum V1: RandomVersion {
    static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
    @Model class Base {
      var serial: Int = 7
      var p5: Int = 7
      var p6: Item?
      var p3: [Item] = []
      init() {}
    }
    @Model final class Leaf: Base {
      var p1: Int = 7
      var p0: String = "default"
      var p10: String = "default"
      override init() {
        super.init()
      }
    }
    @Model final class Item {
      var serial: Int = 7
      var p5: String = "default"
      var p11: Int = 7
      var p10: String = "default"
      var p1: Int = 7
      init() {}
    }
    static var kinds: [any AnyKind] {
      let kind1 = Kind("Base", \Base.serial) { Base() }
      kind1.ordered("p5", \.p5)
      kind1.one("p6", \.p6, \.serial)
      kind1.many("p3", \.p3, \.serial)
      let kind2 = Kind("Leaf", of: "Base", \Leaf.serial) { Leaf() }
      kind2.ordered("p5", \.p5)
      kind2.one("p6", \.p6, \.serial)
      kind2.many("p3", \.p3, \.serial)
      kind2.ordered("p1", \.p1)
      kind2.ordered("p0", \.p0)
      kind2.ordered("p10", \.p10)
      let kind3 = Kind("Item", \Item.serial) { Item() }
      kind3.ordered("p5", \.p5)
      kind3.ordered("p11", \.p11)
      kind3.ordered("p10", \.p10)
      kind3.ordered("p1", \.p1)
      return [kind1, kind2, kind3]
    }
  }

  enum V2: RandomVersion {
    static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }
    @Model class Base {
      var serial: Int = 7
      var p6: Item?
      var p3: [Item] = []
      var p8: Int = 7
      init() {}
    }
    @Model final class Leaf: Base {
      var p1: Int = 7
      @Attribute(originalName: "p10") var p0: String = "default"
      @Attribute(originalName: "p0") var p10: String = "default"
      override init() {
        super.init()
      }
    }
    @Model final class Item {
      #Unique<Item>([\.p5])
      var serial: Int = 7
      @Attribute(originalName: "p10") var p5: String = "default"
      var p11: Int = 7
      @Attribute(originalName: "p5") var p10: String = "default"
      var p1: Int = 7
      @Attribute(originalName: "p11") var p2: Int = 7
      init() {}
    }
    static var kinds: [any AnyKind] {
      let kind1 = Kind("Base", \Base.serial) { Base() }
      kind1.one("p6", \.p6, \.serial)
      kind1.many("p3", \.p3, \.serial)
      kind1.ordered("p8", \.p8)
      let kind2 = Kind("Leaf", of: "Base", \Leaf.serial) { Leaf() }
      kind2.one("p6", \.p6, \.serial)
      kind2.many("p3", \.p3, \.serial)
      kind2.ordered("p8", \.p8)
      kind2.ordered("p1", \.p1)
      kind2.ordered("p0", \.p0)
      kind2.ordered("p10", \.p10)
      let kind3 = Kind("Item", \Item.serial, unique: [["p5"]]) { Item() }
      kind3.ordered("p5", \.p5)
      kind3.ordered("p11", \.p11)
      kind3.ordered("p10", \.p10)
      kind3.ordered("p1", \.p1)
      kind3.ordered("p2", \.p2)
      return [kind1, kind2, kind3]
    }
  }

  static func changeV1toV2(_ object: Object, _ world: World, _ isPlanned: Bool) throws -> [String: Value]? {
    switch object.kind {
    case "Base":
      return [
        "serial": object["serial"],
        "p6": object["p6"],
        "p3": object["p3"],
        "p8": .integer(7),
      ]
    case "Leaf":
      return [
        "serial": object["serial"],
        "p6": object["p6"],
        "p3": object["p3"],
        "p8": .integer(7),
        "p1": object["p1"],
        "p0": object["p10"],
        "p10": object["p0"],
      ]
    case "Item":
      return [
        "serial": object["serial"],
        "p5": object["p10"],
        "p11": .integer(7),
        "p10": object["p5"],
        "p1": object["p1"],
        "p2": object["p11"],
      ]
    default: throw Pair.unknown(object)
    }
  }

  static func changeV2toV1(_ object: Object, _ world: World, _ isPlanned: Bool) throws -> [String: Value]? {
    switch object.kind {
    case "Base":
      return [
        "serial": object["serial"],
        "p5": .integer(7),
        "p6": object["p6"],
        "p3": object["p3"],
      ]
    case "Leaf":
      return [
        "serial": object["serial"],
        "p5": .integer(7),
        "p6": object["p6"],
        "p3": object["p3"],
        "p1": object["p1"],
        "p0": object["p0"],
        "p10": object["p10"],
      ]
    case "Item":
      return [
        "serial": object["serial"],
        "p5": object["p5"],
        "p11": object["p11"],
        "p10": object["p10"],
        "p1": object["p1"],
      ]
    default: throw Pair.unknown(object)
    }
  }

  static func againV1toV2(_ object: Object, _ world: World, _ isPlanned: Bool) throws -> [String: Value]? {
    switch object.kind {
    case "Base":
      return [
        "serial": object["serial"],
        "p6": object["p6"],
        "p3": object["p3"],
        "p8": .integer(7),
      ]
    case "Leaf":
      return [
        "serial": object["serial"],
        "p6": object["p6"],
        "p3": object["p3"],
        "p8": .integer(7),
        "p1": object["p1"],
        "p0": object["p0"],
        "p10": object["p10"],
      ]
    case "Item":
      return [
        "serial": object["serial"],
        "p5": object["p5"],
        "p11": .integer(7),
        "p10": object["p10"],
        "p1": object["p1"],
        "p2": object["p11"],
      ]
    default: throw Pair.unknown(object)
    }
  }

  static var pairs: [Pair] {
    [
      Pair(
        name: "renames 5 1>2", old: V1.self, new: V2.self, change: changeV1toV2, back: changeV2toV1, again: againV1toV2),
      Pair(
        name: "renames 5 2>1", old: V2.self, new: V1.self, change: changeV2toV1, back: againV1toV2, again: changeV2toV1,
        taken: ["Item.p11"]),
    ]
  }
}
