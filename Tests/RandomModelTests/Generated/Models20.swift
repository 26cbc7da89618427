// scripts/random-models wrote this file. Change cases.txt or the script instead.
import Foundation
import SwiftData

/// new class in the middle
enum Case46 {

  enum V1: RandomVersion {
    static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
    @Model class A {
      var serial: Int = 7
      var a: String = "default"
      init() {}
    }
    @Model final class C: A {
      var c: Int = 7
      override init() {
        super.init()
      }
    }
    static var kinds: [any AnyKind] {
      let kind1 = Kind("A", \A.serial) { A() }
      kind1.ordered("a", \.a)
      let kind2 = Kind("C", of: "A", \C.serial) { C() }
      kind2.ordered("a", \.a)
      kind2.ordered("c", \.c)
      return [kind1, kind2]
    }
  }

  enum V2: RandomVersion {
    static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }
    @Model class A {
      var serial: Int = 7
      var a: String = "default"
      init() {}
    }
    @Model class B: A {
      var b: Int = 7
      override init() {
        super.init()
      }
    }
    @Model final class C: B {
      var c: Int = 7
      override init() {
        super.init()
      }
    }
    static var kinds: [any AnyKind] {
      let kind1 = Kind("A", \A.serial) { A() }
      kind1.ordered("a", \.a)
      let kind2 = Kind("B", of: "A", \B.serial) { B() }
      kind2.ordered("a", \.a)
      kind2.ordered("b", \.b)
      let kind3 = Kind("C", of: "B", \C.serial) { C() }
      kind3.ordered("a", \.a)
      kind3.ordered("b", \.b)
      kind3.ordered("c", \.c)
      return [kind1, kind2, kind3]
    }
  }

  enum V3: RandomVersion {
    static var versionIdentifier: Schema.Version { Schema.Version(3, 0, 0) }
    @Model class A {
      var serial: Int = 7
      var a: String = "default"
      init() {}
    }
    @Model final class B: A {
      var b: Int?
      override init() {
        super.init()
      }
    }
    @Model final class C: A {
      var c: Int = 7
      var b: Int = 7
      override init() {
        super.init()
      }
    }
    static var kinds: [any AnyKind] {
      let kind1 = Kind("A", \A.serial) { A() }
      kind1.ordered("a", \.a)
      let kind2 = Kind("B", of: "A", \B.serial) { B() }
      kind2.ordered("a", \.a)
      kind2.optional("b", \.b)
      let kind3 = Kind("C", of: "A", \C.serial) { C() }
      kind3.ordered("a", \.a)
      kind3.ordered("c", \.c)
      kind3.ordered("b", \.b)
      return [kind1, kind2, kind3]
    }
  }

  static func changeV1toV2(_ object: Object, _ world: World, _ isPlanned: Bool) throws -> [String: Value]? {
    switch object.kind {
    case "A":
      return [
        "serial": object["serial"],
        "a": object["a"],
      ]
    case "C":
      return [
        "serial": object["serial"],
        "a": object["a"],
        "b": .integer(7),
        "c": object["c"],
      ]
    default: throw Pair.unknown(object)
    }
  }

  static func changeV2toV3(_ object: Object, _ world: World, _ isPlanned: Bool) throws -> [String: Value]? {
    switch object.kind {
    case "A":
      return [
        "serial": object["serial"],
        "a": object["a"],
      ]
    case "B":
      return [
        "serial": object["serial"],
        "a": object["a"],
        "b": object["b"],
      ]
    case "C":
      return [
        "serial": object["serial"],
        "a": object["a"],
        "c": object["c"],
        "b": object["b"],
      ]
    default: throw Pair.unknown(object)
    }
  }

  static func returnV3toV2(_ object: Object, _ world: World, _ isPlanned: Bool) throws -> [String: Value]? {
    switch object.kind {
    case "A":
      return [
        "serial": object["serial"],
        "a": object["a"],
      ]
    case "B":
      return [
        "serial": object["serial"],
        "a": object["a"],
        "b": object["b"].or(.integer(7)),
      ]
    case "C":
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
      Pair(name: "new class in the middle 1>2", old: V1.self, new: V2.self, change: changeV1toV2),
      Pair(
        name: "new class in the middle 2>3", old: V2.self, new: V3.self, change: changeV2toV3, back: returnV3toV2,
        again: changeV2toV3),
    ]
  }
}

/// subclass that is not listed
enum Case47 {

  enum V1: RandomVersion {
    static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
    @Model class A {
      var serial: Int = 7
      var a: String = "default"
      init() {}
    }
    @Model final class B: A {
      var b: Int = 7
      override init() {
        super.init()
      }
    }
    static var kinds: [any AnyKind] {
      let kind1 = Kind("A", \A.serial) { A() }
      kind1.ordered("a", \.a)
      let kind2 = Kind("B", of: "A", \B.serial) { B() }
      kind2.ordered("a", \.a)
      kind2.ordered("b", \.b)
      return [kind1, kind2]
    }
  }

  enum V2: RandomVersion {
    static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }
    @Model final class A {
      var serial: Int = 7
      var a: String = "default"
      init() {}
    }
    static var kinds: [any AnyKind] {
      let kind1 = Kind("A", \A.serial) { A() }
      kind1.ordered("a", \.a)
      return [kind1]
    }
  }

  static func changeV1toV2(_ object: Object, _ world: World, _ isPlanned: Bool) throws -> [String: Value]? {
    switch object.kind {
    case "A":
      return [
        "serial": object["serial"],
        "a": object["a"],
      ]
    case "B":
      if isPlanned { return nil }
      throw Refused("a subclass with objects is not listed")
    default: throw Pair.unknown(object)
    }
  }

  static func changeV2toV1(_ object: Object, _ world: World, _ isPlanned: Bool) throws -> [String: Value]? {
    switch object.kind {
    case "A":
      return [
        "serial": object["serial"],
        "a": object["a"],
      ]
    default: throw Pair.unknown(object)
    }
  }

  static var pairs: [Pair] {
    [
      Pair(
        name: "subclass that is not listed 1>2", old: V1.self, new: V2.self, change: changeV1toV2,
        refusedOnPostgres: "Documentation/postgres.md names this difference"),
      Pair(name: "subclass that is not listed 2>1", old: V2.self, new: V1.self, change: changeV2toV1),
    ]
  }
}
