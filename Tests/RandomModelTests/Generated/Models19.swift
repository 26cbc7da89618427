// scripts/random-models wrote this file. Change cases.txt or the script instead.
import Foundation
import SwiftData

/// three levels
enum Case45 {

  enum V1: RandomVersion {
    static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
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
      var c: Double = 1.5
      override init() {
        super.init()
      }
    }
    @Model final class D: A {
      var c: String = "default"
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
      let kind4 = Kind("D", of: "A", \D.serial) { D() }
      kind4.ordered("a", \.a)
      kind4.ordered("c", \.c)
      return [kind1, kind2, kind3, kind4]
    }
  }

  enum V2: RandomVersion {
    static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }
    @Model class A {
      var serial: Int = 7
      var a: String = "default"
      var c: String = "default"
      init() {}
    }
    @Model class B: A {
      var b: Int = 7
      var d: Double = 1.5
      override init() {
        super.init()
      }
    }
    @Model final class C: B {
      override init() {
        super.init()
      }
    }
    @Model final class D: A {
      override init() {
        super.init()
      }
    }
    static var kinds: [any AnyKind] {
      let kind1 = Kind("A", \A.serial) { A() }
      kind1.ordered("a", \.a)
      kind1.ordered("c", \.c)
      let kind2 = Kind("B", of: "A", \B.serial) { B() }
      kind2.ordered("a", \.a)
      kind2.ordered("c", \.c)
      kind2.ordered("b", \.b)
      kind2.ordered("d", \.d)
      let kind3 = Kind("C", of: "B", \C.serial) { C() }
      kind3.ordered("a", \.a)
      kind3.ordered("c", \.c)
      kind3.ordered("b", \.b)
      kind3.ordered("d", \.d)
      let kind4 = Kind("D", of: "A", \D.serial) { D() }
      kind4.ordered("a", \.a)
      kind4.ordered("c", \.c)
      return [kind1, kind2, kind3, kind4]
    }
  }

  enum V3: RandomVersion {
    static var versionIdentifier: Schema.Version { Schema.Version(3, 0, 0) }
    @Model class A {
      var serial: Int = 7
      var a: String?
      init() {}
    }
    @Model class B: A {
      var c: Double = 1.5
      override init() {
        super.init()
      }
    }
    @Model final class C: B {
      var b: Int = 7
      override init() {
        super.init()
      }
    }
    @Model final class D: A {
      var b: Grade = Grade.high
      override init() {
        super.init()
      }
    }
    static var kinds: [any AnyKind] {
      let kind1 = Kind("A", \A.serial) { A() }
      kind1.optional("a", \.a)
      let kind2 = Kind("B", of: "A", \B.serial) { B() }
      kind2.optional("a", \.a)
      kind2.ordered("c", \.c)
      let kind3 = Kind("C", of: "B", \C.serial) { C() }
      kind3.optional("a", \.a)
      kind3.ordered("c", \.c)
      kind3.ordered("b", \.b)
      let kind4 = Kind("D", of: "A", \D.serial) { D() }
      kind4.optional("a", \.a)
      kind4.value("b", \.b)
      return [kind1, kind2, kind3, kind4]
    }
  }

  static func changeV1toV2(_ object: Object, _ world: World, _ isPlanned: Bool) throws -> [String: Value]? {
    switch object.kind {
    case "A":
      return [
        "serial": object["serial"],
        "a": object["a"],
        "c": .text("default"),
      ]
    case "B":
      return [
        "serial": object["serial"],
        "a": object["a"],
        "c": .text("default"),
        "b": object["b"],
        "d": .real(1.5),
      ]
    case "C":
      throw Refused("c cannot have the values of c")
    case "D":
      return [
        "serial": object["serial"],
        "a": object["a"],
        "c": object["c"],
      ]
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
    case "B":
      return [
        "serial": object["serial"],
        "a": object["a"],
        "b": object["b"],
      ]
    case "C":
      throw Refused("c cannot have the values of c")
    case "D":
      return [
        "serial": object["serial"],
        "a": object["a"],
        "c": object["c"],
      ]
    default: throw Pair.unknown(object)
    }
  }

  static func changeV1toV3(_ object: Object, _ world: World, _ isPlanned: Bool) throws -> [String: Value]? {
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
        "c": .real(1.5),
      ]
    case "C":
      return [
        "serial": object["serial"],
        "a": object["a"],
        "c": object["c"],
        "b": object["b"],
      ]
    case "D":
      return [
        "serial": object["serial"],
        "a": object["a"],
        "b": .text("high"),
      ]
    default: throw Pair.unknown(object)
    }
  }

  static func changeV3toV1(_ object: Object, _ world: World, _ isPlanned: Bool) throws -> [String: Value]? {
    switch object.kind {
    case "A":
      return [
        "serial": object["serial"],
        "a": object["a"].or(.text("default")),
      ]
    case "B":
      return [
        "serial": object["serial"],
        "a": object["a"].or(.text("default")),
        "b": .integer(7),
      ]
    case "C":
      return [
        "serial": object["serial"],
        "a": object["a"].or(.text("default")),
        "b": object["b"],
        "c": object["c"],
      ]
    case "D":
      return [
        "serial": object["serial"],
        "a": object["a"].or(.text("default")),
        "c": .text("default"),
      ]
    default: throw Pair.unknown(object)
    }
  }

  static var pairs: [Pair] {
    [
      Pair(
        name: "three levels 1>2", old: V1.self, new: V2.self, change: changeV1toV2, back: changeV2toV1,
        again: changeV1toV2, taken: ["A.c", "B.c", "C.c", "D.c"]),
      Pair(
        name: "three levels 2>1", old: V2.self, new: V1.self, change: changeV2toV1, back: changeV1toV2,
        again: changeV2toV1, taken: ["A.c", "B.c", "C.c", "D.c"]),
      Pair(
        name: "three levels 1>3", old: V1.self, new: V3.self, change: changeV1toV3, back: changeV3toV1,
        again: changeV1toV3, taken: ["A.b", "A.c", "B.b", "B.c", "C.b", "C.c"]),
      Pair(
        name: "three levels 3>1", old: V3.self, new: V1.self, change: changeV3toV1, back: changeV1toV3,
        again: changeV3toV1, taken: ["A.b", "A.c", "B.b", "B.c", "C.b", "C.c"]),
    ]
  }
}
