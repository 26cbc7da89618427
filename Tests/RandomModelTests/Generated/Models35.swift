// scripts/random-models wrote this file. Change cases.txt or the script instead.
import Foundation
import SwiftData

/// renames 4
enum Case76 {

  enum V1: RandomVersion {
    static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
    @Model class Base {
      var serial: Int = 7
      var p3: [Item] = []
      var p8: String = "default"
      var p0: Int = 7
      var p6: Item?
      var p5: Int = 7
      init() {}
    }
    @Model final class Leaf: Base {
      #Unique<Leaf>([\.p4])
      var p4: String = "default"
      var p10: Int = 7
      var p2: String = "default"
      var p7: [Item] = []
      override init() {
        super.init()
      }
    }
    @Model final class Item {
      #Unique<Item>([\.p11])
      var serial: Int = 7
      var p11: Int = 7
      var p9: String = "default"
      var p8: Int = 7
      init() {}
    }
    static var kinds: [any AnyKind] {
      let kind1 = Kind("Base", \Base.serial) { Base() }
      kind1.many("p3", \.p3, \.serial)
      kind1.ordered("p8", \.p8)
      kind1.ordered("p0", \.p0)
      kind1.one("p6", \.p6, \.serial)
      kind1.ordered("p5", \.p5)
      let kind2 = Kind("Leaf", of: "Base", \Leaf.serial, unique: [["p4"]]) { Leaf() }
      kind2.many("p3", \.p3, \.serial)
      kind2.ordered("p8", \.p8)
      kind2.ordered("p0", \.p0)
      kind2.one("p6", \.p6, \.serial)
      kind2.ordered("p5", \.p5)
      kind2.ordered("p4", \.p4)
      kind2.ordered("p10", \.p10)
      kind2.ordered("p2", \.p2)
      kind2.many("p7", \.p7, \.serial)
      let kind3 = Kind("Item", \Item.serial, unique: [["p11"]]) { Item() }
      kind3.ordered("p11", \.p11)
      kind3.ordered("p9", \.p9)
      kind3.ordered("p8", \.p8)
      return [kind1, kind2, kind3]
    }
  }

  enum V2: RandomVersion {
    static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }
    @Model class Base {
      var serial: Int = 7
      var p8: String = "default"
      @Attribute(originalName: "p5") var p0: Int = 7
      var p6: Item?
      init() {}
    }
    @Model final class Leaf: Base {
      var p4: String = "default"
      var p2: String = "default"
      var p7: [Item] = []
      @Attribute(originalName: "p10") var p11: Int = 7
      override init() {
        super.init()
      }
    }
    @Model final class Item {
      var serial: Int = 7
      var p11: Int = 7
      var p9: String = "default"
      var p8: Int = 7
      init() {}
    }
    static var kinds: [any AnyKind] {
      let kind1 = Kind("Base", \Base.serial) { Base() }
      kind1.ordered("p8", \.p8)
      kind1.ordered("p0", \.p0)
      kind1.one("p6", \.p6, \.serial)
      let kind2 = Kind("Leaf", of: "Base", \Leaf.serial) { Leaf() }
      kind2.ordered("p8", \.p8)
      kind2.ordered("p0", \.p0)
      kind2.one("p6", \.p6, \.serial)
      kind2.ordered("p4", \.p4)
      kind2.ordered("p2", \.p2)
      kind2.many("p7", \.p7, \.serial)
      kind2.ordered("p11", \.p11)
      let kind3 = Kind("Item", \Item.serial) { Item() }
      kind3.ordered("p11", \.p11)
      kind3.ordered("p9", \.p9)
      kind3.ordered("p8", \.p8)
      return [kind1, kind2, kind3]
    }
  }

  static func changeV1toV2(_ object: Object, _ world: World, _ isPlanned: Bool) throws -> [String: Value]? {
    switch object.kind {
    case "Base":
      return [
        "serial": object["serial"],
        "p8": object["p8"],
        "p0": object["p5"],
        "p6": object["p6"],
      ]
    case "Leaf":
      return [
        "serial": object["serial"],
        "p8": object["p8"],
        "p0": object["p5"],
        "p6": object["p6"],
        "p4": object["p4"],
        "p2": object["p2"],
        "p7": object["p7"],
        "p11": object["p10"],
      ]
    case "Item":
      return [
        "serial": object["serial"],
        "p11": object["p11"],
        "p9": object["p9"],
        "p8": object["p8"],
      ]
    default: throw Pair.unknown(object)
    }
  }

  static func changeV2toV1(_ object: Object, _ world: World, _ isPlanned: Bool) throws -> [String: Value]? {
    switch object.kind {
    case "Base":
      return [
        "serial": object["serial"],
        "p3": .objects([]),
        "p8": object["p8"],
        "p0": object["p0"],
        "p6": object["p6"],
        "p5": .integer(7),
      ]
    case "Leaf":
      return [
        "serial": object["serial"],
        "p3": .objects([]),
        "p8": object["p8"],
        "p0": object["p0"],
        "p6": object["p6"],
        "p5": .integer(7),
        "p4": object["p4"],
        "p10": .integer(7),
        "p2": object["p2"],
        "p7": object["p7"],
      ]
    case "Item":
      return [
        "serial": object["serial"],
        "p11": object["p11"],
        "p9": object["p9"],
        "p8": object["p8"],
      ]
    default: throw Pair.unknown(object)
    }
  }

  static func againV1toV2(_ object: Object, _ world: World, _ isPlanned: Bool) throws -> [String: Value]? {
    switch object.kind {
    case "Base":
      return [
        "serial": object["serial"],
        "p8": object["p8"],
        "p0": object["p0"],
        "p6": object["p6"],
      ]
    case "Leaf":
      return [
        "serial": object["serial"],
        "p8": object["p8"],
        "p0": object["p0"],
        "p6": object["p6"],
        "p4": object["p4"],
        "p2": object["p2"],
        "p7": object["p7"],
        "p11": object["p10"],
      ]
    case "Item":
      return [
        "serial": object["serial"],
        "p11": object["p11"],
        "p9": object["p9"],
        "p8": object["p8"],
      ]
    default: throw Pair.unknown(object)
    }
  }

  static var pairs: [Pair] {
    [
      Pair(
        name: "renames 4 1>2", old: V1.self, new: V2.self, change: changeV1toV2, back: changeV2toV1, again: againV1toV2),
      Pair(
        name: "renames 4 2>1", old: V2.self, new: V1.self, change: changeV2toV1, back: againV1toV2, again: changeV2toV1,
        taken: ["Leaf.p10"]),
    ]
  }
}
