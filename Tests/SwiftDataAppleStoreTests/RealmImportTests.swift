import Foundation
import SwiftData
import SwiftDataAppleStore
import SwiftDataInspection
import Testing

@Suite("Importing Realm Studio's JSON") struct RealmImportTests {
  @Model final class Person {
    var born: Date?
    var id: UUID
    var name: String
    var dogs: [Dog] = []
    var height: Double
    var tags: [String]
    var address: JSONValue?
    init(id: UUID, name: String, height: Double, tags: [String]) {
      (self.id, self.name, self.height, self.tags) = (id, name, height, tags)
    }
  }

  @Model final class Dog {
    var name: String
    var age: Int
    var isGood: Bool
    @Relationship(inverse: \Person.withoutInverse) var owner: Person?
    var price: Decimal
    init(name: String, age: Int, isGood: Bool, price: Decimal) {
      (self.name, self.age, self.isGood, self.price) = (name, age, isGood, price)
    }
  }

  private static let ids = ["0B1FD1E1-0F4D-4B52-9C35-7C0B7C4F6A11", "5C2E8B0A-6A3B-4D0E-8F5D-2B1C9E7D3F22"]

  /// The form of version 13 and later: texts and objects are members of the outermost array.
  private static func flatted() throws -> Data {
    var members: [Any] = []
    func add(_ value: Any) -> String {
      members.append(value)
      return String(members.count - 1)
    }
    func object(_ fields: [String: Any]) -> [String: Any] {
      fields.mapValues { value in
        switch value {
        case let text as String: text.hasPrefix("@") ? String(text.dropFirst()) : add(text)
        case let fields as [String: Any]: add(object(fields))
        case let list as [String]: add(list.map { $0.hasPrefix("@") ? String($0.dropFirst()) : add($0) })
        default: value
        }
      }
    }
    members.append([:])
    // Persons link to copies of dogs, which link back to the persons of this list.
    let (first, second, rex, ida) = (add(0), add(0), add(0), add(0))
    func dog(_ name: String, _ owner: String) -> [String: Any] {
      ["name": name, "age": 3, "isGood": true, "owner": owner, "price": ["$numberDecimal": "1.50"]]
    }
    members[Int(rex)!] = object(dog("Rex", "@" + first))
    members[Int(ida)!] = object(dog("Ida", "@" + first))
    func person(_ index: Int, _ dogs: [String]) -> [String: Any] {
      [
        "id": ids[index], "name": index == 0 ? "Ann" : "Cafe\u{301}", "height": index == 0 ? 1 : 1.75,
        "born": index == 0 ? "1999-12-31T23:59:59.500Z" : NSNull(), "tags": index == 0 ? ["a", "b"] : [],
        "address": index == 0 ? ["city": "Oslo", "zip": 150] : NSNull(), "dogs": dogs,
      ]
    }
    members[Int(first)!] = object(person(0, ["@" + ida, "@" + rex]))
    members[Int(second)!] = object(person(1, []))
    // The list of dogs has copies of its own.
    let (owner, rexCopy, idaCopy) = (add(0), add(0), add(0))
    members[Int(rexCopy)!] = object(dog("Rex", "@" + owner))
    members[Int(idaCopy)!] = object(dog("Ida", "@" + owner))
    members[Int(owner)!] = object(person(0, ["@" + idaCopy, "@" + rexCopy]))
    let dogs = add([rexCopy, idaCopy])
    members[0] = ["Person": add([first, second]), "Dog": dogs]
    return try JSONSerialization.data(withJSONObject: members)
  }

  /// The form before version 13 with cycles.
  private static let nested = Data(
    """
    {"Dog": [{"$refId": "Dog#0", "name": "Rex", "age": 3, "isGood": true, "price": {"$numberDecimal": "1.50"},
      "owner": {"$refId": "Person#0", "id": "\(ids[0])", "name": "Ann", "height": 1, "born": "1999-12-31T23:59:59.500Z",
        "tags": ["a", "b"], "address": {"city": "Oslo", "zip": 150}, "dogs": [{"$refId": "Dog#1", "name": "Ida", "age": 3,
          "isGood": true, "price": {"$numberDecimal": "1.50"}, "owner": {"$ref": "Person#0"}}, {"$ref": "Dog#0"}]}},
      {"$ref": "Dog#1"}],
     "Person": [{"$ref": "Person#0"}, {"$refId": "Person#1", "id": "\(ids[1])", "name": "Cafe\u{301}", "height": 1.75,
       "born": null, "tags": [], "address": null, "dogs": []}]}
    """.utf8)

  private static func write(_ data: Data) throws -> URL {
    let file = try Library.folder().appendingPathComponent("export.json")
    try data.write(to: file)
    return file
  }

  @Test("Every form of the export gives the same objects and links", arguments: [false, true])
  func forms(isFlatted: Bool) throws {
    let file = try Self.write(isFlatted ? try Self.flatted() : Self.nested)
    let target = file.deletingLastPathComponent().appendingPathComponent("realm.store")
    var first = try RealmImport(file)
    #expect(first.declarations.contains("var price: Decimal"))
    #expect(first.declarations.contains("var dogs: [Dog] = []"))
    #expect(first.declarations.contains("@Relationship(inverse: \\Person.withoutInverse)\n  var owner: Person?"))
    #expect(try !first.copy(into: target).isRepeated)
    // Again without doubling.
    var second = try RealmImport(file)
    let report = try second.copy(into: target)
    #expect(report.isRepeated)
    #expect(report.tables.map(\.rows) == [2, 2, 2])
    let container = try ModelContainer(
      for: Schema([Person.self, Dog.self]), configurations: [ModelConfiguration(url: target)])
    #expect(container.migrations.allSatisfy { $0.steps.allSatisfy(\.changes.isEmpty) })
    let context = ModelContext(container)
    let people = try context.fetch(FetchDescriptor<Person>(sortBy: [SortDescriptor(\.height)]))
    #expect(people.map(\.name) == ["Ann", "Café"])
    #expect(people.map(\.id.uuidString) == Self.ids)
    #expect(people[0].born == Date(timeIntervalSinceReferenceDate: -31_622_400.5))
    #expect(people[0].dogs.map(\.name) == ["Ida", "Rex"])
    #expect(people[0].dogs.allSatisfy { $0.owner === people[0] && $0.price == 1.5 && $0.isGood })
    #expect(people[0].tags == ["a", "b"])
    #expect(people[0].address == .object(["city": .string("Oslo"), "zip": .integer(150)]))
    #expect(people[1].dogs.isEmpty && people[1].born == nil)
    let name = "Café"
    #expect(try context.fetchCount(FetchDescriptor<Person>(predicate: #Predicate { $0.name == name })) == 1)
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Dog>()) == 2)
  }

  @Test("Objects with equal values are told apart as far as links allow, and the report counts the rest")
  func equalObjects() throws {
    let text = """
      {"Box": [{"items": [{"name": "a"}]}, {"items": [{"name": "b"}]}],
       "Item": [{"name": "a"}, {"name": "a"}, {"name": "b"}]}
      """
    let file = try Self.write(Data(text.utf8))
    var realm = try RealmImport(file)
    let target = file.deletingLastPathComponent().appendingPathComponent("realm.store")
    let report = try realm.copy(into: target)
    #expect(report.losses.contains { $0.hasPrefix("1 links lead to one of several objects") })
    let store = try InspectedStore(target.path)
    #expect(try store.rows(of: "Box", limit: 10).map { $0.related["items"] } == [[1], [3]])
  }

  @Test("Lists that repeat without end are refused, and embedded objects that contain each other are cut")
  func endlessExports() throws {
    // Each list names the next twice: two to the power of a hundred values.
    let lists = (2..<102).map { "[\"\($0)\",\"\($0)\"]" }.joined(separator: ",")
    let bomb = try Self.write(Data("[{\"A\":\"1\"},\(lists),{}]".utf8))
    #expect(throws: SwiftDataError.self) { _ = try RealmImport(bomb) }
    let cycle = "[{\"A\":\"1\"},[\"2\"],{\"a\":\"3\",\"b\":\"3\"},{\"c\":\"4\",\"d\":\"4\"},{\"e\":\"3\",\"f\":\"3\"}]"
    let file = try Self.write(Data(cycle.utf8))
    var export = try RealmImport(file)
    let report = try export.copy(into: file.deletingLastPathComponent().appendingPathComponent("realm.store"))
    #expect(report.losses.contains { $0.contains("contain themselves") })
  }

  @Test("What is no export is refused, and nothing is made")
  func refused() throws {
    for text in [
      "", "nonsense", "3", "[]", "[1]", "[{\"A\": \"7\"}]", "[{\"A\": \"1\"}, 5]", "{\"A\": 1}",
      "[{\"A\": \"1\"}, [\"1\"]]", String(repeating: "[", count: 100_000),
    ] {
      let file = try Self.write(Data(text.utf8))
      #expect(throws: SwiftDataError.self, "\(text.prefix(40))") { _ = try RealmImport(file) }
    }
    let file = try Self.write(Data("{}".utf8))
    let other = file.deletingLastPathComponent().appendingPathComponent("other.store")
    try Data("not a store".utf8).write(to: other)
    var empty = try RealmImport(file)
    #expect(throws: SwiftDataError.self) { try empty.copy(into: other) }
    #expect(try Data(contentsOf: other) == Data("not a store".utf8))
  }
}
