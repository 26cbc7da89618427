import Foundation
import SwiftData
import Testing

@Suite("Article: Getting started")
struct GettingStarted {
  @Model
  final class Trip {
    @Attribute(.unique) var name: String
    var start: Date
    var end: Date
    @Relationship(deleteRule: .cascade, inverse: \Stop.trip) var stops: [Stop] = []

    init(name: String, start: Date, end: Date) {
      self.name = name
      self.start = start
      self.end = end
    }
  }

  @Model
  final class Stop {
    var city: String
    var trip: Trip?

    init(city: String) { self.city = city }
  }

  @Test("A program saves a trip, opens the store again, and finds, changes and deletes the trip")
  func wholeLife() throws {
    let folder = try TemporaryFolder()
    let file = folder.file("trips.store")

    let container = try ModelContainer(for: Trip.self, configurations: ModelConfiguration(url: file))
    let context = ModelContext(container)

    let trip = Trip(name: "Lisbon", start: .now, end: .now + 3 * 86_400)
    trip.stops = [Stop(city: "Sintra"), Stop(city: "Cascais")]
    context.insert(trip)
    try context.save()

    #expect(try context.fetchCount(FetchDescriptor<Stop>()) == 2)
    #expect(trip.stops.allSatisfy { $0.trip === trip })

    let other = ModelContext(try ModelContainer(for: Trip.self, configurations: ModelConfiguration(url: file)))
    try find(other, expecting: ["Sintra", "Cascais"])

    trip.end += 86_400
    context.delete(trip.stops[0])
    try context.save()

    context.delete(trip)
    #expect(try context.fetchCount(FetchDescriptor<Stop>()) == 0)
    context.rollback()
    #expect(try context.fetch(FetchDescriptor<Stop>()).map(\.city) == ["Cascais"])
  }

  private func find(_ context: ModelContext, expecting cities: [String]) throws {
    let now = Date.now
    let upcoming = FetchDescriptor<Trip>(
      predicate: #Predicate { $0.end >= now },
      sortBy: [SortDescriptor(\.start)])
    for trip in try context.fetch(upcoming) {
      print(trip.name, trip.stops.map(\.city))
    }
    #expect(try context.fetch(upcoming).map { $0.stops.map(\.city) } == [cities])
  }

  @Test("Inserting a trip with a stored name updates the stored trip")
  func upsert() throws {
    let context = ModelContext(try memoryContainer(Trip.self))
    context.insert(Trip(name: "Lisbon", start: .now, end: .now))
    try context.save()

    context.insert(Trip(name: "Lisbon", start: .now, end: .now + 7 * 86_400))
    try context.save()
    print(try context.fetchCount(FetchDescriptor<Trip>()))  // 1

    #expect(try context.fetchCount(FetchDescriptor<Trip>()) == 1)
    #expect(try context.fetch(FetchDescriptor<Trip>())[0].end > .now)
  }

  @Test("A loop over values(for:) goes on when another context saves", .timeLimit(.minutes(20)))
  func live() async throws {
    let container = try memoryContainer(Trip.self)
    let context = ModelContext(container)
    async let saved: Void = container.perform { other in
      other.insert(Trip(name: "Porto", start: .now, end: .now))
      try other.save()
    }

    let trips = FetchDescriptor<Trip>(sortBy: [SortDescriptor(\.start)])
    for try await update in context.values(for: trips) {
      print("\(update.results.count) trips, \(update.changes.count) changes")
      if update.results.count > 0 { break }
    }

    try await saved
    #expect(try context.fetchCount(trips) == 1)
  }
}
