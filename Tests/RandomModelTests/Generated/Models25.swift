// scripts/random-models wrote this file. Change cases.txt or the script instead.
import Foundation
import SwiftData

/// uniqueness of three
enum Case59 {

  enum V1: RandomVersion {
    static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
    @Model final class U {
      #Unique<U>([\.a, \.b, \.c])
      var serial: Int = 7
      var a: Int = 7
      var b: Bool = true
      var c: Rank = Rank.third
      init() {}
    }
    static var kinds: [any AnyKind] {
      let kind1 = Kind("U", \U.serial, unique: [["a", "b", "c"]]) { U() }
      kind1.ordered("a", \.a)
      kind1.value("b", \.b)
      kind1.value("c", \.c)
      return [kind1]
    }
  }

  enum V2: RandomVersion {
    static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }
    @Model final class U {
      #Unique<U>([\.a, \.b])
      var serial: Int = 7
      var a: Int = 7
      var b: Bool = true
      var c: Rank = Rank.third
      init() {}
    }
    static var kinds: [any AnyKind] {
      let kind1 = Kind("U", \U.serial, unique: [["a", "b"]]) { U() }
      kind1.ordered("a", \.a)
      kind1.value("b", \.b)
      kind1.value("c", \.c)
      return [kind1]
    }
  }

  enum V3: RandomVersion {
    static var versionIdentifier: Schema.Version { Schema.Version(3, 0, 0) }
    @Model final class U {
      var serial: Int = 7
      var a: Int = 7
      var b: Bool = true
      var c: Rank = Rank.third
      init() {}
    }
    static var kinds: [any AnyKind] {
      let kind1 = Kind("U", \U.serial) { U() }
      kind1.ordered("a", \.a)
      kind1.value("b", \.b)
      kind1.value("c", \.c)
      return [kind1]
    }
  }

  static func changeV1toV2(_ object: Object, _ world: World, _ isPlanned: Bool) throws -> [String: Value]? {
    switch object.kind {
    case "U":
      return [
        "serial": object["serial"],
        "a": object["a"],
        "b": object["b"],
        "c": object["c"],
      ]
    default: throw Pair.unknown(object)
    }
  }

  static var pairs: [Pair] {
    [
      Pair(
        name: "uniqueness of three 1>2", old: V1.self, new: V2.self, change: changeV1toV2, back: changeV1toV2,
        again: changeV1toV2),
      Pair(
        name: "uniqueness of three 2>1", old: V2.self, new: V1.self, change: changeV1toV2, back: changeV1toV2,
        again: changeV1toV2),
      Pair(
        name: "uniqueness of three 3>1", old: V3.self, new: V1.self, change: changeV1toV2, back: changeV1toV2,
        again: changeV1toV2),
    ]
  }
}

/// uniqueness of values
enum Case60 {

  enum V1: RandomVersion {
    static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
    @Model final class U {
      var serial: Int = 7
      var a: Double = 1.5
      var b: Date = Date(timeIntervalSinceReferenceDate: 1_000)
      var c: UUID = UUID(uuid: zeroUUID)
      var d: URL = URL(string: "a:b")!
      var e: Decimal = Decimal(3)
      var f: Data = Data([1, 2])
      init() {}
    }
    static var kinds: [any AnyKind] {
      let kind1 = Kind("U", \U.serial) { U() }
      kind1.ordered("a", \.a)
      kind1.ordered("b", \.b)
      kind1.ordered("c", \.c)
      kind1.value("d", \.d)
      kind1.ordered("e", \.e)
      kind1.value("f", \.f)
      return [kind1]
    }
  }

  enum V2: RandomVersion {
    static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }
    @Model final class U {
      var serial: Int = 7
      @Attribute(.unique) var a: Double = 1.5
      @Attribute(.unique) var b: Date = Date(timeIntervalSinceReferenceDate: 1_000)
      var c: UUID = UUID(uuid: zeroUUID)
      var d: URL = URL(string: "a:b")!
      @Attribute(.unique) var e: Decimal = Decimal(3)
      var f: Data = Data([1, 2])
      init() {}
    }
    static var kinds: [any AnyKind] {
      let kind1 = Kind("U", \U.serial, unique: [["a"], ["b"], ["e"]]) { U() }
      kind1.ordered("a", \.a)
      kind1.ordered("b", \.b)
      kind1.ordered("c", \.c)
      kind1.value("d", \.d)
      kind1.ordered("e", \.e)
      kind1.value("f", \.f)
      return [kind1]
    }
  }

  static func changeV1toV2(_ object: Object, _ world: World, _ isPlanned: Bool) throws -> [String: Value]? {
    switch object.kind {
    case "U":
      return [
        "serial": object["serial"],
        "a": object["a"],
        "b": object["b"],
        "c": object["c"],
        "d": object["d"],
        "e": object["e"],
        "f": object["f"],
      ]
    default: throw Pair.unknown(object)
    }
  }

  static var pairs: [Pair] {
    [
      Pair(
        name: "uniqueness of values 1>2", old: V1.self, new: V2.self, change: changeV1toV2, back: changeV1toV2,
        again: changeV1toV2),
      Pair(
        name: "uniqueness of values 2>1", old: V2.self, new: V1.self, change: changeV1toV2, back: changeV1toV2,
        again: changeV1toV2),
    ]
  }
}

/// uniqueness of collections
enum Case61 {

  enum V1: RandomVersion {
    static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
    @Model final class U {
      var serial: Int = 7
      var a: Set<String> = []
      var b: [Int] = []
      var c: [String: Int] = [:]
      var n: Int = 7
      init() {}
    }
    static var kinds: [any AnyKind] {
      let kind1 = Kind("U", \U.serial) { U() }
      kind1.value("a", \.a)
      kind1.value("b", \.b)
      kind1.value("c", \.c)
      kind1.ordered("n", \.n)
      return [kind1]
    }
  }

  enum V2: RandomVersion {
    static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }
    @Model final class U {
      var serial: Int = 7
      @Attribute(.unique) var a: Set<String> = []
      var b: [Int] = []
      var c: [String: Int] = [:]
      var n: Int = 7
      init() {}
    }
    static var kinds: [any AnyKind] {
      let kind1 = Kind("U", \U.serial, unique: [["a"]]) { U() }
      kind1.value("a", \.a)
      kind1.value("b", \.b)
      kind1.value("c", \.c)
      kind1.ordered("n", \.n)
      return [kind1]
    }
  }

  static func changeV1toV2(_ object: Object, _ world: World, _ isPlanned: Bool) throws -> [String: Value]? {
    switch object.kind {
    case "U":
      return [
        "serial": object["serial"],
        "a": object["a"],
        "b": object["b"],
        "c": object["c"],
        "n": object["n"],
      ]
    default: throw Pair.unknown(object)
    }
  }

  static var pairs: [Pair] {
    [
      Pair(
        name: "uniqueness of collections 1>2", old: V1.self, new: V2.self, change: changeV1toV2, back: changeV1toV2,
        again: changeV1toV2),
      Pair(
        name: "uniqueness of collections 2>1", old: V2.self, new: V1.self, change: changeV1toV2, back: changeV1toV2,
        again: changeV1toV2),
    ]
  }
}

/// to-one to to-many and back
enum Case62 {

  enum V1: RandomVersion {
    static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
    @Model final class O {
      var serial: Int = 7
      var items: Item?
      var n: Int = 7
      init() {}
    }
    @Model final class Item {
      var serial: Int = 7
      var t: String = "default"
      init() {}
    }
    static var kinds: [any AnyKind] {
      let kind1 = Kind("O", \O.serial) { O() }
      kind1.one("items", \.items, \.serial)
      kind1.ordered("n", \.n)
      let kind2 = Kind("Item", \Item.serial) { Item() }
      kind2.ordered("t", \.t)
      return [kind1, kind2]
    }
  }

  enum V2: RandomVersion {
    static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }
    @Model final class O {
      var serial: Int = 7
      var items: [Item] = []
      var n: Int = 7
      init() {}
    }
    @Model final class Item {
      var serial: Int = 7
      var t: String = "default"
      init() {}
    }
    static var kinds: [any AnyKind] {
      let kind1 = Kind("O", \O.serial) { O() }
      kind1.many("items", \.items, \.serial)
      kind1.ordered("n", \.n)
      let kind2 = Kind("Item", \Item.serial) { Item() }
      kind2.ordered("t", \.t)
      return [kind1, kind2]
    }
  }

  static func changeV1toV2(_ object: Object, _ world: World, _ isPlanned: Bool) throws -> [String: Value]? {
    switch object.kind {
    case "O":
      return [
        "serial": object["serial"],
        "items": object["items"].asList,
        "n": object["n"],
      ]
    case "Item":
      return [
        "serial": object["serial"],
        "t": object["t"],
      ]
    default: throw Pair.unknown(object)
    }
  }

  static func changeV2toV1(_ object: Object, _ world: World, _ isPlanned: Bool) throws -> [String: Value]? {
    switch object.kind {
    case "O":
      return [
        "serial": object["serial"],
        "items": try object["items"].single(),
        "n": object["n"],
      ]
    case "Item":
      return [
        "serial": object["serial"],
        "t": object["t"],
      ]
    default: throw Pair.unknown(object)
    }
  }

  static var pairs: [Pair] {
    [
      Pair(
        name: "to-one to to-many and back 1>2", old: V1.self, new: V2.self, change: changeV1toV2,
        refusedOnPostgres: "Documentation/postgres.md names this difference", back: changeV2toV1, again: changeV1toV2),
      Pair(
        name: "to-one to to-many and back 2>1", old: V2.self, new: V1.self, change: changeV2toV1,
        refusedOnPostgres: "Documentation/postgres.md names this difference", back: changeV1toV2, again: changeV2toV1),
    ]
  }
}
