// scripts/random-models wrote this file. Change cases.txt or the script instead.
import Foundation
import SwiftData

/// added and removed classes
enum Case36 {

  enum V1: RandomVersion {
    static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
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

  enum V2: RandomVersion {
    static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }
    @Model final class A {
      var serial: Int = 7
      var a: String = "default"
      init() {}
    }
    @Model final class B {
      var serial: Int = 7
      var b: Int = 7
      var a: A?
      init() {}
    }
    static var kinds: [any AnyKind] {
      let kind1 = Kind("A", \A.serial) { A() }
      kind1.ordered("a", \.a)
      let kind2 = Kind("B", \B.serial) { B() }
      kind2.ordered("b", \.b)
      kind2.one("a", \.a, \.serial)
      return [kind1, kind2]
    }
  }

  static func changeV1toV2(_ object: Object, _ world: World, _ isPlanned: Bool) throws -> [String: Value]? {
    switch object.kind {
    case "A":
      return [
        "serial": object["serial"],
        "a": object["a"],
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
      return nil
    default: throw Pair.unknown(object)
    }
  }

  static var pairs: [Pair] {
    [
      Pair(name: "added and removed classes 1>2", old: V1.self, new: V2.self, change: changeV1toV2),
      Pair(name: "added and removed classes 2>1", old: V2.self, new: V1.self, change: changeV2toV1),
    ]
  }
}
