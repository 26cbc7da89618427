import Foundation
import SwiftData
import Testing

private enum Pages {
  @Model final class Letter {
    #Index<Letter>([\.sent], [\.folder, \.sent])
    var number: Int
    var folder: String
    var sent: Date
    var read: Date?

    init(_ number: Int, folder: String = "in", sent: Date, read: Date? = nil) {
      self.number = number
      self.folder = folder
      self.sent = sent
      self.read = read
    }
  }
}

@Suite struct KeysetTests {
  private func letters(_ count: Int) throws -> ModelContext {
    let context = try memoryContext(Pages.Letter.self)
    context.insert(
      contentsOf: (0..<count).map { number in
        Pages.Letter(
          number, folder: ["in", "out"][number % 2], sent: Date(timeIntervalSinceReferenceDate: Double(number / 2)),
          read: number % 3 == 0 ? nil : Date(timeIntervalSinceReferenceDate: Double(number % 7)))
      })
    try context.save()
    return ModelContext(context.container)
  }

  /// All pages one after the other are the whole fetch.
  private func expectPages(
    _ descriptor: FetchDescriptor<Pages.Letter>, _ context: ModelContext,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let all = try context.fetch(descriptor).map(\.number)
    var descriptor = descriptor
    descriptor.fetchLimit = 7
    var (numbers, page) = ([Int](), try context.fetch(descriptor))
    while let last = page.last {
      numbers += page.map(\.number)
      #expect(page.count == 7 || numbers.count == all.count, sourceLocation: sourceLocation)
      page = try context.fetch(descriptor, after: last)
    }
    #expect(numbers == all, sourceLocation: sourceLocation)
  }

  @Test("Pages of many unsaved objects among stored ones are the whole", arguments: [0, 40])
  func unsaved(stored: Int) throws {
    let context = try letters(stored)
    for number in 0..<30 {
      context.insert(Pages.Letter(100 + number, sent: Date(timeIntervalSinceReferenceDate: Double(number))))
    }
    for letter in try context.fetch(FetchDescriptor<Pages.Letter>()).prefix(10) { letter.sent += 5 }
    for order in [SortDescriptor<Pages.Letter>(\.sent), SortDescriptor(\.sent, order: .reverse)] {
      try expectPages(FetchDescriptor(sortBy: [order]), context)
    }
  }

  @Test("Pages put together are the whole, in either direction, with ties, nil and several descriptors")
  func pages() throws {
    let context = try letters(100)
    let orders: [[SortDescriptor<Pages.Letter>]] = [
      [], [SortDescriptor(\.sent)], [SortDescriptor(\.sent, order: .reverse)], [SortDescriptor(\.read)],
      [SortDescriptor(\.read, order: .reverse)], [SortDescriptor(\.folder), SortDescriptor(\.read, order: .reverse)],
      [SortDescriptor(\.read), SortDescriptor(\.folder, order: .reverse), SortDescriptor(\.sent, order: .reverse)],
    ]
    for order in orders {
      try expectPages(FetchDescriptor(sortBy: order), context)
      try expectPages(FetchDescriptor(predicate: #Predicate { $0.folder == "in" }, sortBy: order), context)
    }
  }

  @Test("Every page of a deep list is found by the index, in as many steps as the first ones")
  func flat() throws {
    let context = try letters(20_000)
    var descriptor = FetchDescriptor<Pages.Letter>(sortBy: [SortDescriptor(\.sent, order: .reverse)])
    descriptor.fetchLimit = 20
    let all = try context.fetch(FetchDescriptor<Pages.Letter>(sortBy: [SortDescriptor(\.sent, order: .reverse)]))
    let steps = try [20, 1_000, 10_000, 19_000].map { depth in
      try SQLTrace.steps {
        let page = try context.fetch(descriptor, after: all[depth])
        #expect(page.map(\.number) == all[(depth + 1)...(depth + 20)].map(\.number))
      }
    }
    #expect(steps.max()! - steps.min()! <= 20, "\(steps)")
    let (_, statements) = try SQLTrace.record { try context.fetch(descriptor, after: all[10_000]) }
    #expect(statements.count == 2, "those that were sent at the same time, and those before")
    var folder = FetchDescriptor<Pages.Letter>(
      predicate: #Predicate { $0.folder == "in" }, sortBy: [SortDescriptor(\.sent)])
    folder.fetchLimit = 20
    let inbox = all.filter { $0.folder == "in" }
    let early = try SQLTrace.steps { _ = try context.fetch(folder, after: inbox[9_000]) }
    let late = try SQLTrace.steps { _ = try context.fetch(folder, after: inbox[100]) }
    #expect(abs(early - late) <= 20 && early < 3_000, "\(early) and \(late)")
  }

  @Test("Many rows with equal values cost no more, since their age leads into the index")
  func ties() throws {
    let context = try memoryContext(Pages.Letter.self)
    context.insert(contentsOf: (0..<10_000).map { Pages.Letter($0, sent: Date(timeIntervalSinceReferenceDate: 0)) })
    try context.save()
    var descriptor = FetchDescriptor<Pages.Letter>(sortBy: [SortDescriptor(\.sent)])
    let all = try context.fetch(descriptor)
    descriptor.fetchLimit = 10
    let steps = try [10, 9_000].map { depth in
      try SQLTrace.steps {
        let page = try context.fetch(descriptor, after: all[depth])
        #expect(page.first?.number == depth + 1)
      }
    }
    #expect(abs(steps[0] - steps[1]) <= 5, "\(steps)")
  }

  @Test("The place is the model's values in memory: also of one that is deleted, new, changed, or of another context")
  func places() throws {
    let context = try letters(40)
    let descriptor = FetchDescriptor<Pages.Letter>(sortBy: [SortDescriptor(\.sent)])
    let all = try context.fetch(descriptor)
    let foreign = try ModelContext(context.container).fetch(descriptor)[30]
    #expect(try context.fetch(descriptor, after: foreign).map(\.number) == Array(31..<40))
    context.delete(all[30])
    #expect(try context.fetch(descriptor, after: all[30]).map(\.number) == Array(31..<40))
    try context.save()
    #expect(try context.fetch(descriptor, after: all[30]).map(\.number) == Array(31..<40))
    let new = Pages.Letter(99, sent: Date(timeIntervalSinceReferenceDate: 18))
    #expect(try context.fetch(descriptor, after: new).map(\.number) == [38, 39])
    context.insert(new)
    #expect(try context.fetch(descriptor, after: new).map(\.number) == [38, 39])
    #expect(try context.fetch(descriptor, after: all[36]).map(\.number) == [37, 99, 38, 39])
    all[2].sent = Date(timeIntervalSinceReferenceDate: 18.5)
    #expect(try context.fetch(descriptor, after: all[2]).map(\.number) == [38, 39])
    var stored = descriptor
    stored.includePendingChanges = false
    #expect(try context.fetch(stored, after: all[36]).map(\.number) == [37, 38, 39])
    stored.fetchOffset = 1
    stored.fetchLimit = 1
    #expect(try context.fetch(stored, after: all[36]).map(\.number) == [38])
    stored.fetchLimit = 0
    #expect(try context.fetch(stored, after: all[36]).isEmpty)
  }

  @Test("With unsaved changes a page is a page, not the whole table")
  func pendingChanges() throws {
    let context = try letters(5_000)
    var descriptor = FetchDescriptor<Pages.Letter>(sortBy: [SortDescriptor(\.sent)])
    let all = try context.fetch(descriptor)
    all[0].folder = "moved"
    descriptor.fetchLimit = 10
    let steps = try SQLTrace.steps {
      let page = try context.fetch(descriptor, after: all[4_000])
      #expect(page.map(\.number) == Array(4_001...4_010))
    }
    #expect(steps < 3_000, "\(steps)")
  }

  @Test("After any model comes what Swift finds after it, with unsaved changes and without", arguments: UInt64(1)...4)
  func law(seed: UInt64) throws {
    var data = RandomData(seed: seed)
    data.isNormalized = seed % 2 == 0
    let context = ModelContext(try SwiftDataTests.context(saving: data.objects(50)).container)
    if seed > 2 {
      let items = try context.fetch(FetchDescriptor<Specimen>(sortBy: [SortDescriptor(\.serial)]))
      for item in items.prefix(5) {
        item.title = data.text()
        item.due = nil
        item.real = 1.5
      }
      items[7].drawer?.size = 3
      context.delete(items[11])
      context.insert(data.specimen(500))
    }
    func order() -> SortOrder { data.random.pick([.forward, .reverse]) }
    let sorts: [() -> SortDescriptor<Specimen>] = [
      { SortDescriptor(\.title, order: order()) }, { SortDescriptor(\.note, order: order()) },
      { SortDescriptor(\.huge, order: order()) }, { SortDescriptor(\.level, order: order()) },
      { SortDescriptor(\.price, order: order()) }, { SortDescriptor(\.number, order: order()) },
      { SortDescriptor(\.maybe, order: order()) }, { SortDescriptor(\.drawer?.size, order: order()) },
      { SortDescriptor(\.address.city, order: order()) }, { SortDescriptor(\.code, order: order()) },
      { SortDescriptor(\.drawer?.cabinet?.row, order: order()) },
    ]
    for _ in 0..<60 {
      var descriptor = FetchDescriptor<Specimen>()
      descriptor.sortBy = (0..<data.random.int(1..<4)).map { _ in data.random.pick(sorts)() }
      let all = try context.fetch(descriptor)
      let start = data.random.int(0..<all.count)
      if data.random.int(0..<2) == 0 { descriptor.fetchLimit = data.random.int(1..<20) }
      if data.random.int(0..<4) == 0 { descriptor.fetchOffset = data.random.int(0..<5) }
      let expected = all.dropFirst(start + 1 + (descriptor.fetchOffset ?? 0)).prefix(descriptor.fetchLimit ?? .max)
      let found = try context.fetch(descriptor, after: all[start])
      #expect(found.map(\.serial) == expected.map(\.serial), "seed \(seed), \(descriptor.sortBy)")
    }
  }
}
