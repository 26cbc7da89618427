import Foundation
import SwiftData
import Testing

// Every query of the seed documents, as written there. The names of the documents stand for the tests' models. Those of
// document 0 are in Sorted/Tests.

/// Document 2: items and trips.
@Suite
struct Seed2QueryTests {
  private typealias Item = Item2
  private typealias Trip = Trip2
  private typealias BusinessTrip = BusinessTrip2
  private typealias PersonalTrip = PersonalTrip2

  @Test("Items: not completed, recent, or whatever a view decides")
  func items() throws {
    let context = ModelContext(try inMemory(Item2.self))
    for day in 0..<10 {
      let item = Item(title: "\(day)")
      item.isCompleted = day % 2 == 1
      item.timestamp = .now.addingTimeInterval(Double(-day) * 86_400 - 60)
      context.insert(item)
    }
    try context.save()
    let pending = #Predicate<Item> { $0.isCompleted == false }
    #expect(try context.fetchCount(FetchDescriptor(predicate: pending)) == 5)
    for showCompleted in [true, false] {
      let predicate: Predicate<Item>? =
        showCompleted
        ? nil
        : #Predicate { $0.isCompleted == false }
      #expect(try context.fetchCount(FetchDescriptor(predicate: predicate)) == (showCompleted ? 10 : 5))
    }
    let oneWeekAgo = Calendar.current.date(byAdding: .day, value: -7, to: .now)!
    let recent = FetchDescriptor<Item>(
      predicate: #Predicate { $0.timestamp > oneWeekAgo },
      sortBy: [SortDescriptor(\.timestamp, order: .reverse)]
    )
    #expect(try context.fetch(recent).map(\.title) == (0..<7).map(String.init))
  }

  @Test("Trips: of a subclass, and by a property of one")
  func trips() throws {
    let context = ModelContext(try inMemory(Trip.self, BusinessTrip.self, PersonalTrip.self))
    context.insert(BusinessTrip(name: "fair", day: 1, purpose: "sales", expenseCode: "1"))
    context.insert(PersonalTrip(name: "sea", day: 2, reason: "vacation"))
    context.insert(PersonalTrip(name: "aunt", day: 3, reason: "family"))
    context.insert(Trip(name: "somewhere", day: 4))
    try context.save()
    let businessTripPredicate = #Predicate<Trip> { $0 is BusinessTrip }
    #expect(try context.fetch(FetchDescriptor(predicate: businessTripPredicate)).map(\.name) == ["fair"])
    let vacationPredicate = #Predicate<Trip> {
      if let personal = $0 as? PersonalTrip {
        return personal.reason == "vacation"
      }
      return false
    }
    #expect(try context.fetch(FetchDescriptor(predicate: vacationPredicate)).map(\.name) == ["sea"])
  }
}

/// Document 3: tasks.
@Suite
struct Seed3QueryTests {
  private typealias Task = Task3
  private typealias Domain = Domain3

  private func tasks() throws -> ModelContext {
    let context = ModelContext(try inMemory(Task3.self))
    let rows: [(String, Domain, Int)] = [("Buy milk", .home, 1), ("Call", .work, 2), ("Plan", .home, 3)]
    for (title, domain, priority) in rows {
      let task = Task(title: title)
      task.notes = title == "Call" ? "about Milk" : ""
      task.domain = domain
      task.priority = priority
      task.completed = title == "Plan"
      context.insert(task)
    }
    try context.save()
    return context
  }

  @Test("A dynamic query for a domain, with what is completed or without")
  func dynamic() throws {
    let context = try tasks()
    func titles(domain: Domain, showCompleted: Bool) throws -> [String] {
      let predicate = #Predicate<Task> { task in
        task.domain == domain && (showCompleted || !task.completed)
      }
      let sort = [
        SortDescriptor(\Task.priority, order: .reverse),
        SortDescriptor(\.dueDate),
      ]
      return try context.fetch(FetchDescriptor(predicate: predicate, sortBy: sort)).map(\.title)
    }
    #expect(try titles(domain: .home, showCompleted: true) == ["Plan", "Buy milk"])
    #expect(try titles(domain: .home, showCompleted: false) == ["Buy milk"])
    #expect(try titles(domain: .work, showCompleted: false) == ["Call"])
  }

  @Test("A compound search of three named conditions")
  func compound() throws {
    let context = try tasks()
    func titles(_ searchText: String, _ selectedDomain: Domain?, _ minimumPriority: Int) throws -> [String] {
      let searchPredicate = #Predicate<Task> { task in
        let matchesSearch =
          searchText.isEmpty || task.title.localizedStandardContains(searchText)
          || task.notes.localizedStandardContains(searchText)

        let matchesDomain = selectedDomain == nil || task.domain == selectedDomain

        let matchesPriority = minimumPriority == 0 || task.priority >= minimumPriority

        return matchesSearch && matchesDomain && matchesPriority
      }
      let descriptor = FetchDescriptor(predicate: searchPredicate, sortBy: [SortDescriptor(\.priority)])
      return try context.fetch(descriptor).map(\.title)
    }
    #expect(try titles("", nil, 0) == ["Buy milk", "Call", "Plan"])
    #expect(try titles("MILK", nil, 0) == ["Buy milk", "Call"])
    #expect(try titles("", .home, 0) == ["Buy milk", "Plan"])
    #expect(try titles("milk", .work, 2) == ["Call"])
    #expect(try titles("milk", .home, 2) == [])
  }

  @Test("What is due within a week")
  func upcoming() throws {
    let modelContext = ModelContext(try inMemory(Task3.self))
    let now = Date()
    for day in -2..<12 {
      let task = Task(title: "\(day)")
      task.dueDate = day % 5 == 0 ? nil : now.addingTimeInterval(Double(day) * 86_400)
      modelContext.insert(task)
    }
    try modelContext.save()
    let nextWeek = now.addingTimeInterval(7 * 86_400)
    var descriptor = FetchDescriptor<Task>(
      predicate: #Predicate { task in
        task.dueDate != nil && task.dueDate! >= now && task.dueDate! <= nextWeek
      },
      sortBy: [SortDescriptor(\.dueDate)]
    )
    descriptor.fetchLimit = 20
    descriptor.propertiesToFetch = [\.title, \.dueDate]
    #expect(try modelContext.fetch(descriptor).map(\.title) == ["1", "2", "3", "4", "6", "7"])
  }
}

/// Document 4: tracks and albums.
@Suite
struct Seed4QueryTests {
  private typealias Track = Track4
  private typealias Album = Album4

  private func library() throws -> ModelContext {
    let context = ModelContext(try inMemory(Track4.self))
    let album = Album(id: "a", title: "Album Name")
    for number in 0..<12 {
      let track = Track(
        id: "\(number)", title: number == 1 ? "All my Love" : "Song \(number)",
        artist: ["Artist", "The Artist", "Other Artist", "Artist Name"][number % 4], duration: Double(150 + number * 5),
        genre: [nil, "Rock", "Classical"][number % 3])
      context.insert(track)
      if number != 7 { track.album = album }
    }
    try context.save()
    return context
  }

  @Test("Comparisons, compounds, texts and relationships")
  func predicates() throws {
    let modelContext = try library()
    func ids(_ predicate: Predicate<Track>) throws -> [Int] {
      try modelContext.fetch(FetchDescriptor(predicate: predicate)).compactMap { Int($0.id) }.sorted()
    }
    #expect(try ids(#Predicate<Track> { track in track.genre == "Rock" }) == [1, 4, 7, 10])
    #expect(try ids(#Predicate<Track> { $0.duration > 180 }) == [7, 8, 9, 10, 11])
    #expect(try ids(#Predicate<Track> { $0.artist == "Artist Name" }) == [3, 7, 11])
    #expect(try ids(#Predicate<Track> { $0.genre != nil }) == [1, 2, 4, 5, 7, 8, 10, 11])
    #expect(try ids(#Predicate<Track> { track in track.genre == "Rock" && track.duration > 180 }) == [7, 10])
    #expect(
      try ids(#Predicate<Track> { track in track.artist == "Artist" || track.artist == "Other Artist" })
        == [0, 2, 4, 6, 8, 10])
    #expect(try ids(#Predicate<Track> { track in track.title.contains("Love") }) == [1])
    #expect(try ids(#Predicate<Track> { track in track.title.localizedStandardContains("love") }) == [1])
    #expect(try ids(#Predicate<Track> { track in track.artist.hasPrefix("The ") }) == [1, 5, 9])
    #expect(
      try ids(#Predicate<Track> { track in track.album?.title == "Album Name" })
        == [0, 1, 2, 3, 4, 5, 6, 8, 9, 10, 11])
    let large = #Predicate<Album> { album in
      album.tracks.count > 10
    }
    #expect(try modelContext.fetchCount(FetchDescriptor(predicate: large)) == 1)
    let descriptor = FetchDescriptor<Track>(
      predicate: #Predicate { $0.genre == "Rock" },
      sortBy: [SortDescriptor(\.title)]
    )
    #expect(try modelContext.fetch(descriptor).map(\.id) == ["1", "10", "4", "7"])
  }

  @Test("Batch deletes by genre and of everything")
  func batchDelete() throws {
    let modelContext = try library()
    try modelContext.delete(
      model: Track.self,
      where: #Predicate { track in
        track.genre == "Classical"
      })
    try modelContext.save()
    #expect(try modelContext.fetchCount(FetchDescriptor<Track>()) == 8)
    try modelContext.delete(model: Track.self, where: #Predicate { _ in true })
    try modelContext.save()
    #expect(try modelContext.fetchCount(FetchDescriptor<Track>()) == 0)
  }

  @Test("Indexed tracks: by genre, upcoming, and older than a date")
  func indexed() throws {
    typealias Track = IndexedTrack4
    let context = ModelContext(try inMemory(IndexedTrack4.self))
    context.insert(Track(genre: "Rock", releaseDate: .distantPast))
    context.insert(Track(genre: "Jazz", releaseDate: .distantFuture))
    try context.save()
    let rock: Predicate<Track> = #Predicate { $0.genre == "Rock" }
    let upcoming: Predicate<Track> = #Predicate { $0.releaseDate > Date() }
    #expect(try context.fetch(FetchDescriptor(predicate: rock)).map(\.releaseDate) == [.distantPast])
    #expect(try context.fetch(FetchDescriptor(predicate: upcoming)).map(\.genre) == ["Jazz"])
    let date = Date()
    try context.delete(
      model: Track.self,
      where: #Predicate { track in
        track.releaseDate < date
      })
    #expect(try context.fetch(FetchDescriptor<Track>()).map(\.genre) == ["Jazz"])
  }
}
