import SwiftData
import Testing

// The key path to a property of `Dog` stands before its superclass. The compiler of Swift 6.3 crashed here while it made `hashValue` in
// a class that is not final.

@Model final class Keeper {
  @Relationship(inverse: \Dog.keeper) var dogs: [Dog] = []
  init() {}
}

@Model class Animal {
  var name = ""
  init() {}
}

@Model final class Dog: Animal {
  var keeper: Keeper?
  override init() { super.init() }
}

@Suite("Models in any order of declaration")
struct DeclarationOrderTests {
  @Test("compile, and hash as their identity")
  func keyPathBeforeSuperclass() throws {
    let context = ModelContext(
      try ModelContainer(for: Keeper.self, Dog.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true)))
    let (keeper, dog) = (Keeper(), Dog())
    context.insert(keeper)
    keeper.dogs = [dog]
    let (before, others) = (dog.hashValue, Set<Animal>([dog, Animal()]))
    try context.save()
    #expect(dog.hashValue == before)
    #expect((dog.keeper === keeper, others.contains(dog), others.count) == (true, true, 2))
  }
}
