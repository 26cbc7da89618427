// scripts/random-models wrote this file. Change cases.txt or the script instead.
import Foundation
import SwiftData

/// renames 3
enum Case75 {

  enum V1: RandomVersion {
    static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
    @Model class Base {
      var serial: Int = 7
      var p0: [Item] = []
      var p10: String = "default"
      var p1: Int = 7
      var p9: String = "default"
      init() {}
    }
    @Model final class Leaf: Base {
      var p6: Int = 7
      var p2: Item?
      var p3: Item?
      var p7: Int = 7
      override init() {
        super.init()
      }
    }
    @Model final class Item {
      var serial: Int = 7
      var p4: String = "default"
      var p6: String = "default"
      init() {}
    }
    static var kinds: [any AnyKind] {
      let kind1 = Kind("Base", \Base.serial) { Base() }
      kind1.many("p0", \.p0, \.serial)
      kind1.ordered("p10", \.p10)
      kind1.ordered("p1", \.p1)
      kind1.ordered("p9", \.p9)
      let kind2 = Kind("Leaf", of: "Base", \Leaf.serial) { Leaf() }
      kind2.many("p0", \.p0, \.serial)
      kind2.ordered("p10", \.p10)
      kind2.ordered("p1", \.p1)
      kind2.ordered("p9", \.p9)
      kind2.ordered("p6", \.p6)
      kind2.one("p2", \.p2, \.serial)
      kind2.one("p3", \.p3, \.serial)
      kind2.ordered("p7", \.p7)
      let kind3 = Kind("Item", \Item.serial) { Item() }
      kind3.ordered("p4", \.p4)
      kind3.ordered("p6", \.p6)
      return [kind1, kind2, kind3]
    }
  }

  enum V2: RandomVersion {
    static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }
    @Model class Base {
      var serial: Int = 7
      var p0: [Item] = []
      @Attribute(originalName: "p9") var p10: String = "default"
      var p1: Int = 7
      init() {}
    }
    @Model final class Leaf: Base {
      var p3: Item?
      var p7: Int = 7
      override init() {
        super.init()
      }
    }
    @Model final class Item {
      #Unique<Item>([\.p4])
      var serial: Int = 7
      @Attribute(originalName: "p6") var p4: String = "default"
      @Attribute(originalName: "p4") var p6: String = "default"
      var p9: Int = 7
      init() {}
    }
    static var kinds: [any AnyKind] {
      let kind1 = Kind("Base", \Base.serial) { Base() }
      kind1.many("p0", \.p0, \.serial)
      kind1.ordered("p10", \.p10)
      kind1.ordered("p1", \.p1)
      let kind2 = Kind("Leaf", of: "Base", \Leaf.serial) { Leaf() }
      kind2.many("p0", \.p0, \.serial)
      kind2.ordered("p10", \.p10)
      kind2.ordered("p1", \.p1)
      kind2.one("p3", \.p3, \.serial)
      kind2.ordered("p7", \.p7)
      let kind3 = Kind("Item", \Item.serial, unique: [["p4"]]) { Item() }
      kind3.ordered("p4", \.p4)
      kind3.ordered("p6", \.p6)
      kind3.ordered("p9", \.p9)
      return [kind1, kind2, kind3]
    }
  }

  static func changeV1toV2(_ object: Object, _ world: World, _ isPlanned: Bool) throws -> [String: Value]? {
    switch object.kind {
    case "Base":
      return [
        "serial": object["serial"],
        "p0": object["p0"],
        "p10": object["p9"],
        "p1": object["p1"],
      ]
    case "Leaf":
      return [
        "serial": object["serial"],
        "p0": object["p0"],
        "p10": object["p9"],
        "p1": object["p1"],
        "p3": object["p3"],
        "p7": object["p7"],
      ]
    case "Item":
      return [
        "serial": object["serial"],
        "p4": object["p6"],
        "p6": object["p4"],
        "p9": .integer(7),
      ]
    default: throw Pair.unknown(object)
    }
  }

  static func changeV2toV1(_ object: Object, _ world: World, _ isPlanned: Bool) throws -> [String: Value]? {
    switch object.kind {
    case "Base":
      return [
        "serial": object["serial"],
        "p0": object["p0"],
        "p10": object["p10"],
        "p1": object["p1"],
        "p9": .text("default"),
      ]
    case "Leaf":
      return [
        "serial": object["serial"],
        "p0": object["p0"],
        "p10": object["p10"],
        "p1": object["p1"],
        "p9": .text("default"),
        "p6": .integer(7),
        "p2": .null,
        "p3": object["p3"],
        "p7": object["p7"],
      ]
    case "Item":
      return [
        "serial": object["serial"],
        "p4": object["p4"],
        "p6": object["p6"],
      ]
    default: throw Pair.unknown(object)
    }
  }

  static func againV1toV2(_ object: Object, _ world: World, _ isPlanned: Bool) throws -> [String: Value]? {
    switch object.kind {
    case "Base":
      return [
        "serial": object["serial"],
        "p0": object["p0"],
        "p10": object["p10"],
        "p1": object["p1"],
      ]
    case "Leaf":
      return [
        "serial": object["serial"],
        "p0": object["p0"],
        "p10": object["p10"],
        "p1": object["p1"],
        "p3": object["p3"],
        "p7": object["p7"],
      ]
    case "Item":
      return [
        "serial": object["serial"],
        "p4": object["p4"],
        "p6": object["p6"],
        "p9": .integer(7),
      ]
    default: throw Pair.unknown(object)
    }
  }

  static var pairs: [Pair] {
    [
      Pair(
        name: "renames 3 1>2", old: V1.self, new: V2.self, change: changeV1toV2, back: changeV2toV1, again: againV1toV2),
      Pair(
        name: "renames 3 2>1", old: V2.self, new: V1.self, change: changeV2toV1, back: againV1toV2, again: changeV2toV1),
    ]
  }
}
