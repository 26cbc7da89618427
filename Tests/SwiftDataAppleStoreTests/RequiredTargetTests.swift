import AppleStoreTemplates
import Foundation
import SwiftData
import SwiftDataAppleStore
import Testing

private enum Clinic {
  @Model final class Owner {
    var name: String
    init(_ name: String) { self.name = name }
  }

  @Model final class Pet {
    var name: String
    @Relationship(inverse: \Owner.withoutInverse) var owner: Owner
    init(_ name: String, _ owner: Owner) { (self.name, self.owner) = (name, owner) }
  }
}

/// The models of a program that knows owners alone.
private enum Loose {
  @Model final class Owner {
    var name: String
    init(_ name: String) { self.name = name }
  }
}

@Suite("Deletions in a file in Apple's format") struct RequiredTargetTests {
  private let file: URL

  init() throws {
    file = try Library.folder().appendingPathComponent("clinic.store")
    try AppleStoreTemplate(for: [Clinic.Owner.self, Clinic.Pet.self]).make(at: file)
    let context = ModelContext(try open(Clinic.Owner.self, Clinic.Pet.self))
    let owner = Clinic.Owner("Ada")
    context.insert(owner)
    context.insert(Clinic.Pet("Rex", owner))
    context.insert(Clinic.Owner("Bob"))
    try context.save()
  }

  private func open(_ types: any PersistentModel.Type...) throws -> ModelContainer {
    try ModelContainer(for: Schema(types), configurations: [AppleStoreConfiguration(url: file, allowsSave: true)])
  }

  private func expectRefusal(_ context: ModelContext) throws {
    let error = #expect(throws: SwiftDataError.self) { try context.save() }
    #expect(error?.code == SwiftDataError.modelValidationFailure.code, "\(String(describing: error))")
    #expect(error?.entity == "Pet" && error?.property == "owner")
    context.rollback()
    let fresh = ModelContext(try open(Clinic.Owner.self, Clinic.Pet.self))
    #expect(try fresh.fetch(FetchDescriptor<Clinic.Pet>()).map(\.owner.name) == ["Ada"])
    #expect(try fresh.fetchCount(FetchDescriptor<Clinic.Owner>()) == 2)
  }

  @Test("A deletion that leaves a required to-one without a target is refused", arguments: [false, true])
  func refused(isBatch: Bool) throws {
    let context = ModelContext(try open(Clinic.Owner.self, Clinic.Pet.self))
    if isBatch {
      try context.delete(model: Clinic.Owner.self)
    } else {
      for owner in try context.fetch(FetchDescriptor<Clinic.Owner>()) { context.delete(owner) }
    }
    try expectRefusal(context)
    try context.delete(model: Clinic.Owner.self)
    try context.delete(model: Clinic.Pet.self)
    try context.save()
    #expect(try context.fetchCount(FetchDescriptor<Clinic.Owner>()) == 0)
  }

  @Test("It is refused too if the program's models lack the class that requires the target")
  func missingClass() throws {
    let context = ModelContext(try open(Loose.Owner.self))
    for owner in try context.fetch(FetchDescriptor<Loose.Owner>()) { context.delete(owner) }
    try expectRefusal(context)
    for owner in try context.fetch(FetchDescriptor<Loose.Owner>()) where owner.name == "Bob" { context.delete(owner) }
    try context.save()
    #expect(try context.fetch(FetchDescriptor<Loose.Owner>()).map(\.name) == ["Ada"])
  }
}
