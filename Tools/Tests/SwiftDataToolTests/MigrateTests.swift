import BlockingTests
import Foundation
import SwiftData
import Testing

private enum Before {
  @Model final class Person {
    var name: String
    var nick: String?
    var age: Int
    var note: String?
    var size: Int
    init(_ name: String, _ nick: String?, _ size: Int) {
      (self.name, self.nick, age, note, self.size) = (name, nick, 1, nil, size)
    }
  }

  @Model final class Gone {
    var name = ""
    init() {}
  }

  @Model final class Toy {
    var person: Person?
    var name = ""
    init(_ person: Person?) { self.person = person }
  }
}

private enum After {
  @Model final class Person {
    @Attribute(.unique) var name: String
    var nick: String = "none"
    @Attribute(originalName: "age") var years: Int
    var email: String = ""
    var size: UInt64
    init(_ name: String) { (self.name, years, size) = (name, 1, 1) }
  }

  @Model final class Pet {
    var name = ""
    init() {}
  }

  @Model final class Toy {
    var person: Person
    var maker: Person
    var name = ""
    init(_ person: Person) { (self.person, maker) = (person, person) }
  }
}

@Suite("swiftdata migrate --dry-run", .blocking) struct MigrateTests {
  private func stores(_ people: [Before.Person]) throws -> (folder: URL, old: String, new: String) {
    let folder = try Music.folder()
    let (old, new) = (folder.appendingPathComponent("old.store"), folder.appendingPathComponent("new.store"))
    let context = ModelContext(
      try ModelContainer(for: Before.Person.self, Before.Gone.self, configurations: ModelConfiguration(url: old)))
    for person in people { context.insert(person) }
    context.insert(Before.Gone())
    try context.save()
    _ = try ModelContainer(for: After.Person.self, After.Pet.self, configurations: ModelConfiguration(url: new))
    return (folder, old.path, new.path)
  }

  @Test(
    "says what an opening with the models of another store would do, with the rows that decide, and changes nothing")
  func forecast() throws {
    let (folder, old, new) = try stores([Before.Person("a", nil, 1), Before.Person("a", "x", -1)])
    defer { try? FileManager.default.removeItem(at: folder) }
    let before = try Command.run("dump", old).output
    let result = try Command.run("migrate", old, "--like", new, "--dry-run")
    #expect(result.status == 1, "\(result.errors)")
    for line in [
      "Gone: the other store lacks the model; its rows (1 object) stay until a program lists it again",
      "needs a default: Person.nick: the property becomes required, and a value is missing in 1 object",
      "Person.years: the property was named age and keeps its values",
      "needs a default: Person.email: the property is new, and must have a value in 2 objects",
      "Person.note: the property is removed with the values of 0 objects",
      "refused: Person.size: its type was Int and is UInt64, and the value does not fit the new type in 1 object",
      "refused: Person.name: the values must be unique from now on; values that occur again: 1",
      "Pet: the model is new",
    ] { #expect(result.output.contains(line), "\(line)\n\(result.output)") }
    #expect(try Command.run("dump", old).output == before)
    #expect(
      try Command.run("migrate", old, "--like", old, "--dry-run").output
        == "the models are the same; an opening changes nothing\n")
    #expect(throws: (any Error).self) {
      try ModelContainer(
        for: After.Person.self, After.Pet.self, configurations: ModelConfiguration(url: URL(fileURLWithPath: old)))
    }
  }

  @Test("refuses nothing where the opening succeeds, and asks for --dry-run")
  func succeeds() throws {
    let (folder, old, new) = try stores([Before.Person("a", "x", 1), Before.Person("b", "y", 2)])
    defer { try? FileManager.default.removeItem(at: folder) }
    let result = try Command.run("migrate", old, "--like", new, "--dry-run")
    #expect(!result.output.contains("refused: "), "\(result.output)")
    let real = try Command.run("migrate", old, "--like", new)
    #expect(real.status == 2 && real.errors.contains("--dry-run says"), "\(real.errors)")
    let container = try ModelContainer(
      for: After.Person.self, After.Pet.self, configurations: ModelConfiguration(url: URL(fileURLWithPath: old)))
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<After.Person>()) == 2)
  }

  @Test("says how many objects lack the target that a relationship requires, which the opening refuses")
  func requiredTargets() throws {
    let folder = try Music.folder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let (old, new) = (folder.appendingPathComponent("old.store"), folder.appendingPathComponent("new.store"))
    let context = ModelContext(
      try ModelContainer(for: Before.Person.self, Before.Toy.self, configurations: ModelConfiguration(url: old)))
    for toy in [Before.Toy(Before.Person("a", "x", 1)), Before.Toy(nil)] { context.insert(toy) }
    try context.save()
    _ = try ModelContainer(for: After.Person.self, After.Toy.self, configurations: ModelConfiguration(url: new))
    let result = try Command.run("migrate", old.path, "--like", new.path, "--dry-run")
    #expect(result.status == 1, "\(result.errors)")
    for line in [
      "refused: Toy.person: the relationship becomes required, and a target is missing in 1 object",
      "refused: Toy.maker: the relationship is new, and must have a target in 2 objects",
    ] { #expect(result.output.contains(line), "\(line)\n\(result.output)") }
    #expect(throws: (any Error).self) {
      try ModelContainer(for: After.Person.self, After.Toy.self, configurations: ModelConfiguration(url: old))
    }
  }
}
