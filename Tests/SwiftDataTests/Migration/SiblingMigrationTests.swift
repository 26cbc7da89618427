import Foundation
import SwiftData
import Testing

// Two subclasses of one class, each with a many-to-many relationship of the same name.

private enum First {
  @Model class Animal {
    var name: String
    init(name: String) { self.name = name }
  }

  @Model final class Cat: Animal {
    var friends: [CatFriend] = []
    override init(name: String) { super.init(name: name) }
  }

  @Model final class Dog: Animal {
    var friends: [DogFriend] = []
    override init(name: String) { super.init(name: name) }
  }

  @Model final class CatFriend {
    var name: String
    @Relationship(inverse: \Cat.friends) var cats: [Cat] = []
    init(name: String) { self.name = name }
  }

  @Model final class DogFriend {
    var name: String
    @Relationship(inverse: \Dog.friends) var dogs: [Dog] = []
    init(name: String) { self.name = name }
  }
}

private enum Second {
  @Model class Animal {
    var name: String
    var age: Int = 1
    init(name: String) { self.name = name }
  }

  @Model final class Cat: Animal {
    var friends: [CatFriend] = []
    override init(name: String) { super.init(name: name) }
  }

  @Model final class Dog: Animal {
    var friends: [DogFriend] = []
    override init(name: String) { super.init(name: name) }
  }

  @Model final class CatFriend {
    var name: String
    @Relationship(inverse: \Cat.friends) var cats: [Cat] = []
    init(name: String) { self.name = name }
  }

  @Model final class DogFriend {
    var name: String
    @Relationship(inverse: \Dog.friends) var dogs: [Dog] = []
    init(name: String) { self.name = name }
  }
}

@Suite("Migrating subclasses with relationships of one name") struct SiblingMigrationTests {
  private func open(_ models: [any PersistentModel.Type], _ file: URL) throws -> ModelContext {
    let schema = Schema(models)
    return ModelContext(try ModelContainer(for: schema, configurations: ModelConfiguration(schema: schema, url: file)))
  }

  @Test("keeps each subclass's own related objects when their superclass gets a property")
  func keepsPairs() throws {
    let store = try TemporaryStore()
    do {
      let context = try open(
        [First.Animal.self, First.Cat.self, First.Dog.self, First.CatFriend.self, First.DogFriend.self], store.url)
      let (cat, dog) = (First.Cat(name: "cat"), First.Dog(name: "dog"))
      context.insert(cat)
      context.insert(dog)
      cat.friends = [First.CatFriend(name: "a"), First.CatFriend(name: "b")]
      dog.friends = [First.DogFriend(name: "c")]
      try context.save()
    }
    let context = try open(
      [Second.Animal.self, Second.Cat.self, Second.Dog.self, Second.CatFriend.self, Second.DogFriend.self], store.url)
    let cat = try #require(try context.fetch(FetchDescriptor<Second.Cat>()).first)
    let dog = try #require(try context.fetch(FetchDescriptor<Second.Dog>()).first)
    #expect(cat.age == 1 && Set(cat.friends.map(\.name)) == ["a", "b"])
    #expect(dog.age == 1 && dog.friends.map(\.name) == ["c"])
  }
}
