import Foundation
import SwiftData
import Testing

@Suite struct SectionTests {
  private let context: ModelContext

  init() throws {
    let drawers = [Drawer(name: "left"), Drawer(name: "right")]
    let items = (0..<500).map { index in
      let item = Specimen(serial: index)
      item.title = ["caf\u{E9}", "cafe\u{301}", "tea"][index % 3]
      item.note = index % 2 == 0 ? nil : "odd"
      item.drawer = index % 5 == 0 ? nil : drawers[index % 2]
      return item
    }
    context = ModelContext(try SwiftDataTests.context(saving: drawers + items).container)
  }

  @Test("Sections are titles and models, by position, by title, and as collections of collections")
  func collection() throws {
    let descriptor = FetchDescriptor<Specimen>(sortBy: [SortDescriptor(\.title), SortDescriptor(\.serial)])
    let sections: SectionedResults<Specimen, String> = try context.fetch(descriptor, sectionBy: \.title)
    #expect(sections.sectionTitles == ["caf\u{E9}", "tea"] && sections.count == 2)
    #expect(sections.map(\.count) == [334, 166] && sections[1].id == "tea" && sections[1].title == "tea")
    #expect(sections[1].map(\.serial) == Array(stride(from: 2, to: 500, by: 3)))
    #expect(sections[sectionTitle: "cafe\u{301}"]?.first?.serial == 0)
    #expect(sections[sectionTitle: "cocoa"] == nil)
    #expect(sections[0][333].serial == 499 && sections[0].last === sections[0][333])
    let none = FetchDescriptor<Specimen>(predicate: #Predicate { $0.serial < 0 })
    #expect(try context.fetch(none, sectionBy: \.title).isEmpty)
  }

  @Test("Nil is a section, and sections come in the order of their first models")
  func order() throws {
    let reversed = FetchDescriptor<Specimen>(sortBy: [SortDescriptor(\.serial, order: .reverse)])
    #expect(try context.fetch(reversed, sectionBy: \.note).sectionTitles == ["odd", nil])
    let names = try context.fetch(reversed, sectionBy: \.drawer?.name)
    #expect(names.sectionTitles == ["right", "left", nil] && names[2].first?.serial == 495)
    let groups = try context.fetch(reversed, sectionBy: \.drawer?.persistentModelID)
    #expect(groups[0].allSatisfy { $0.drawer?.persistentModelID == groups[0].title } && groups[2].title == nil)
  }

  @Test("One statement counts; a section that is not touched loads nothing, and a touched one loads in batches")
  func statements() throws {
    let reader = ModelContext(context.container)
    let (sections, counted) = try SQLTrace.record {
      try reader.fetch(FetchDescriptor<Specimen>(), sectionBy: \.note)
    }
    #expect(counted.count == 1 && counted[0].contains("GROUP BY") && sections.map(\.count) == [250, 250])
    let (first, touched) = SQLTrace.record { sections[1][0].serial }
    #expect(first == 1 && touched.count == 2, "the keys of the section, and its first batch")
    let (_, again) = SQLTrace.record { sections[1].prefix(100).map(\.serial) }
    #expect(again.isEmpty)
    let (_, all) = SQLTrace.record { sections[1].map(\.serial) }
    #expect(all.count == 2, "the two batches that are left")
  }

  @Test("A section keeps its count when others save before it is loaded")
  func others() throws {
    let sorted = FetchDescriptor<Specimen>(sortBy: [SortDescriptor(\.serial)])
    let sections = try context.fetch(sorted, sectionBy: \.note)
    let other = ModelContext(context.container)
    let items = try other.fetch(FetchDescriptor<Specimen>(sortBy: [SortDescriptor(\.serial)]))
    items[0].note = "odd"
    other.insert(Specimen(serial: 1_000))
    try other.save()
    #expect(sections[0].count == 250 && sections[0].first?.serial == 2 && sections[0].last?.serial == 1_000)
    #expect(sections[1].count == 250 && sections[1].first?.serial == 0)
    let late = try context.fetch(sorted, sectionBy: \.level)
    try other.delete(model: Specimen.self)
    try other.save()
    #expect(late[0].count == 501 && late[0][300].modelContext == nil, "placeholders for what is gone")
  }

  @Test(
    "Sections are what Swift makes of the fetched models, with unsaved changes and without", arguments: [false, true])
  func law(isDirty: Bool) throws {
    var data = RandomData(seed: 11)
    let context = ModelContext(try SwiftDataTests.context(saving: data.objects(60)).container)
    if isDirty {
      let items = try context.fetch(FetchDescriptor<Specimen>(sortBy: [SortDescriptor(\.serial)]))
      for item in items.prefix(6) { item.note = data.text() }
      context.delete(items[9])
      context.insert(data.specimen(900))
    }
    let identifiers = try context.fetchIdentifiers(FetchDescriptor<Drawer>())
    let specimens = try context.fetchIdentifiers(FetchDescriptor<Specimen>())
    for number in 0..<40 {
      var descriptor = FetchDescriptor<Specimen>()
      if number % 3 > 0 {
        var generator = RandomPredicate(
          seed: UInt64(number), identifiers: specimens, drawerIdentifiers: identifiers)
        descriptor.predicate = generator.predicate(depth: 2)
      }
      if number % 2 > 0 { descriptor.sortBy = [SortDescriptor(\.level), SortDescriptor(\.title, order: .reverse)] }
      if number % 5 == 0 { (descriptor.fetchOffset, descriptor.fetchLimit) = (3, 20) }
      let models = try context.fetch(descriptor)
      func check<Title: Hashable>(_ keyPath: KeyPath<Specimen, Title>) throws {
        let sections = try context.fetch(descriptor, sectionBy: keyPath)
        let groups = Dictionary(grouping: models) { $0[keyPath: keyPath] }
        var seen = Set<Title>()
        let titles = models.map { $0[keyPath: keyPath] }.filter { seen.insert($0).inserted }
        #expect(sections.sectionTitles == titles, "\(number) \(keyPath)")
        #expect(sections.map { $0.map(\.serial) } == titles.map { groups[$0]!.map(\.serial) }, "\(number) \(keyPath)")
      }
      try check(\.note)
      try check(\.level)
      try check(\.drawer?.size)
      try check(\.address.city)
      try check(\.drawer?.persistentModelID)
      try check(\.flag)
    }
  }

  @Test("A property whose equality the store does not know is an error")
  func unsupported() throws {
    #expect(throws: SwiftDataError.unsupportedKeyPath) {
      try context.fetch(FetchDescriptor<Specimen>(), sectionBy: \.words)
    }
  }
}
