// scripts/random-models wrote this file. Change cases.txt or the script instead.
import Foundation
import SwiftData

/// renames 1
enum Case73 {

  enum V1: RandomVersion {
    static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
    @Model class Base {
      var serial: Int = 7
      var p9: String = "default"
      var p1: [Item] = []
      var p4: Int = 7
      init() {}
    }
    @Model final class Leaf: Base {
      var p0: Item?
      var p8: String = "default"
      var p5: Int = 7
      var p6: Int = 7
      var p11: Int = 7
      override init() {
        super.init()
      }
    }
    @Model final class Item {
      var serial: Int = 7
      var p10: String = "default"
      var p3: String = "default"
      var p6: Int = 7
      var p0: String = "default"
      var p11: Int = 7
      init() {}
    }
    static var kinds: [any AnyKind] {
      let kind1 = Kind("Base", \Base.serial) { Base() }
      kind1.ordered("p9", \.p9)
      kind1.many("p1", \.p1, \.serial)
      kind1.ordered("p4", \.p4)
      let kind2 = Kind("Leaf", of: "Base", \Leaf.serial) { Leaf() }
      kind2.ordered("p9", \.p9)
      kind2.many("p1", \.p1, \.serial)
      kind2.ordered("p4", \.p4)
      kind2.one("p0", \.p0, \.serial)
      kind2.ordered("p8", \.p8)
      kind2.ordered("p5", \.p5)
      kind2.ordered("p6", \.p6)
      kind2.ordered("p11", \.p11)
      let kind3 = Kind("Item", \Item.serial) { Item() }
      kind3.ordered("p10", \.p10)
      kind3.ordered("p3", \.p3)
      kind3.ordered("p6", \.p6)
      kind3.ordered("p0", \.p0)
      kind3.ordered("p11", \.p11)
      return [kind1, kind2, kind3]
    }
  }

  enum V2: RandomVersion {
    static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }
    @Model class Base {
      var serial: Int = 7
      var p9: String = "default"
      var p4: Int = 7
      @Attribute(originalName: "p9") var p7: String = "default"
      init() {}
    }
    @Model final class Leaf: Base {
      var p0: Item?
      var p8: String = "default"
      var p5: Int = 7
      var p6: Int = 7
      var p11: Int = 7
      override init() {
        super.init()
      }
    }
    @Model final class Item {
      var serial: Int = 7
      var p10: String = "default"
      var p3: String = "default"
      var p0: String = "default"
      var p11: Int = 7
      @Attribute(originalName: "p10") var p7: String = "default"
      var p8: String = "default"
      init() {}
    }
    static var kinds: [any AnyKind] {
      let kind1 = Kind("Base", \Base.serial) { Base() }
      kind1.ordered("p9", \.p9)
      kind1.ordered("p4", \.p4)
      kind1.ordered("p7", \.p7)
      let kind2 = Kind("Leaf", of: "Base", \Leaf.serial) { Leaf() }
      kind2.ordered("p9", \.p9)
      kind2.ordered("p4", \.p4)
      kind2.ordered("p7", \.p7)
      kind2.one("p0", \.p0, \.serial)
      kind2.ordered("p8", \.p8)
      kind2.ordered("p5", \.p5)
      kind2.ordered("p6", \.p6)
      kind2.ordered("p11", \.p11)
      let kind3 = Kind("Item", \Item.serial) { Item() }
      kind3.ordered("p10", \.p10)
      kind3.ordered("p3", \.p3)
      kind3.ordered("p0", \.p0)
      kind3.ordered("p11", \.p11)
      kind3.ordered("p7", \.p7)
      kind3.ordered("p8", \.p8)
      return [kind1, kind2, kind3]
    }
  }

  static func changeV1toV2(_ object: Object, _ world: World, _ isPlanned: Bool) throws -> [String: Value]? {
    switch object.kind {
    case "Base":
      return [
        "serial": object["serial"],
        "p9": .text("default"),
        "p4": object["p4"],
        "p7": object["p9"],
      ]
    case "Leaf":
      return [
        "serial": object["serial"],
        "p9": .text("default"),
        "p4": object["p4"],
        "p7": object["p9"],
        "p0": object["p0"],
        "p8": object["p8"],
        "p5": object["p5"],
        "p6": object["p6"],
        "p11": object["p11"],
      ]
    case "Item":
      return [
        "serial": object["serial"],
        "p10": .text("default"),
        "p3": object["p3"],
        "p0": object["p0"],
        "p11": object["p11"],
        "p7": object["p10"],
        "p8": .text("default"),
      ]
    default: throw Pair.unknown(object)
    }
  }

  static func changeV2toV1(_ object: Object, _ world: World, _ isPlanned: Bool) throws -> [String: Value]? {
    switch object.kind {
    case "Base":
      return [
        "serial": object["serial"],
        "p9": object["p9"],
        "p1": .objects([]),
        "p4": object["p4"],
      ]
    case "Leaf":
      return [
        "serial": object["serial"],
        "p9": object["p9"],
        "p1": .objects([]),
        "p4": object["p4"],
        "p0": object["p0"],
        "p8": object["p8"],
        "p5": object["p5"],
        "p6": object["p6"],
        "p11": object["p11"],
      ]
    case "Item":
      return [
        "serial": object["serial"],
        "p10": object["p10"],
        "p3": object["p3"],
        "p6": .integer(7),
        "p0": object["p0"],
        "p11": object["p11"],
      ]
    default: throw Pair.unknown(object)
    }
  }

  static var pairs: [Pair] {
    [
      Pair(
        name: "renames 1 1>2", old: V1.self, new: V2.self, change: changeV1toV2, back: changeV2toV1, again: changeV1toV2
      ),
      Pair(
        name: "renames 1 2>1", old: V2.self, new: V1.self, change: changeV2toV1, back: changeV1toV2,
        again: changeV2toV1, taken: ["Base.p9", "Item.p10", "Leaf.p9"]),
    ]
  }
}
