import Foundation
import SwiftData
import Testing

@Suite("A schema")
struct SchemaTests {
  typealias Trip = Agency.Trip
  typealias BusinessTrip = Agency.BusinessTrip

  @Test("takes in what relationships and superclasses lead to, and nothing else")
  func reachability() {
    #expect(Schema(Agency.Stop.self).entities.map(\.name) == ["Stop", "Trip"])
    #expect(Schema(Agency.Client.self).entities.map(\.name) == ["Client"])
    let all = Schema([BusinessTrip.self])
    #expect(all.entities.map(\.name) == ["BusinessTrip", "Trip", "Stop", "Client"])
    #expect(Set(all.entitiesByName.keys) == ["BusinessTrip", "Trip", "Stop", "Client"])
  }

  @Test("is empty without types, and has the version 1.0.0 unless told otherwise")
  func emptiness() {
    #expect(Schema().entities.isEmpty)
    #expect(Schema(Trip.self).version == Schema.Version(1, 0, 0))
    #expect(Schema([Trip.self], version: Schema.Version(2, 1, 0)).version.description == "2.1.0")
  }

  @Test("is made of a versioned schema")
  func versioned() {
    let schema = Schema(versionedSchema: Version2.self)
    #expect(schema.version == Version2.versionIdentifier)
    #expect(schema.entities.map(\.name) == ["Stop", "Trip"])
  }

  @Test("finds the entity of a type, and nothing for a type that it does not have")
  func entityOfType() {
    let schema = Schema(Agency.Client.self)
    #expect(schema.entity(for: Agency.Client.self)?.name == "Client")
    #expect(schema.entity(for: Trip.self) == nil)
    #expect(Schema.entityName(for: BusinessTrip.self) == "BusinessTrip")
  }

  @Test("describes attributes as they were declared")
  func attributes() throws {
    let entity = try #require(Schema(Trip.self).entitiesByName["Trip"])
    #expect(entity.storedProperties.map(\.name) == ["code", "name", "start", "price", "note", "isSelected", "stops"])
    let attributes = entity.attributesByName
    #expect(attributes["code"]?.isUnique == true)
    #expect(attributes["name"]?.originalName == "title")
    #expect(attributes["start"]?.originalName == "start")
    #expect(attributes["price"]?.defaultValue as? Double == 9.5)
    #expect(attributes["note"]?.isOptional == true)
    #expect(attributes["note"]?.valueType == String?.self)
    #expect(attributes["isSelected"]?.isTransient == true)
    #expect(attributes["stops"] == nil)
  }

  @Test("describes relationships with both ends")
  func relationships() throws {
    let schema = Schema(Trip.self)
    let stops = try #require(schema.entitiesByName["Trip"]?.relationshipsByName["stops"])
    #expect(stops.destination == "Stop")
    #expect(stops.inverseName == "trip")
    #expect(stops.deleteRule == .cascade)
    #expect(stops.minimumModelCount == 1)
    #expect(stops.maximumModelCount == 20)
    #expect(!stops.isToOneRelationship)
    let trip = try #require(schema.entitiesByName["Stop"]?.relationshipsByName["trip"])
    #expect(trip.isToOneRelationship)
    #expect(trip.isOptional)
    #expect(trip.inverseName == "stops")
    #expect(trip.deleteRule == .nullify)
    // Without @Relationship there are no counts.
    #expect(trip.minimumModelCount == nil && trip.maximumModelCount == nil)
  }

  @Test("names the properties of constraints and indices, inherited ones too")
  func constraints() throws {
    let schema = Schema(BusinessTrip.self)
    let trip = try #require(schema.entitiesByName["Trip"])
    #expect(trip.uniquenessConstraints == [["code"], ["name", "start"]])
    #expect(trip.indices == [["binary", "start"], ["binary", "name", "price"]])
    #expect(schema.entitiesByName["BusinessTrip"]?.indices == [["binary", "company", "name"]])
    #expect(schema.entitiesByName["Client"]?.indices == [["binary", "name"]])
  }

  @Test("connects a class with its parent and children")
  func inheritance() throws {
    let schema = Schema(BusinessTrip.self)
    let trip = try #require(schema.entitiesByName["Trip"])
    let business = try #require(schema.entitiesByName["BusinessTrip"])
    #expect(business.superentityName == "Trip")
    #expect(business.superentity === trip)
    #expect(trip.subentities.map(\.name) == ["BusinessTrip"])
    #expect(business.inheritedProperties.map(\.name) == trip.storedProperties.map(\.name))
    #expect(business.storedProperties.map(\.name) == ["company", "client"])
    #expect(business.properties.count == 9)
    #expect(business.inheritedPropertiesByName["price"]?.name == "price")
    #expect(business.storedPropertiesByName["price"] == nil)
    #expect(business.attributes.contains { $0.name == "price" })
  }

  @Test("survives a file, but for the Swift types")
  func roundTrip() throws {
    let folder = try TemporaryStore()
    let url = folder.folder.appendingPathComponent("schema.json")
    let schema = Schema([BusinessTrip.self], version: Schema.Version(3, 0, 0))
    try schema.save(to: url)
    let read = try Schema.load(from: url)
    #expect(read == schema)
    #expect(read.version == Schema.Version(3, 0, 0))
    #expect(read.encodingVersion == Schema.schemaEncodingVersion)
    let business = try #require(read.entitiesByName["BusinessTrip"])
    #expect(business.superentity?.name == "Trip")
    #expect(business.inheritedProperties.count == 7)
    #expect(business.attributesByName["price"]?.valueType == Double.self)
    #expect(business.attributesByName["price"]?.defaultValue as? Double == 9.5)
    #expect(business.attributesByName["name"]?.originalName == "title")
    #expect(business.relationshipsByName["stops"]?.isToOneRelationship == false)
    #expect(business.relationshipsByName["stops"]?.keypath == nil)
  }

  @Test("differs from another version and from other properties")
  func equality() throws {
    #expect(Schema(Trip.self) == Schema(Trip.self))
    #expect(Schema(Trip.self) != Schema([Trip.self], version: Schema.Version(2, 0, 0)))
    #expect(Schema(Trip.self) != Schema(BusinessTrip.self))
    let other = Schema(Trip.self)
    other.entitiesByName["Stop"]?.attributesByName["days"]?.hashModifier = "2"
    #expect(Schema(Trip.self) != other)
  }

  @Test("refuses a file of a later format")
  func laterFormat() throws {
    let encoded = try JSONEncoder().encode(Schema(Trip.self))
    var changed = try #require(try JSONSerialization.jsonObject(with: encoded) as? [String: Any])
    changed["encodingVersion"] = ["major": 2, "minor": 0, "patch": 0]
    let data = try JSONSerialization.data(withJSONObject: changed)
    #expect(throws: DecodingError.self) { try JSONDecoder().decode(Schema.self, from: data) }
  }

  @Test("orders versions part by part")
  func versions() {
    #expect(Schema.Version(1, 9, 9) < Schema.Version(2, 0, 0))
    #expect(Schema.Version(1, 2, 9) < Schema.Version(1, 10, 0))
    #expect(!(Schema.Version(1, 0, 0) < Schema.Version(1, 0, 0)))
  }

  @Test("names two models of one name and where they are from")
  func duplicateNames() throws {
    let schema = Schema(Agency.Stop.self, Other.Stop.self)
    let error = try #require(throws: SwiftDataError.self) { try schema.validate() }
    #expect(error == .unknownSchema)
    #expect(error.entity == "Stop")
    #expect(error.description.contains("Agency.Stop"))
  }

  @Test("is made of entities written by hand")
  func byHand() throws {
    let title = Schema.Attribute(name: "title", options: [.unique], valueType: String.self)
    let pages = Schema.Attribute(name: "pages", valueType: Int?.self)
    let novel = Schema.Entity("Novel", properties: Schema.Attribute(name: "genre", valueType: String.self))
    let book = Schema.Entity("Book", subentities: novel, properties: title, pages)
    let schema = Schema(book, novel, Schema.Entity("Shelf"))
    #expect(schema.entities.map(\.name) == ["Book", "Novel", "Shelf"])
    #expect(book.uniquenessConstraints == [["title"]])
    #expect(novel.superentityName == "Book")
    #expect(novel.properties.map(\.name) == ["title", "pages", "genre"])
    let read = try JSONDecoder().decode(Schema.self, from: JSONEncoder().encode(schema))
    #expect(read == schema)
    #expect(read.entitiesByName["Book"]?.subentities.map(\.name) == ["Novel"])
  }

  @Test("keeps the common types of attributes through a file")
  func commonTypes() throws {
    let types: [any Any.Type] = [
      Bool.self, String.self, Double.self, Float.self, Int.self, Int8.self, Int16.self, Int32.self, Int64.self,
      UInt.self, UInt8.self, UInt16.self, UInt32.self, UInt64.self, Data.self, Date.self, Decimal.self, UUID.self,
      URL.self, String?.self, Date?.self, Decimal?.self,
    ]
    for type in types {
      let entity = Schema.Entity("Values", properties: Schema.Attribute(name: "value", valueType: type))
      let read = try JSONDecoder().decode(Schema.self, from: JSONEncoder().encode(Schema(entity)))
      #expect(read.entitiesByName["Values"]?.attributesByName["value"]?.valueType == type, "\(type)")
    }
  }

  @Test("keeps the parts of a composite attribute through a file")
  func composite() throws {
    let address = Schema.CompositeAttribute(name: "address", valueType: [String: String].self)
    address.properties = [
      Schema.Attribute(name: "street", valueType: String.self), Schema.Attribute(name: "number", valueType: Int.self),
    ]
    let schema = Schema(Schema.Entity("Person", properties: address))
    let read = try JSONDecoder().decode(Schema.self, from: JSONEncoder().encode(schema))
    #expect(read == schema)
    let parts = read.entitiesByName["Person"]?.properties.first as? Schema.CompositeAttribute
    #expect(parts?.properties.map(\.name) == ["street", "number"])
    address.properties.removeLast()
    #expect(read != schema)
  }

  @Test("lets an entity's own attributes be replaced without touching inherited ones")
  func replacing() throws {
    let schema = Schema(BusinessTrip.self)
    let business = try #require(schema.entitiesByName["BusinessTrip"])
    business.attributes.insert(Schema.Attribute(name: "budget", valueType: Int.self))
    #expect(Set(business.storedProperties.map(\.name)) == ["company", "client", "budget"])
    #expect(business.inheritedProperties.count == 7)
  }
}

enum Other {
  @Model
  final class Stop {
    var x: Int
    init(x: Int) { self.x = x }
  }
}

@Suite("#Unique and #Index")
struct ConstraintCodingTests {
  @Test("survive coding by the names of their properties")
  func roundTrip() throws {
    let unique = Schema.Unique<Agency.Stop>([\.city, \.days], [\.trip])
    #expect(try JSONDecoder().decode(type(of: unique), from: JSONEncoder().encode(unique)) == unique)
    let index = Schema.Index<Agency.Stop>(.binary([\.city]), .rtree([\.days]))
    #expect(try JSONDecoder().decode(type(of: index), from: JSONEncoder().encode(index)) == index)
    #expect(Schema.Index<Agency.Stop>([\.city]) == Schema.Index(.binary([\.city])))
  }

  @Test("refuse names that the model does not have")
  func unknownName() {
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode(Schema.Unique<Agency.Stop>.self, from: Data(#"[["town"]]"#.utf8))
    }
  }

  @Test("name a key path that is no stored property as an error")
  func transient() throws {
    let error = try #require(throws: SwiftDataError.self) { try Schema(WithTransient.self).validate() }
    #expect(error == .unsupportedKeyPath)
    #expect(error.entity == "WithTransient")
    #expect(error.description.contains("list 2 of #Unique"))
  }
}

@Model
private final class WithTransient {
  #Unique<WithTransient>([\.name], [\.name, \.shout])
  var name: String
  var shout: String { "always the same" }
  init(name: String) { self.name = name }
}

@Suite("Options of an attribute")
struct AttributeOptionTests {
  @Test("in the synonyms of the seeds mean the same as Apple's")
  func synonyms() throws {
    #expect(Schema.Attribute.Option.transient == .ephemeral)
    #expect(Schema.Attribute(.originalName("old")).formerName == "old")
    #expect(Schema.Attribute(.originalName("old")).options.isEmpty)
    #expect(Schema.Attribute(originalName: "older", hashModifier: "1").formerName == "older")
    #expect(Schema.Relationship.DeleteRule.none == .noAction)
    #expect(Schema.Relationship(minimum: 2, maximum: 3).minimumModelCount == 2)
    #expect(Schema.Relationship(maximum: 3).maximumModelCount == 3)
    let entity = try #require(Schema(Agency.Client.self).entities.first)
    #expect(entity.attributesByName["name"]?.originalName == "fullName")
  }

  @Test("survive coding")
  func coding() throws {
    let options: [Schema.Attribute.Option] = [
      .unique, .externalStorage, .allowsCloudEncryption, .preserveValueOnDeletion, .ephemeral, .spotlight, .codable,
      .indexed, .originalName("x"), .transformable(by: "T"), .transformable(by: CapitalTransformer.self),
    ]
    #expect(Set(options).count == options.count)
    #expect(try JSONDecoder().decode([Schema.Attribute.Option].self, from: JSONEncoder().encode(options)) == options)
  }

  @Test("may be changed from several threads at once")
  func concurrency() async {
    let attribute = Schema.Attribute(name: "x", valueType: Int.self)
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<8 {
        group.addTask {
          for number in 0..<500 {
            attribute.defaultValue = number
            attribute.name = "x\(number)"
            _ = attribute.defaultValue
          }
        }
      }
    }
    #expect(attribute.name == "x499")
  }
}

private enum Version2: VersionedSchema {
  static let models: [any PersistentModel.Type] = [Agency.Stop.self]
  static let versionIdentifier = Schema.Version(2, 0, 0)
}
