import Foundation
import Observation
import SwiftData
import SwiftDataQuery
import Testing

@Suite("Article: Live results")
struct LiveResults {
  @Model
  final class Ticket {
    var title: String
    var room: String
    var isDone: Bool = false

    init(title: String, room: String) {
      self.title = title
      self.room = room
    }
  }

  struct Board {
    @Query(filter: #Predicate<Ticket> { !$0.isDone }, sort: \.title) var tickets: [Ticket]
  }

  private let container: ModelContainer

  init() throws { container = try memoryContainer(Ticket.self) }

  @Test("A loop goes on when another context saves, with the differences", .timeLimit(.minutes(20)))
  func loop() async throws {
    let context = ModelContext(container)
    context.insert(Ticket(title: "paint", room: "1"))
    try context.save()
    async let saved: Void = container.perform { other in
      other.insert(Ticket(title: "clean", room: "2"))
      try other.save()
    }

    let open = FetchDescriptor<Ticket>(
      predicate: #Predicate { !$0.isDone }, sortBy: [SortDescriptor(\.title)])
    var shown: [String] = []
    for try await update in context.values(for: open) {
      shown = update.results.map(\.title)
      for change in update.changes {
        switch change {
        case .insert(let ticket, let index): print("insert \(ticket.title) at \(index)")
        case .delete(_, let index): print("delete at \(index)")
        case .move(_, let from, let to): print("move from \(from) to \(to)")
        case .update(let ticket, let index): print("update \(ticket.title) at \(index)")
        }
      }
      if shown.count == 2 { break }
    }

    try await saved
    #expect(shown == ["clean", "paint"])
  }

  @Test("An observer has results and sections that follow unsaved changes")
  func observer() throws {
    let context = ModelContext(container)
    context.insert(Ticket(title: "paint", room: "1"))
    try context.save()

    let observer = try ResultsObserver<Ticket, String>(
      sortBy: [SortDescriptor(\.room), SortDescriptor(\.title)], sectionBy: \.room, modelContext: context)
    withObservationTracking {
      print(observer.results.count)
    } onChange: {
      print("the tickets changed")
    }
    if let sections = observer.sections {
      for section in sections { print(section.title, section.map(\.title)) }
    }

    context.insert(Ticket(title: "clean", room: "2"))
    #expect(observer.results.count == 2)
    #expect(observer.sections?.map(\.title) == ["1", "2"])
  }

  @Test("A query takes the context around it")
  func query() throws {
    let context = ModelContext(container)
    context.insert(Ticket(title: "paint", room: "1"))

    let board = withModelContext(context) { Board() }
    print(board.tickets.map(\.title))

    #expect(board.tickets.map(\.title) == ["paint"])
  }

  @Test("An observer of the history counts the saves of its models")
  func history() throws {
    let saves = try HistoryObserver(observedModels: [Ticket.self], modelContainer: container)
    withObservationTracking {
      print(saves.eventCounter)
    } onChange: {
      print("a ticket was saved")
    }

    let context = ModelContext(container)
    context.insert(Ticket(title: "paint", room: "1"))
    try context.save()
    #expect(saves.eventCounter == 1)
  }
}
