import Foundation
import SwiftData
import SwiftDataQuery
import Testing

@Suite("Article: Coming from Apple's SwiftData")
struct ComingFromApple {
  @Model
  final class Trip {
    @Attribute(.unique) var name: String
    var status: Status = Status.planned
    var seats: Int = 1
    var isArchived: Bool = false
    @Relationship(deleteRule: .cascade, inverse: \Stop.trip) var stops: [Stop] = []

    init(name: String) { self.name = name }
  }

  @Model
  final class Stop {
    var city: String
    var trip: Trip?

    init(city: String) { self.city = city }
  }

  enum Status: String, Codable { case planned, done }

  struct TripList {
    @Query(filter: #Predicate { !$0.isArchived }, sort: \.name) var trips: [Trip]
  }

  private let container: ModelContainer
  private let context: ModelContext

  init() throws {
    container = try memoryContainer(Trip.self)
    context = ModelContext(container)
    for name in ["Porto", "Lisbon"] { context.insert(Trip(name: name)) }
    try context.save()
  }

  @Test("A query works outside SwiftUI, with the context around it")
  func query() throws {
    let list = withModelContext(context) { TripList() }
    print(list.trips.map(\.name))  // ["Lisbon", "Porto"]

    #expect(list.trips.map(\.name) == ["Lisbon", "Porto"])
    context.insert(Trip(name: "Faro"))
    #expect(list.trips.map(\.name) == ["Faro", "Lisbon", "Porto"])
  }

  @Test("Predicates compare enums and take several statements")
  func predicates() throws {
    let planned = #Predicate<Trip> { trip in
      guard !trip.isArchived else { return false }
      return trip.status == .planned && trip.name.hasPrefix("L")
    }

    #expect(try context.fetch(FetchDescriptor(predicate: planned)).map(\.name) == ["Lisbon"])
  }

  @Test("The store computes what a loop over objects would")
  func inTheStore() throws {
    let trips = FetchDescriptor<Trip>()
    let seats = try context.fetch(trips, computing: .sum(\.seats))
    let perStatus = try context.fetch(trips, groupedBy: \.status, computing: .count)
    try context.update(model: Trip.self, where: #Predicate { $0.status == .done }, set: .assign(\.isArchived, true))

    #expect(seats == 2)
    #expect(perStatus.map(\.0) == [.planned] && perStatus.map(\.1) == [2])
  }

  @Test("A deleted object can still be read")
  func deleted() throws {
    let trip = try #require(try context.fetch(FetchDescriptor<Trip>(sortBy: [SortDescriptor(\.name)])).first)
    context.delete(trip)
    try context.save()
    #expect(trip.name == "Lisbon" && trip.modelContext == nil)
  }

  @Test("Objects of two contexts that are related make the save throw, where Apple's framework traps")
  func crossContext() throws {
    let other = ModelContext(container)
    let trip = try #require(try context.fetch(FetchDescriptor<Trip>()).first)
    let stop = Stop(city: "Sintra")
    other.insert(stop)
    stop.trip = trip
    #expect(throws: SwiftDataError.relationshipAcrossContexts) { try other.save() }
  }
}
