// scripts/random-models wrote this file. Change cases.txt or the script instead.
import Foundation
import SwiftData

/// siblings' many-to-manys
enum Case44 {

  enum V1: RandomVersion {
    static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
    @Model class Animal {
      var serial: Int = 7
      var name: String = "default"
      init() {}
    }
    @Model final class Cat: Animal {
      @Relationship(inverse: \CatFriend.cats) var friends: [CatFriend] = []
      override init() {
        super.init()
      }
    }
    @Model final class Dog: Animal {
      @Relationship(inverse: \DogFriend.dogs) var friends: [DogFriend] = []
      override init() {
        super.init()
      }
    }
    @Model final class CatFriend {
      var serial: Int = 7
      var name: String = "default"
      var cats: [Cat] = []
      init() {}
    }
    @Model final class DogFriend {
      var serial: Int = 7
      var name: String = "default"
      var dogs: [Dog] = []
      init() {}
    }
    static var kinds: [any AnyKind] {
      let kind1 = Kind("Animal", \Animal.serial) { Animal() }
      kind1.ordered("name", \.name)
      let kind2 = Kind("Cat", of: "Animal", \Cat.serial) { Cat() }
      kind2.ordered("name", \.name)
      kind2.many("friends", \.friends, \.serial)
      let kind3 = Kind("Dog", of: "Animal", \Dog.serial) { Dog() }
      kind3.ordered("name", \.name)
      kind3.many("friends", \.friends, \.serial)
      let kind4 = Kind("CatFriend", \CatFriend.serial) { CatFriend() }
      kind4.ordered("name", \.name)
      kind4.many("cats", \.cats, \.serial, isOwner: false)
      let kind5 = Kind("DogFriend", \DogFriend.serial) { DogFriend() }
      kind5.ordered("name", \.name)
      kind5.many("dogs", \.dogs, \.serial, isOwner: false)
      return [kind1, kind2, kind3, kind4, kind5]
    }
  }

  enum V2: RandomVersion {
    static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }
    @Model class Animal {
      var serial: Int = 7
      var name: String = "default"
      var age: Int = 7
      init() {}
    }
    @Model final class Cat: Animal {
      @Relationship(originalName: "friends", inverse: \CatFriend.cats) var pals: [CatFriend] = []
      override init() {
        super.init()
      }
    }
    @Model final class Dog: Animal {
      @Relationship(inverse: \DogFriend.dogs) var friends: [DogFriend] = []
      override init() {
        super.init()
      }
    }
    @Model final class CatFriend {
      var serial: Int = 7
      var name: String = "default"
      var cats: [Cat] = []
      init() {}
    }
    @Model final class DogFriend {
      var serial: Int = 7
      var name: String = "default"
      var dogs: [Dog] = []
      init() {}
    }
    static var kinds: [any AnyKind] {
      let kind1 = Kind("Animal", \Animal.serial) { Animal() }
      kind1.ordered("name", \.name)
      kind1.ordered("age", \.age)
      let kind2 = Kind("Cat", of: "Animal", \Cat.serial) { Cat() }
      kind2.ordered("name", \.name)
      kind2.ordered("age", \.age)
      kind2.many("pals", \.pals, \.serial)
      let kind3 = Kind("Dog", of: "Animal", \Dog.serial) { Dog() }
      kind3.ordered("name", \.name)
      kind3.ordered("age", \.age)
      kind3.many("friends", \.friends, \.serial)
      let kind4 = Kind("CatFriend", \CatFriend.serial) { CatFriend() }
      kind4.ordered("name", \.name)
      kind4.many("cats", \.cats, \.serial, isOwner: false)
      let kind5 = Kind("DogFriend", \DogFriend.serial) { DogFriend() }
      kind5.ordered("name", \.name)
      kind5.many("dogs", \.dogs, \.serial, isOwner: false)
      return [kind1, kind2, kind3, kind4, kind5]
    }
  }

  enum V3: RandomVersion {
    static var versionIdentifier: Schema.Version { Schema.Version(3, 0, 0) }
    @Model class Animal {
      var serial: Int = 7
      var name: String = "default"
      init() {}
    }
    @Model final class Cat: Animal {
      @Relationship(originalName: "pals", inverse: \CatFriend.cats) var friends: [CatFriend] = []
      override init() {
        super.init()
      }
    }
    @Model final class Dog: Animal {
      @Relationship(inverse: \DogFriend.dogs) var friends: [DogFriend] = []
      override init() {
        super.init()
      }
    }
    @Model final class CatFriend {
      var serial: Int = 7
      var name: String = "default"
      var cats: [Cat] = []
      init() {}
    }
    @Model final class DogFriend {
      var serial: Int = 7
      var name: String = "default"
      var dogs: [Dog] = []
      init() {}
    }
    static var kinds: [any AnyKind] {
      let kind1 = Kind("Animal", \Animal.serial) { Animal() }
      kind1.ordered("name", \.name)
      let kind2 = Kind("Cat", of: "Animal", \Cat.serial) { Cat() }
      kind2.ordered("name", \.name)
      kind2.many("friends", \.friends, \.serial)
      let kind3 = Kind("Dog", of: "Animal", \Dog.serial) { Dog() }
      kind3.ordered("name", \.name)
      kind3.many("friends", \.friends, \.serial)
      let kind4 = Kind("CatFriend", \CatFriend.serial) { CatFriend() }
      kind4.ordered("name", \.name)
      kind4.many("cats", \.cats, \.serial, isOwner: false)
      let kind5 = Kind("DogFriend", \DogFriend.serial) { DogFriend() }
      kind5.ordered("name", \.name)
      kind5.many("dogs", \.dogs, \.serial, isOwner: false)
      return [kind1, kind2, kind3, kind4, kind5]
    }
  }

  static func changeV1toV2(_ object: Object, _ world: World, _ isPlanned: Bool) throws -> [String: Value]? {
    switch object.kind {
    case "Animal":
      return [
        "serial": object["serial"],
        "name": object["name"],
        "age": .integer(7),
      ]
    case "Cat":
      return [
        "serial": object["serial"],
        "name": object["name"],
        "age": .integer(7),
        "pals": object["friends"],
      ]
    case "Dog":
      return [
        "serial": object["serial"],
        "name": object["name"],
        "age": .integer(7),
        "friends": object["friends"],
      ]
    case "CatFriend":
      return [
        "serial": object["serial"],
        "name": object["name"],
        "cats": object["cats"],
      ]
    case "DogFriend":
      return [
        "serial": object["serial"],
        "name": object["name"],
        "dogs": object["dogs"],
      ]
    default: throw Pair.unknown(object)
    }
  }

  static func changeV2toV3(_ object: Object, _ world: World, _ isPlanned: Bool) throws -> [String: Value]? {
    switch object.kind {
    case "Animal":
      return [
        "serial": object["serial"],
        "name": object["name"],
      ]
    case "Cat":
      return [
        "serial": object["serial"],
        "name": object["name"],
        "friends": object["pals"],
      ]
    case "Dog":
      return [
        "serial": object["serial"],
        "name": object["name"],
        "friends": object["friends"],
      ]
    case "CatFriend":
      return [
        "serial": object["serial"],
        "name": object["name"],
        "cats": object["cats"],
      ]
    case "DogFriend":
      return [
        "serial": object["serial"],
        "name": object["name"],
        "dogs": object["dogs"],
      ]
    default: throw Pair.unknown(object)
    }
  }

  static var pairs: [Pair] {
    [
      Pair(
        name: "siblings' many-to-manys 1>2", old: V1.self, new: V2.self, change: changeV1toV2, back: changeV2toV3,
        again: changeV1toV2),
      Pair(
        name: "siblings' many-to-manys 2>3", old: V2.self, new: V3.self, change: changeV2toV3, back: changeV1toV2,
        again: changeV2toV3, taken: ["Cat.friends"]),
    ]
  }
}
