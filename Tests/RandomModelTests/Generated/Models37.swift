// scripts/random-models wrote this file. Change cases.txt or the script instead.
import Foundation
import SwiftData

/// renames 6
enum Case78 {

  enum V1: RandomVersion {
    static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
    @Model class Base {
      var serial: Int = 7
      var p4: Int = 7
      var p0: Int = 7
      init() {}
    }
    @Model final class Leaf: Base {
      var p5: [Item] = []
      var p11: String = "default"
      override init() {
        super.init()
      }
    }
    @Model final class Item {
      var serial: Int = 7
      var p10: Int = 7
      var p3: String = "default"
      var p2: String = "default"
      init() {}
    }
    static var kinds: [any AnyKind] {
      let kind1 = Kind("Base", \Base.serial) { Base() }
      kind1.ordered("p4", \.p4)
      kind1.ordered("p0", \.p0)
      let kind2 = Kind("Leaf", of: "Base", \Leaf.serial) { Leaf() }
      kind2.ordered("p4", \.p4)
      kind2.ordered("p0", \.p0)
      kind2.many("p5", \.p5, \.serial)
      kind2.ordered("p11", \.p11)
      let kind3 = Kind("Item", \Item.serial) { Item() }
      kind3.ordered("p10", \.p10)
      kind3.ordered("p3", \.p3)
      kind3.ordered("p2", \.p2)
      return [kind1, kind2, kind3]
    }
  }

  enum V2: RandomVersion {
    static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }
    @Model class Base {
      var serial: Int = 7
      var p0: Int = 7
      init() {}
    }
    @Model final class Leaf: Base {
      var p5: [Item] = []
      var p11: String = "default"
      var p7: Int = 7
      override init() {
        super.init()
      }
    }
    @Model final class Item {
      #Unique<Item>([\.p3])
      var serial: Int = 7
      @Attribute(originalName: "p2") var p3: String = "default"
      var p1: Int = 7
      init() {}
    }
    static var kinds: [any AnyKind] {
      let kind1 = Kind("Base", \Base.serial) { Base() }
      kind1.ordered("p0", \.p0)
      let kind2 = Kind("Leaf", of: "Base", \Leaf.serial) { Leaf() }
      kind2.ordered("p0", \.p0)
      kind2.many("p5", \.p5, \.serial)
      kind2.ordered("p11", \.p11)
      kind2.ordered("p7", \.p7)
      let kind3 = Kind("Item", \Item.serial, unique: [["p3"]]) { Item() }
      kind3.ordered("p3", \.p3)
      kind3.ordered("p1", \.p1)
      return [kind1, kind2, kind3]
    }
  }

  static func changeV1toV2(_ object: Object, _ world: World, _ isPlanned: Bool) throws -> [String: Value]? {
    switch object.kind {
    case "Base":
      return [
        "serial": object["serial"],
        "p0": object["p0"],
      ]
    case "Leaf":
      return [
        "serial": object["serial"],
        "p0": object["p0"],
        "p5": object["p5"],
        "p11": object["p11"],
        "p7": .integer(7),
      ]
    case "Item":
      return [
        "serial": object["serial"],
        "p3": object["p2"],
        "p1": .integer(7),
      ]
    default: throw Pair.unknown(object)
    }
  }

  static func changeV2toV1(_ object: Object, _ world: World, _ isPlanned: Bool) throws -> [String: Value]? {
    switch object.kind {
    case "Base":
      return [
        "serial": object["serial"],
        "p4": .integer(7),
        "p0": object["p0"],
      ]
    case "Leaf":
      return [
        "serial": object["serial"],
        "p4": .integer(7),
        "p0": object["p0"],
        "p5": object["p5"],
        "p11": object["p11"],
      ]
    case "Item":
      return [
        "serial": object["serial"],
        "p10": .integer(7),
        "p3": object["p3"],
        "p2": .text("default"),
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
      ]
    case "Leaf":
      return [
        "serial": object["serial"],
        "p0": object["p0"],
        "p5": object["p5"],
        "p11": object["p11"],
        "p7": .integer(7),
      ]
    case "Item":
      return [
        "serial": object["serial"],
        "p3": object["p3"],
        "p1": .integer(7),
      ]
    default: throw Pair.unknown(object)
    }
  }

  static var pairs: [Pair] {
    [
      Pair(
        name: "renames 6 1>2", old: V1.self, new: V2.self, change: changeV1toV2, back: changeV2toV1, again: againV1toV2),
      Pair(
        name: "renames 6 2>1", old: V2.self, new: V1.self, change: changeV2toV1, back: againV1toV2, again: changeV2toV1),
    ]
  }
}
