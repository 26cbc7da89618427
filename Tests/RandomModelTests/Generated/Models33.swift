// scripts/random-models wrote this file. Change cases.txt or the script instead.
import Foundation
import SwiftData

/// renames 2
enum Case74 {

  enum V1: RandomVersion {
    static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
    @Model class Base {
      var serial: Int = 7
      var p6: Int = 7
      var p10: [Item] = []
      var p2: Int = 7
      var p5: Item?
      var p8: [Item] = []
      init() {}
    }
    @Model final class Leaf: Base {
      var p1: String = "default"
      var p7: String = "default"
      var p11: Item?
      override init() {
        super.init()
      }
    }
    @Model final class Item {
      #Unique<Item>([\.p7])
      var serial: Int = 7
      var p7: String = "default"
      var p4: Int = 7
      var p8: Int = 7
      var p0: String = "default"
      init() {}
    }
    static var kinds: [any AnyKind] {
      let kind1 = Kind("Base", \Base.serial) { Base() }
      kind1.ordered("p6", \.p6)
      kind1.many("p10", \.p10, \.serial)
      kind1.ordered("p2", \.p2)
      kind1.one("p5", \.p5, \.serial)
      kind1.many("p8", \.p8, \.serial)
      let kind2 = Kind("Leaf", of: "Base", \Leaf.serial) { Leaf() }
      kind2.ordered("p6", \.p6)
      kind2.many("p10", \.p10, \.serial)
      kind2.ordered("p2", \.p2)
      kind2.one("p5", \.p5, \.serial)
      kind2.many("p8", \.p8, \.serial)
      kind2.ordered("p1", \.p1)
      kind2.ordered("p7", \.p7)
      kind2.one("p11", \.p11, \.serial)
      let kind3 = Kind("Item", \Item.serial, unique: [["p7"]]) { Item() }
      kind3.ordered("p7", \.p7)
      kind3.ordered("p4", \.p4)
      kind3.ordered("p8", \.p8)
      kind3.ordered("p0", \.p0)
      return [kind1, kind2, kind3]
    }
  }

  enum V2: RandomVersion {
    static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }
    @Model class Base {
      var serial: Int = 7
      var p6: Int = 7
      var p2: Int = 7
      var p5: Item?
      var p8: [Item] = []
      init() {}
    }
    @Model final class Leaf: Base {
      #Unique<Leaf>([\.p1])
      var p1: String = "default"
      var p7: String = "default"
      @Attribute(originalName: "p1") var p9: String = "default"
      @Relationship(originalName: "p11") var p3: Item?
      override init() {
        super.init()
      }
    }
    @Model final class Item {
      var serial: Int = 7
      @Attribute(originalName: "p0") var p7: String = "default"
      var p8: Int = 7
      var p3: Int = 7
      init() {}
    }
    static var kinds: [any AnyKind] {
      let kind1 = Kind("Base", \Base.serial) { Base() }
      kind1.ordered("p6", \.p6)
      kind1.ordered("p2", \.p2)
      kind1.one("p5", \.p5, \.serial)
      kind1.many("p8", \.p8, \.serial)
      let kind2 = Kind("Leaf", of: "Base", \Leaf.serial, unique: [["p1"]]) { Leaf() }
      kind2.ordered("p6", \.p6)
      kind2.ordered("p2", \.p2)
      kind2.one("p5", \.p5, \.serial)
      kind2.many("p8", \.p8, \.serial)
      kind2.ordered("p1", \.p1)
      kind2.ordered("p7", \.p7)
      kind2.ordered("p9", \.p9)
      kind2.one("p3", \.p3, \.serial)
      let kind3 = Kind("Item", \Item.serial) { Item() }
      kind3.ordered("p7", \.p7)
      kind3.ordered("p8", \.p8)
      kind3.ordered("p3", \.p3)
      return [kind1, kind2, kind3]
    }
  }

  static func changeV1toV2(_ object: Object, _ world: World, _ isPlanned: Bool) throws -> [String: Value]? {
    switch object.kind {
    case "Base":
      return [
        "serial": object["serial"],
        "p6": object["p6"],
        "p2": object["p2"],
        "p5": object["p5"],
        "p8": object["p8"],
      ]
    case "Leaf":
      return [
        "serial": object["serial"],
        "p6": object["p6"],
        "p2": object["p2"],
        "p5": object["p5"],
        "p8": object["p8"],
        "p1": .text("default"),
        "p7": object["p7"],
        "p9": object["p1"],
        "p3": object["p11"],
      ]
    case "Item":
      return [
        "serial": object["serial"],
        "p7": object["p0"],
        "p8": object["p8"],
        "p3": .integer(7),
      ]
    default: throw Pair.unknown(object)
    }
  }

  static func changeV2toV1(_ object: Object, _ world: World, _ isPlanned: Bool) throws -> [String: Value]? {
    switch object.kind {
    case "Base":
      return [
        "serial": object["serial"],
        "p6": object["p6"],
        "p10": .objects([]),
        "p2": object["p2"],
        "p5": object["p5"],
        "p8": object["p8"],
      ]
    case "Leaf":
      return [
        "serial": object["serial"],
        "p6": object["p6"],
        "p10": .objects([]),
        "p2": object["p2"],
        "p5": object["p5"],
        "p8": object["p8"],
        "p1": object["p1"],
        "p7": object["p7"],
        "p11": .null,
      ]
    case "Item":
      return [
        "serial": object["serial"],
        "p7": object["p7"],
        "p4": .integer(7),
        "p8": object["p8"],
        "p0": .text("default"),
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
        "p2": object["p2"],
        "p5": object["p5"],
        "p8": object["p8"],
      ]
    case "Leaf":
      return [
        "serial": object["serial"],
        "p6": object["p6"],
        "p2": object["p2"],
        "p5": object["p5"],
        "p8": object["p8"],
        "p1": .text("default"),
        "p7": object["p7"],
        "p9": object["p1"],
        "p3": object["p11"],
      ]
    case "Item":
      return [
        "serial": object["serial"],
        "p7": object["p7"],
        "p8": object["p8"],
        "p3": .integer(7),
      ]
    default: throw Pair.unknown(object)
    }
  }

  static var pairs: [Pair] {
    [
      Pair(
        name: "renames 2 1>2", old: V1.self, new: V2.self, change: changeV1toV2, back: changeV2toV1, again: againV1toV2),
      Pair(
        name: "renames 2 2>1", old: V2.self, new: V1.self, change: changeV2toV1, back: againV1toV2, again: changeV2toV1,
        taken: ["Leaf.p1", "Leaf.p11"]),
    ]
  }
}
