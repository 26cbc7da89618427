import Foundation
import SwiftData
import Testing

@Suite struct SelectingTests {
  @Test("Values of properties come as tuples, or as an array of one property's, in the order of the fetch")
  func tuples() throws {
    let context = try context(saving: (0..<5).map { Specimen(serial: $0) })
    let descriptor = FetchDescriptor<Specimen>(
      predicate: #Predicate { $0.serial > 0 }, sortBy: [SortDescriptor(\.serial, order: .reverse)])
    #expect(try context.fetch(descriptor, selecting: \.serial) == [4, 3, 2, 1])
    for (serial, title, drawer) in try context.fetch(descriptor, selecting: \.serial, \.title, \.drawer?.name) {
      #expect(serial > 0 && title.isEmpty && drawer == nil)
    }
    #expect(try context.fetch(descriptor, selecting: \.persistentModelID) == context.fetchIdentifiers(descriptor))
  }

  /// Compared by text, in which NaN equals itself.
  private static func expectSame<V>(
    _ keyPath: KeyPath<Specimen, V>, _ descriptor: FetchDescriptor<Specimen>, _ context: ModelContext,
    _ models: [Specimen]
  ) throws {
    let selected = try context.fetch(descriptor, selecting: keyPath)
    #expect(selected.map(text) == models.map { text($0[keyPath: keyPath]) }, "\(keyPath)")
  }

  /// Dates as numbers, since the description of one that is far away traps.
  private static func text(_ value: Any) -> String {
    if let date = value as? Date { return "\(date.timeIntervalSinceReferenceDate)" }
    return "\(value)"
  }

  @Test("Every kind of value is what the model has, with unsaved changes and without", arguments: [false, true])
  func law(isDirty: Bool) throws {
    var data = RandomData(seed: 3)
    let context = ModelContext(try context(saving: data.objects(40)).container)
    if isDirty {
      let items = try context.fetch(FetchDescriptor<Specimen>(sortBy: [SortDescriptor(\.serial)]))
      items[3].title = "changed"
      context.delete(items[4])
      context.insert(data.specimen(77))
    }
    var descriptor = FetchDescriptor<Specimen>(sortBy: [SortDescriptor(\.level), SortDescriptor(\.title)])
    descriptor.fetchOffset = 2
    descriptor.fetchLimit = 30
    let models = try context.fetch(descriptor)
    func check<each V>(_ keyPaths: repeat KeyPath<Specimen, each V>) throws {
      for keyPath in repeat each keyPaths { try Self.expectSame(keyPath, descriptor, context, models) }
    }
    try check(\.serial, \.title, \.note, \.letter, \.number, \.maybe, \.tiny, \.huge, \.real, \.ratio, \.single)
    try check(\.price, \.flag, \.answer, \.stamp, \.due, \.code, \.link, \.bytes, \.level, \.mood, \.shape)
    try check(\.address, \.home, \.words, \.ranks, \.places, \.picture, \.weight, \.weight.grams)
    try check(\.address.city, \.address.place.y, \.address.zip, \.home?.zip, \.home?.place.x, \.address.shout)
    try check(\.drawer?.name, \.drawer?.size, \.drawer?.isLocked, \.drawer?.cabinet?.row)
    try check(\.drawer?.cabinet?.sticker.text, \.drawer?.cabinet?.sticker.weight)
    try check(\.persistentModelID, \.drawer?.persistentModelID, \.drawer?.cabinet?.persistentModelID)
    #expect(try context.fetch(descriptor, selecting: \.numbers) == models.map(\.numbers))
    #expect(try context.fetch(descriptor, selecting: \.scores) == models.map(\.scores))
  }

  @Test("It is one statement, makes no model and reads only what is asked for")
  func statements() throws {
    var data = RandomData(seed: 4)
    let context = ModelContext(try context(saving: data.objects(40)).container)
    let (rows, statements) = try SQLTrace.record {
      try context.fetch(FetchDescriptor<Specimen>(), selecting: \.title, \.drawer?.cabinet?.sticker.text)
    }
    #expect(rows.count == 40 && statements.count == 1)
    #expect(!statements[0].contains("\"words\"") && statements[0].contains("LEFT JOIN"))
  }

  @Test("Subclasses are in the result, and their identifiers name their class")
  func inheritance() throws {
    let context = try memoryContext(Printed.self, Novel.self, Atlas.self, Shelving.self)
    for index in 0..<3 {
      context.insert(Novel(title: "n\(index)", pages: index, hero: "h\(index)"))
      context.insert(Atlas(title: "a\(index)", pages: index * 10, scale: index))
    }
    try context.save()
    let reader = ModelContext(context.container)
    let all = FetchDescriptor<Printed>(sortBy: [SortDescriptor(\.title)])
    let names = try reader.fetch(all, selecting: \.persistentModelID).map(\.entityName)
    #expect(names == ["Atlas", "Atlas", "Atlas", "Novel", "Novel", "Novel"])
    #expect(try reader.fetch(FetchDescriptor<Novel>(), selecting: \.hero, \.title).map(\.0) == ["h0", "h1", "h2"])
    #expect(try reader.fetch(all, computing: .count, .sum(\.pages)) == (6, 33))
    #expect(try reader.fetch(FetchDescriptor<Atlas>(), computing: .count, .sum(\.pages)) == (3, 30))
  }

  @Test("A relationship, or what is not stored, is an error that says what to select")
  func unsupported() throws {
    let context = try context(saving: [Specimen(serial: 1)])
    let error = #expect(throws: SwiftDataError.self) {
      try context.fetch(FetchDescriptor<Specimen>(), selecting: \.drawer)
    }
    #expect(error?.message?.contains("persistentModelID") == true)
    #expect(throws: SwiftDataError.unsupportedKeyPath) {
      try context.fetch(FetchDescriptor<Specimen>(), selecting: \.stickers)
    }
    #expect(throws: SwiftDataError.transientProperty) {
      try context.fetch(FetchDescriptor<Specimen>(), selecting: \.upperTitle)
    }
    // `.unsupportedKeyPath` where a path crosses nil that Swift would trap on.
    #expect(throws: SwiftDataError.unreadableValue) {
      try context.fetch(FetchDescriptor<Specimen>(), selecting: \.drawer!.name)
    }
  }
}
