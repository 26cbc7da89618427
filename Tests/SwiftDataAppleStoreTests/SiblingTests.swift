import AppleStoreTemplates
import Foundation
import SwiftData
import SwiftDataInspection
import Testing

@testable import SwiftDataAppleStore

/// Two subclasses of one class, each with a to-one relationship of the same name.
enum Siblings {
  @Model final class Account {
    var name: String
    @Relationship(inverse: \Folder.account) var folders: [Folder] = []
    @Relationship(inverse: \Note.account) var notes: [Note] = []
    init(_ name: String) { self.name = name }
  }

  @Model class Base {
    var title: String
    init(_ title: String) { self.title = title }
  }

  @Model final class Folder: Base {
    var account: Account?
    var value: Int?
    init(_ title: String, _ account: Account, _ value: Int) {
      (self.account, self.value) = (account, value)
      super.init(title)
    }
  }

  @Model final class Note: Base {
    var account: Account?
    var value: String?
    init(_ title: String, _ account: Account, _ value: String) {
      (self.account, self.value) = (account, value)
      super.init(title)
    }
  }

  @Model final class Person {
    var name: String
    @Relationship(inverse: \Dog.owner) var dogs: [Dog] = []
    init(_ name: String) { self.name = name }
  }

  @Model final class Company {
    var name: String
    @Relationship(inverse: \Car.owner) var cars: [Car] = []
    init(_ name: String) { self.name = name }
  }

  @Model final class Dog: Base {
    var owner: Person?
    init(_ title: String, _ owner: Person) {
      self.owner = owner
      super.init(title)
    }
  }

  @Model final class Car: Base {
    var owner: Company?
    init(_ title: String, _ owner: Company) {
      self.owner = owner
      super.init(title)
    }
  }

  static let schema = Schema([
    Account.self, Base.self, Folder.self, Note.self, Person.self, Company.self, Dog.self, Car.self,
  ])

  static func fill(_ configuration: any DataStoreConfiguration) throws {
    let context = ModelContext(try ModelContainer(for: schema, configurations: [configuration]))
    let (first, second) = (Account("A"), Account("B"))
    for model in [Folder("f1", first, 1), Folder("f2", second, 2), Note("n1", first, "x"), Note("n2", first, "y")]
      as [Base]
    { context.insert(model) }
    context.insert(Dog("d", Person("p")))
    context.insert(Car("c", Company("q")))
    try context.save()
  }
}

@Suite("Subclasses with properties of the same name") struct SiblingTests {
  private func check(_ configuration: any DataStoreConfiguration) throws {
    let context = ModelContext(try ModelContainer(for: Siblings.schema, configurations: [configuration]))
    let accounts = try context.fetch(FetchDescriptor<Siblings.Account>(sortBy: [SortDescriptor(\.name)]))
    #expect(accounts.map { Set($0.folders.map(\.title)) } == [["f1"], ["f2"]])
    #expect(accounts.map { Set($0.notes.map(\.title)) } == [["n1", "n2"], []])
    let notes = try context.fetch(FetchDescriptor<Siblings.Note>(sortBy: [SortDescriptor(\.title)]))
    #expect(notes.map(\.value) == ["x", "y"])
    #expect(notes.map { $0.account?.name } == ["A", "A"])
    let folders = try context.fetch(FetchDescriptor<Siblings.Folder>(sortBy: [SortDescriptor(\.title)]))
    #expect(folders.map(\.value) == [1, 2])
    #expect(try context.fetch(FetchDescriptor<Siblings.Person>()).map { $0.dogs.map(\.title) } == [["d"]])
    #expect(try context.fetch(FetchDescriptor<Siblings.Company>()).map { $0.cars.map(\.title) } == [["c"]])
    #expect(try context.fetch(FetchDescriptor<Siblings.Car>()).map { $0.owner?.name } == ["q"])
  }

  @Test("F1: keep their own values and lists, in a store of our own, in a file of Apple's, and in its import")
  func lists() throws {
    let own = ModelConfiguration(url: try Library.folder().appendingPathComponent("own.store"))
    try Siblings.fill(own)
    try check(own)
    let file = try Library.folder().appendingPathComponent("siblings.store")
    try AppleStoreTemplate(for: Siblings.schema).make(at: file)
    try Siblings.fill(AppleStoreConfiguration(url: file, allowsSave: true))
    try check(AppleStoreConfiguration(url: file))
    #expect(try InspectedStore(file.path).faults() == [])
    let (copy, report) = try RareFileTests.copy(file)
    #expect(report.losses == [])
    try check(ModelConfiguration(url: URL(fileURLWithPath: copy.location)))
  }

  @Test("F13: a dump and a difference show no properties of the other class, on the file and on its import")
  func dump() throws {
    let file = try Library.folder().appendingPathComponent("siblings.store")
    try AppleStoreTemplate(for: Siblings.schema).make(at: file)
    try Siblings.fill(AppleStoreConfiguration(url: file, allowsSave: true))
    let store = try InspectedStore(file.path)
    let (copy, _) = try RareFileTests.copy(file)
    #expect(try store.difference(to: copy).text == "the stores are equal")
    for opened in [store, copy] {
      #expect(try opened.rows(of: "Dog", limit: 9).map { Set($0.values.keys) } == [["title"]])
      #expect(try opened.rows(of: "Dog", limit: 9).map { Set($0.related.keys) } == [["owner"]])
      #expect(try opened.rows(of: "Folder", limit: 1).map { Set($0.values.keys) } == [["title", "value"]])
      #expect(try opened.rows(of: "Note", limit: 1).map { Set($0.related.keys) } == [["account"]])
    }
  }
}
