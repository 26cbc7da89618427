import Foundation
import SwiftData
import Testing

private enum Travel {
  @Model class Trip {
    @Attribute(.unique) var name: String
    var days: Int = 1
    var traveller: Traveller?
    @Relationship(deleteRule: .cascade, inverse: \Leg.trip) var legs: [Leg] = []
    init(name: String) { self.name = name }
  }

  @Model class BusinessTrip: Trip {
    var purpose: String
    var budget: Decimal?
    var office: Office?
    init(name: String, purpose: String) {
      self.purpose = purpose
      super.init(name: name)
    }
  }

  @Model final class PersonalTrip: Trip {
    enum Reason: String, Codable { case family, holiday }
    var reason: Reason = Reason.holiday
    @Relationship var friends: [Traveller] = []
    override init(name: String) { super.init(name: name) }
  }

  /// The third level.
  @Model final class Conference: BusinessTrip {
    @Attribute(.unique) var badge: String?
    var talks: [String] = []
    override init(name: String, purpose: String) { super.init(name: name, purpose: purpose) }
  }

  @Model final class Leg {
    var place: String
    var trip: Trip?
    init(place: String) { self.place = place }
  }

  @Model final class Traveller {
    var name: String
    @Relationship(inverse: \Trip.traveller) var trips: [Trip] = []
    var favourite: BusinessTrip?
    init(name: String) { self.name = name }
  }

  @Model final class Office {
    var city: String
    @Relationship(inverse: \BusinessTrip.office) var visits: [BusinessTrip] = []
    init(city: String) { self.city = city }
  }
}

@Suite struct InheritanceTests {
  private let store: TemporaryStore
  private let container: ModelContainer
  private let context: ModelContext

  init() throws {
    store = try TemporaryStore()
    container = try store.container(
      Travel.Trip.self, Travel.BusinessTrip.self, Travel.PersonalTrip.self, Travel.Conference.self)
    context = ModelContext(container)
  }

  private func fill() throws {
    context.insert(Travel.Trip(name: "plain"))
    let work = Travel.BusinessTrip(name: "work", purpose: "sell")
    work.budget = 100
    context.insert(work)
    let fun = Travel.PersonalTrip(name: "fun")
    fun.reason = .family
    context.insert(fun)
    let talk = Travel.Conference(name: "talk", purpose: "speak")
    talk.talks = ["a", "b"]
    talk.badge = "b1"
    context.insert(talk)
    try context.save()
  }

  @Test("An inverse that the related class inherits is refused, because objects of other classes have it too")
  func inheritedInverse() throws {
    let error = #expect(throws: SwiftDataError.self) {
      try memoryContext(Inherited.Print.self, Inherited.Novel.self, Inherited.Shelf.self)
    }
    #expect("\(error as Any)".contains("Shelf.novels") && "\(error as Any)".contains("Print"))
  }

  private func fetch<M: PersistentModel>(_ type: M.Type, in context: ModelContext? = nil) throws -> [M] {
    try (context ?? ModelContext(container)).fetch(FetchDescriptor<M>())
  }

  @Test("A class hierarchy is one table with the name of the class in each row")
  func table() throws {
    try fill()
    #expect(
      try store.shell(
        "SELECT name, _entity, \"BusinessTrip.purpose\", \"PersonalTrip.reason\" FROM Trip ORDER BY _pk") == """
          plain|Trip||
          work|BusinessTrip|sell|
          fun|PersonalTrip||family
          talk|Conference|speak|
          """)
    #expect(try store.shell("SELECT count(*) FROM sqlite_master WHERE name IN ('BusinessTrip', 'Conference')") == "0")
  }

  @Test("A fetch of a class gives its subclasses' objects as what they are")
  func fetching() throws {
    try fill()
    let trips = try fetch(Travel.Trip.self)
    #expect(trips.map(\.name) == ["plain", "work", "fun", "talk"])
    #expect(trips.map { String(describing: type(of: $0)) } == ["Trip", "BusinessTrip", "PersonalTrip", "Conference"])
    #expect((trips[1] as? Travel.BusinessTrip)?.budget == 100)
    #expect((trips[2] as? Travel.PersonalTrip)?.reason == .family)
    #expect((trips[3] as? Travel.Conference)?.talks == ["a", "b"])
    #expect(try fetch(Travel.BusinessTrip.self).map(\.name) == ["work", "talk"])
    #expect(try fetch(Travel.PersonalTrip.self).map(\.name) == ["fun"])
    #expect(try fetch(Travel.Conference.self).map(\.purpose) == ["speak"])
    #expect(try context.fetchCount(FetchDescriptor<Travel.BusinessTrip>()) == 2)
    let identifiers = try context.fetchIdentifiers(FetchDescriptor<Travel.Trip>())
    #expect(identifiers.map(\.entityName) == ["Trip", "BusinessTrip", "PersonalTrip", "Conference"])
    let fresh = ModelContext(container)
    #expect(identifiers.map { String(describing: type(of: fresh.model(for: $0))) } == identifiers.map(\.entityName))
  }

  @Test("One row is one object, whichever class was asked for")
  func identity() throws {
    try fill()
    let reader = ModelContext(container)
    let all = try fetch(Travel.Trip.self, in: reader)
    #expect(try fetch(Travel.Conference.self, in: reader).first === all[3])
    #expect(try fetch(Travel.BusinessTrip.self, in: reader).first === all[1])
  }

  @Test("Predicates of a subclass read its own and inherited properties, pending changes included")
  func predicates() throws {
    try fill()
    let cheap = FetchDescriptor<Travel.BusinessTrip>(
      predicate: #Predicate { $0.purpose == "sell" && $0.days == 1 }, sortBy: [SortDescriptor(\.name)])
    #expect(try context.fetch(cheap).map(\.name) == ["work"])
    let talk = try #require(try fetch(Travel.Conference.self, in: context).first)
    talk.purpose = "sell"
    #expect(try context.fetch(cheap).map(\.name) == ["talk", "work"])
    talk.days = 3
    #expect(try context.fetch(cheap).map(\.name) == ["work"])
    context.insert(Travel.Conference(name: "new", purpose: "sell"))
    #expect(try context.fetch(cheap).map(\.name) == ["new", "work"])
    #expect(try fetch(Travel.PersonalTrip.self, in: context).count == 1)
    #expect(try fetch(Travel.Trip.self, in: context).count == 5)
  }

  @Test("Changing through the parent type and through the subclass writes one row")
  func updating() throws {
    try fill()
    for trip in try fetch(Travel.Trip.self, in: context) { trip.days += 10 }
    let conference = try #require(try fetch(Travel.Conference.self, in: context).first)
    conference.talks.append("c")
    conference.budget = Decimal(string: "0.1")
    try context.save()
    #expect(try store.shell("SELECT group_concat(days) FROM Trip") == "11,11,11,11")
    let found = try #require(try fetch(Travel.Conference.self).first)
    #expect(found.talks == ["a", "b", "c"] && found.budget == Decimal(string: "0.1") && found.days == 11)
    for trip in try fetch(Travel.Trip.self, in: context) where trip is Travel.BusinessTrip { context.delete(trip) }
    try context.save()
    #expect(try fetch(Travel.Trip.self).map(\.name) == ["plain", "fun"])
  }

  @Test("Relationships to the parent class hold any child, to one and to many")
  func polymorphicRelationships() throws {
    try fill()
    let traveller = Travel.Traveller(name: "t")
    context.insert(traveller)
    let trips = try fetch(Travel.Trip.self, in: context)
    traveller.trips = [trips[3], trips[0], trips[2]]
    traveller.favourite = trips[3] as? Travel.BusinessTrip
    trips[3].legs = [Travel.Leg(place: "x")]
    try context.save()
    let reader = ModelContext(container)
    let found = try #require(try fetch(Travel.Traveller.self, in: reader).first)
    #expect(found.trips.map(\.name) == ["talk", "plain", "fun"])
    #expect(found.trips[0] is Travel.Conference && found.trips[2] is Travel.PersonalTrip)
    #expect(found.favourite === found.trips[0])
    #expect(found.trips[0].traveller === found)
    let leg = try #require(try fetch(Travel.Leg.self, in: reader).first)
    #expect((leg.trip as? Travel.Conference)?.badge == "b1")
    let children = FetchDescriptor<Travel.Trip>(predicate: #Predicate { $0.traveller?.name == "t" })
    #expect(try reader.fetch(children).map(\.name) == ["plain", "fun", "talk"])
  }

  @Test("A subclass has relationships of its own, with and without inverse")
  func subclassRelationships() throws {
    try fill()
    let office = Travel.Office(city: "Oslo")
    let (ann, bob) = (Travel.Traveller(name: "Ann"), Travel.Traveller(name: "Bob"))
    let talk = try #require(try fetch(Travel.Conference.self, in: context).first)
    let fun = try #require(try fetch(Travel.PersonalTrip.self, in: context).first)
    talk.office = office
    fun.friends = [bob, ann]
    try context.save()
    #expect(office.visits.map(\.name) == ["talk"])
    let reader = ModelContext(container)
    #expect(try fetch(Travel.Office.self, in: reader).first?.visits.first is Travel.Conference)
    #expect(try fetch(Travel.PersonalTrip.self, in: reader).first?.friends.map(\.name) == ["Bob", "Ann"])
    context.delete(office)
    context.delete(ann)
    try context.save()
    #expect(talk.office == nil && fun.friends.map(\.name) == ["Bob"])
    #expect(try store.shell("PRAGMA foreign_key_check") == "")
  }

  @Test("Cascades run for subclasses too")
  func cascading() throws {
    let talk = Travel.Conference(name: "talk", purpose: "p")
    talk.legs = [Travel.Leg(place: "a"), Travel.Leg(place: "b")]
    context.insert(talk)
    try context.save()
    context.delete(talk)
    try context.save()
    #expect(try fetch(Travel.Leg.self).isEmpty)
  }

  @Test("An unsaved value of the parent's unique property updates the stored row of the same class")
  func upsert() throws {
    try fill()
    let writer = ModelContext(container)
    let again = Travel.BusinessTrip(name: "work", purpose: "buy")
    writer.insert(again)
    try writer.save()
    let rows = try store.shell("SELECT _entity, \"BusinessTrip.purpose\", count(*) FROM Trip WHERE name = 'work'")
    #expect(rows == "BusinessTrip|buy|1")
    let badge = Travel.Conference(name: "renamed", purpose: "q")
    badge.badge = "b1"
    writer.insert(badge)
    try writer.save()
    #expect(try fetch(Travel.Conference.self).map(\.name) == ["renamed"])
  }

  @Test("A unique value that an object of another class has is an error: no object changes its class")
  func upsertOfAnotherClass() throws {
    try fill()
    let dump = try store.shell("SELECT * FROM Trip")
    let writer = ModelContext(container)
    let clash = Travel.PersonalTrip(name: "work")
    writer.insert(clash)
    let error = #expect(throws: SwiftDataError.uniquenessViolation) { try writer.save() }
    #expect(error?.description.contains("name") == true)
    #expect(error?.description.contains("BusinessTrip") == true)
    #expect(clash.persistentModelID.isTemporary)
    #expect(try store.shell("SELECT * FROM Trip") == dump)
    clash.name = "free"
    try writer.save()
    #expect(try fetch(Travel.PersonalTrip.self).map(\.name) == ["fun", "free"])
  }

  @Test("A batch delete of a class takes its subclasses along unless told not to")
  func batchDelete() throws {
    try fill()
    try context.delete(model: Travel.BusinessTrip.self, includeSubclasses: false)
    try context.save()
    #expect(try fetch(Travel.Trip.self).map(\.name) == ["plain", "fun", "talk"])
    try context.delete(model: Travel.Trip.self, where: #Predicate { $0.name != "plain" }, includeSubclasses: true)
    try context.save()
    #expect(try fetch(Travel.Trip.self).map(\.name) == ["plain"])
  }

  @Test("Leaving out a subclass whose objects the store holds is an error that names the class, and loses nothing")
  func unknownSubclass() throws {
    try fill()
    let error = #expect(throws: SwiftDataError.unknownDataStoreSchema) {
      try store.container(Travel.Trip.self, Travel.BusinessTrip.self)
    }
    #expect(error?.entity == "PersonalTrip" || error?.entity == "Conference")
    #expect(error?.description.contains("name it in ModelContainer(for:)") == true)
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Travel.Trip>()) == 4)
  }

  @Test("Rollback, undo and observation work on inherited properties")
  func inheritedChanges() throws {
    try fill()
    let talk = try #require(try fetch(Travel.Conference.self, in: context).first)
    let undo = UndoManager()
    context.undoManager = undo
    talk.name = "x"
    talk.purpose = "y"
    talk.talks = []
    undo.undo()
    #expect(talk.name == "talk" && talk.purpose == "speak" && talk.talks == ["a", "b"])
    talk.days = 9
    talk.badge = nil
    context.rollback()
    #expect(talk.days == 1 && talk.badge == "b1")
  }

  @Test("Enumerating, batches and partial fetches of a parent load what the subclasses have")
  func batches() throws {
    try fill()
    let reader = ModelContext(container)
    var talks = [String]()
    try reader.enumerate(FetchDescriptor<Travel.Trip>(), batchSize: 2) { trip in
      talks += (trip as? Travel.Conference)?.talks ?? []
    }
    #expect(talks == ["a", "b"])
    let trips = try reader.fetch(FetchDescriptor<Travel.Trip>(), batchSize: 3)
    #expect((trips[3] as? Travel.Conference)?.purpose == "speak")
    var partial = FetchDescriptor<Travel.Trip>()
    partial.propertiesToFetch = [\.name]
    let found = try ModelContext(container).fetch(partial)
    #expect(found.map(\.name) == ["plain", "work", "fun", "talk"])
    #expect((found[1] as? Travel.BusinessTrip)?.purpose == "sell")
    #expect((found[1] as? Travel.BusinessTrip)?.budget == 100)
    #expect((found[3] as? Travel.Conference)?.talks == ["a", "b"])
    #expect(found[2].days == 1)
  }

  @Test("Siblings may use one name for properties of different types and targets")
  func siblings() throws {
    let store = try TemporaryStore()
    let container = try store.container(
      Siblings.Base.self, Siblings.Left.self, Siblings.Right.self, Siblings.Third.self)
    let context = ModelContext(container)
    let (left, right, third) = (Siblings.Left(name: "l"), Siblings.Right(name: "r"), Siblings.Third(name: "t"))
    (left.size, right.size, third.size) = ("12", 12, "13")
    (left.owner, right.owner) = (Siblings.Person(name: "p"), Siblings.Company(name: "c"))
    for object in [left, right, third] { context.insert(object) }
    try context.save()
    let reader = ModelContext(container)
    let lefts = try reader.fetch(
      FetchDescriptor<Siblings.Left>(predicate: #Predicate { $0.size == "12" && $0.owner?.name == "p" }))
    #expect(lefts.map(\.size) == ["12"])
    let rights = try reader.fetch(
      FetchDescriptor<Siblings.Right>(predicate: #Predicate { $0.size == 12 && $0.owner?.name == "c" }))
    #expect(rights.map(\.owner?.name) == ["c"])
    #expect(try reader.fetch(FetchDescriptor<Siblings.Third>()).map(\.size) == ["13"])
    #expect(try reader.fetch(FetchDescriptor<Siblings.Base>(sortBy: [SortDescriptor(\.name)])).count == 3)
    try context.delete(model: Siblings.Company.self)
    try context.save()
    #expect(right.owner == nil)
    let fresh = try ModelContext(container).fetch(FetchDescriptor<Siblings.Right>())
    #expect(fresh.map { $0.owner == nil } == [true])
    #expect(try store.shell("PRAGMA foreign_key_check; PRAGMA integrity_check") == "ok")
  }
}

private enum Inherited {
  @Model class Print {
    var shelf: Shelf?
    init() {}
  }
  @Model final class Novel: Print { override init() { super.init() } }
  @Model final class Shelf {
    @Relationship(inverse: \Novel.shelf) var novels: [Novel] = []
    init() {}
  }
}

private enum Siblings {
  @Model class Base {
    var name: String
    init(name: String) { self.name = name }
  }
  @Model final class Left: Base {
    var size: String = ""
    var owner: Person?
    override init(name: String) { super.init(name: name) }
  }
  @Model final class Right: Base {
    var size: Int = 0
    var owner: Company?
    override init(name: String) { super.init(name: name) }
  }
  @Model final class Third: Base {
    var size: String = ""
    override init(name: String) { super.init(name: name) }
  }
  @Model final class Person {
    var name: String
    init(name: String) { self.name = name }
  }
  @Model final class Company {
    var name: String
    init(name: String) { self.name = name }
  }
}
