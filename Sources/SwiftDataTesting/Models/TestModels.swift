import Foundation
import SwiftData

/// The models of the checks.
enum TestModels {
  static let all: [any PersistentModel.Type] = [
    Everything.self, Author.self, Book.self, Tag.self, Person.self, Passport.self, Place.self, Pin.self, Node.self,
    Vehicle.self, Car.self, Garage.self, Account.self, Safe.self, Jewel.self, Club.self, Member.self, Single.self,
    Invoice.self, Item.self,
  ]

  enum Color: String, Codable, CaseIterable { case red, green, blue }
  enum Level: Int, Codable { case low = -1, high = 9_000 }
  struct Address: Codable, Hashable {
    var city: String
    var number: Int?
    var tags: [String] = []
  }

  /// A model with a property for each kind of value.
  @Model final class Everything {
    var name = ""
    var bool = false
    var int = 0
    var int8: Int8 = 0
    var int16: Int16 = 0
    var int32: Int32 = 0
    var int64: Int64 = 0
    var uint8: UInt8 = 0
    var uint16: UInt16 = 0
    var uint32: UInt32 = 0
    var uint64: UInt64 = 0
    var float: Float = 0
    var double = 0.0
    var decimal = Decimal(0)
    var string = ""
    var character: Character = "a"
    var date = Date(timeIntervalSinceReferenceDate: 0)
    var uuid = UUID()
    var url = URL(fileURLWithPath: "/")
    var data = Data()
    var color = Color.red
    var level: Level? = nil
    var address = Address(city: "")
    var numbers: [Int] = []
    var words: [String: Int] = [:]
    var optionalInt: Int? = nil
    var optionalString: String? = nil
    var optionalDouble: Double? = nil
    var optionalDate: Date? = nil
    var optionalData: Data? = nil
    var optionalAddress: Address? = nil
    /// The default is not nil, but nil is a valid value.
    var optionalWithDefault: Int? = 7

    init(_ name: String = "") { self.name = name }
  }

  @Model final class Author {
    var name: String
    @Relationship(deleteRule: .cascade, inverse: \Book.author) var books: [Book] = []
    init(_ name: String) { self.name = name }
  }

  @Model final class Book {
    var title: String
    var pages: Int
    var rating: Double?
    var author: Author?
    @Relationship(inverse: \Tag.books) var tags: [Tag] = []
    init(_ title: String, pages: Int = 0, rating: Double? = nil, author: Author? = nil) {
      self.title = title
      self.pages = pages
      self.rating = rating
      self.author = author
    }
  }

  @Model final class Tag {
    var name: String
    var books: [Book] = []
    init(_ name: String) { self.name = name }
  }

  @Model final class Person {
    var name: String
    @Relationship(inverse: \Passport.person) var passport: Passport?
    init(_ name: String) { self.name = name }
  }

  @Model final class Passport {
    var number: Int
    var person: Person?
    init(_ number: Int) { self.number = number }
  }

  @Model final class Place {
    var name: String
    init(_ name: String) { self.name = name }
  }

  /// A model that refers to a place without an inverse.
  @Model final class Pin {
    var label: String
    var place: Place?
    var others: [Place] = []
    init(_ label: String, _ place: Place? = nil) {
      self.label = label
      self.place = place
    }
  }

  @Model final class Node {
    var name: String
    var parent: Node?
    @Relationship(deleteRule: .cascade, inverse: \Node.parent) var children: [Node] = []
    init(_ name: String, parent: Node? = nil) {
      self.name = name
      self.parent = parent
    }
  }

  @Model class Vehicle {
    var wheels: Int
    var garage: Garage?
    init(wheels: Int) { self.wheels = wheels }
  }

  @Model final class Car: Vehicle {
    var brand: String
    init(brand: String) {
      self.brand = brand
      super.init(wheels: 4)
    }
  }

  @Model final class Garage {
    var name: String
    @Relationship(inverse: \Vehicle.garage) var vehicles: [Vehicle] = []
    init(_ name: String) { self.name = name }
  }

  @Model final class Account {
    @Attribute(.unique) var code: String
    var amount: Int
    init(_ code: String, _ amount: Int) {
      self.code = code
      self.amount = amount
    }
  }

  /// A model that cannot be deleted while it has contents.
  @Model final class Safe {
    var name: String
    @Relationship(deleteRule: .deny, inverse: \Jewel.safe) var jewels: [Jewel] = []
    init(_ name: String) { self.name = name }
  }

  @Model final class Jewel {
    var name: String
    var safe: Safe?
    init(_ name: String) { self.name = name }
  }

  /// A model whose members stay unchanged when it is deleted.
  @Model final class Club {
    var name: String
    @Relationship(deleteRule: .noAction, inverse: \Member.club) var members: [Member] = []
    init(_ name: String) { self.name = name }
  }

  @Model final class Member {
    var name: String
    var club: Club?
    init(_ name: String) { self.name = name }
  }

  /// A model without relationships.
  @Model final class Single {
    var number: Int
    init(_ number: Int) { self.number = number }
  }

  @Model final class Invoice {
    var number: Int
    @Relationship(deleteRule: .cascade, inverse: \Item.invoice) var items: [Item] = []
    init(_ number: Int) { self.number = number }
  }

  /// A model with a required invoice.
  @Model final class Item {
    var name: String
    var invoice: Invoice
    init(_ name: String, _ invoice: Invoice) {
      self.name = name
      self.invoice = invoice
    }
  }
}

typealias Everything = TestModels.Everything
typealias Author = TestModels.Author
typealias Book = TestModels.Book
typealias Tag = TestModels.Tag
typealias Person = TestModels.Person
typealias Passport = TestModels.Passport
typealias Place = TestModels.Place
typealias Pin = TestModels.Pin
typealias Node = TestModels.Node
typealias Vehicle = TestModels.Vehicle
typealias Car = TestModels.Car
typealias Garage = TestModels.Garage
typealias Account = TestModels.Account
typealias Safe = TestModels.Safe
typealias Jewel = TestModels.Jewel
typealias Club = TestModels.Club
typealias Member = TestModels.Member
typealias Single = TestModels.Single
typealias Invoice = TestModels.Invoice
typealias Item = TestModels.Item
