// scripts/random-models wrote this file. Change cases.txt or the script instead.
import Foundation
import SwiftData

/// rename of a struct
enum Case12 {

  enum V1: RandomVersion {
    static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
    @Model final class R {
      var serial: Int = 7
      var look: Look = Look(dark: true, size: 9, font: nil)
      var other: Look = Look(dark: true, size: 9, font: nil)
      init() {}
    }
    static var kinds: [any AnyKind] {
      let kind1 = Kind("R", \R.serial) { R() }
      kind1.value("look", \.look)
      kind1.member("look.size", \.look, \.size, \.look.size)
      kind1.value("other", \.other)
      kind1.member("other.size", \.other, \.size, \.other.size)
      return [kind1]
    }
  }

  enum V2: RandomVersion {
    static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }
    @Model final class R {
      var serial: Int = 7
      @Attribute(originalName: "other") var look: Look = Look(dark: true, size: 9, font: nil)
      @Attribute(originalName: "look") var other: Look = Look(dark: true, size: 9, font: nil)
      init() {}
    }
    static var kinds: [any AnyKind] {
      let kind1 = Kind("R", \R.serial) { R() }
      kind1.value("look", \.look)
      kind1.member("look.size", \.look, \.size, \.look.size)
      kind1.value("other", \.other)
      kind1.member("other.size", \.other, \.size, \.other.size)
      return [kind1]
    }
  }

  static func changeV1toV2(_ object: Object, _ world: World, _ isPlanned: Bool) throws -> [String: Value]? {
    switch object.kind {
    case "R":
      return [
        "serial": object["serial"],
        "look": object["other"],
        "other": object["look"],
      ]
    default: throw Pair.unknown(object)
    }
  }

  static func changeV2toV1(_ object: Object, _ world: World, _ isPlanned: Bool) throws -> [String: Value]? {
    switch object.kind {
    case "R":
      return [
        "serial": object["serial"],
        "look": object["look"],
        "other": object["other"],
      ]
    default: throw Pair.unknown(object)
    }
  }

  static var pairs: [Pair] {
    [
      Pair(
        name: "rename of a struct 1>2", old: V1.self, new: V2.self, change: changeV1toV2, back: changeV2toV1,
        again: changeV2toV1),
      Pair(
        name: "rename of a struct 2>1", old: V2.self, new: V1.self, change: changeV2toV1, back: changeV2toV1,
        again: changeV2toV1),
    ]
  }
}

/// rename of every type
enum Case13 {

  enum V1: RandomVersion {
    static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
    @Model final class R {
      var serial: Int = 7
      var a: Bool = true
      var b: Double = 1.5
      var c: Decimal?
      var d: Date = Date(timeIntervalSinceReferenceDate: 1_000)
      var e: UUID?
      var f: URL = URL(string: "a:b")!
      @Attribute(.externalStorage) var g: Data = Data([1, 2])
      var h: [Int] = []
      var i: [String: Int] = [:]
      var j: Set<String> = []
      init() {}
    }
    static var kinds: [any AnyKind] {
      let kind1 = Kind("R", \R.serial) { R() }
      kind1.value("a", \.a)
      kind1.ordered("b", \.b)
      kind1.optional("c", \.c)
      kind1.ordered("d", \.d)
      kind1.optional("e", \.e)
      kind1.value("f", \.f)
      kind1.external("g", \.g)
      kind1.value("h", \.h)
      kind1.value("i", \.i)
      kind1.value("j", \.j)
      return [kind1]
    }
  }

  enum V2: RandomVersion {
    static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }
    @Model final class R {
      var serial: Int = 7
      @Attribute(originalName: "a") var k: Bool = true
      @Attribute(originalName: "b") var l: Double = 1.5
      @Attribute(originalName: "c") var m: Decimal?
      @Attribute(originalName: "d") var n: Date = Date(timeIntervalSinceReferenceDate: 1_000)
      @Attribute(originalName: "e") var o: UUID?
      @Attribute(originalName: "f") var p: URL = URL(string: "a:b")!
      @Attribute(.externalStorage, originalName: "g") var q: Data = Data([1, 2])
      @Attribute(originalName: "h") var r: [Int] = []
      @Attribute(originalName: "i") var s: [String: Int] = [:]
      @Attribute(originalName: "j") var t: Set<String> = []
      init() {}
    }
    static var kinds: [any AnyKind] {
      let kind1 = Kind("R", \R.serial) { R() }
      kind1.value("k", \.k)
      kind1.ordered("l", \.l)
      kind1.optional("m", \.m)
      kind1.ordered("n", \.n)
      kind1.optional("o", \.o)
      kind1.value("p", \.p)
      kind1.external("q", \.q)
      kind1.value("r", \.r)
      kind1.value("s", \.s)
      kind1.value("t", \.t)
      return [kind1]
    }
  }

  static func changeV1toV2(_ object: Object, _ world: World, _ isPlanned: Bool) throws -> [String: Value]? {
    switch object.kind {
    case "R":
      return [
        "serial": object["serial"],
        "k": object["a"],
        "l": object["b"],
        "m": object["c"],
        "n": object["d"],
        "o": object["e"],
        "p": object["f"],
        "q": object["g"],
        "r": object["h"],
        "s": object["i"],
        "t": object["j"],
      ]
    default: throw Pair.unknown(object)
    }
  }

  static func returnV2toV1(_ object: Object, _ world: World, _ isPlanned: Bool) throws -> [String: Value]? {
    switch object.kind {
    case "R":
      return [
        "serial": object["serial"],
        "a": .bool(true),
        "b": .real(1.5),
        "c": .null,
        "d": .date(Date(timeIntervalSinceReferenceDate: 1_000)),
        "e": .null,
        "f": .url(URL(string: "a:b")!),
        "g": .data(Data([1, 2])),
        "h": .list([]),
        "i": .record([:]),
        "j": .set([]),
      ]
    default: throw Pair.unknown(object)
    }
  }

  static var pairs: [Pair] {
    [
      Pair(
        name: "rename of every type 1>2", old: V1.self, new: V2.self, change: changeV1toV2, back: returnV2toV1,
        again: changeV1toV2)
    ]
  }
}

/// exchange of lists
enum Case14 {

  enum V1: RandomVersion {
    static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
    @Model final class List {
      var serial: Int = 7
      var first: [Item] = []
      var second: [Item] = []
      init() {}
    }
    @Model final class Item {
      var serial: Int = 7
      var t: String = "default"
      init() {}
    }
    static var kinds: [any AnyKind] {
      let kind1 = Kind("List", \List.serial) { List() }
      kind1.many("first", \.first, \.serial)
      kind1.many("second", \.second, \.serial)
      let kind2 = Kind("Item", \Item.serial) { Item() }
      kind2.ordered("t", \.t)
      return [kind1, kind2]
    }
  }

  enum V2: RandomVersion {
    static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }
    @Model final class List {
      var serial: Int = 7
      @Relationship(originalName: "second") var first: [Item] = []
      @Relationship(originalName: "first") var second: [Item] = []
      init() {}
    }
    @Model final class Item {
      var serial: Int = 7
      var t: String = "default"
      init() {}
    }
    static var kinds: [any AnyKind] {
      let kind1 = Kind("List", \List.serial) { List() }
      kind1.many("first", \.first, \.serial)
      kind1.many("second", \.second, \.serial)
      let kind2 = Kind("Item", \Item.serial) { Item() }
      kind2.ordered("t", \.t)
      return [kind1, kind2]
    }
  }

  static func changeV1toV2(_ object: Object, _ world: World, _ isPlanned: Bool) throws -> [String: Value]? {
    switch object.kind {
    case "List":
      return [
        "serial": object["serial"],
        "first": object["second"],
        "second": object["first"],
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
    case "List":
      return [
        "serial": object["serial"],
        "first": object["first"],
        "second": object["second"],
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
        name: "exchange of lists 1>2", old: V1.self, new: V2.self, change: changeV1toV2, back: changeV2toV1,
        again: changeV2toV1),
      Pair(
        name: "exchange of lists 2>1", old: V2.self, new: V1.self, change: changeV2toV1, back: changeV2toV1,
        again: changeV2toV1),
    ]
  }
}
