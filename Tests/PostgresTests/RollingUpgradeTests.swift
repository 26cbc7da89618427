import Foundation
import SwiftData
import Testing

@testable import SwiftDataPostgres

@Suite("A rolling upgrade", .enabled(if: PostgresServer.isThere, PostgresServer.reason))
struct RollingUpgradeTests {
  private let store = TestStore()

  private func open(_ types: [any PersistentModel.Type], rolling: Bool = true) throws -> ModelContainer {
    try store.open(types) { $0.isRolling = rolling }
  }

  /// Writes and reads as a program of the earlier version.
  private func useOld(_ container: ModelContainer, _ numbers: Int...) throws -> [Int] {
    let context = ModelContext(container)
    for number in numbers {
      let doc = Old.Doc(number)
      doc.parts = [Old.Part("p\(number)")]
      context.insert(doc)
    }
    try context.save()
    let docs = try context.fetch(FetchDescriptor<Old.Doc>(sortBy: [SortDescriptor(\.n)]))
    for doc in docs {
      doc.standard += 1
      #expect(!doc.needed.isEmpty && doc.small == 0 && doc.parts.count <= 1)
    }
    try context.save()
    return docs.map(\.n)
  }

  @Test("with a new optional property leaves the older program at work")
  func optional() throws {
    let old = try open([Old.Doc.self])
    #expect(try useOld(old, 1) == [1])
    let new = ModelContext(try open([OptionalProperty.Doc.self]))
    #expect(try useOld(old, 2) == [1, 2])
    new.insert(OptionalProperty.Doc(3))
    try new.save()
    #expect(try useOld(old, 4) == [1, 2, 3, 4])
    let docs = try new.fetch(FetchDescriptor<OptionalProperty.Doc>(sortBy: [SortDescriptor(\.n)]))
    #expect(docs.map(\.added) == [nil, nil, "new", nil])
    #expect(docs.map(\.parts.count) == [1, 1, 0, 1])
  }

  @Test("with new properties that have defaults leaves the older program at work, and gives its rows the defaults")
  func defaults() throws {
    let old = try open([Old.Doc.self])
    #expect(try useOld(old, 1, 2) == [1, 2])
    let (container, statements) = try SQLTrace.record { try open([Defaults.Doc.self]) }
    // The server fills constants without writing the rows.
    #expect(!statements.contains { $0.contains("SET \"number\"") })
    let new = ModelContext(container)
    #expect(try useOld(old, 3, 4) == [1, 2, 3, 4])
    new.insert(Defaults.Doc(5))
    try new.save()
    #expect(try useOld(old, 6) == [1, 2, 3, 4, 5, 6])
    let docs = try new.fetch(FetchDescriptor<Defaults.Doc>())
    #expect(docs.count == 6)
    for doc in docs {
      #expect(doc.number == 7 && doc.real == -0.1 && doc.text == "it's" && doc.maybe == 5)
      #expect(doc.point == Defaults.Point() && doc.bytes == Data([1, 255]))
      #expect(doc.fixed == Date(timeIntervalSinceReferenceDate: 0.1))
      #expect(abs(doc.day.timeIntervalSinceNow) < 3_600)
      #expect(UUID(uuidString: doc.code)?.uuidString == doc.code)
    }
    #expect(Set(docs.map(\.key)).count == 6 && Set(docs.map(\.code)).count == 6)
    // The older program starts again, which is an upgrade that removes the properties, and the newer one goes on.
    let again = try open([Old.Doc.self])
    #expect(try useOld(again, 7).count == 7)
    #expect(try new.fetch(FetchDescriptor<Defaults.Doc>()).allSatisfy { $0.number == 7 && $0.text == "it's" })
  }

  @Test("with new classes, subclasses, relationships, an index and a searchable text leaves the older program at work")
  func classes() throws {
    let old = try open([Old.Doc.self])
    #expect(try useOld(old, 1) == [1])
    let new = ModelContext(try open([Classes.Doc.self, Classes.Report.self]))
    #expect(try useOld(old, 2) == [1, 2])
    let report = Classes.Report(title: "r")
    new.insert(report)
    report.folder = Classes.Folder("f")
    report.labels = [Classes.Label("a"), Classes.Label("b")]
    report.pages = [Classes.Page(1)]
    try new.save()
    // The older program reads the report as what its class is too, and changes it.
    #expect(try useOld(old, 3) == [1, 2, 3, 100])
    let docs = try new.fetch(FetchDescriptor<Classes.Doc>(sortBy: [SortDescriptor(\.n)]))
    #expect(docs.map(\.labels.count) == [0, 0, 0, 2])
    #expect(docs.map(\.pages.count) == [0, 0, 0, 1])
    #expect(docs.map { $0.folder?.name } == [nil, nil, nil, "f"])
    #expect(try new.fetchCount(FetchDescriptor<Classes.Report>()) == 1)
    #expect(try new.search(Classes.Doc.self, matching: "x").count == 4)
    // It deletes an object with relationships that it does not know.
    let context = ModelContext(old)
    try context.delete(model: Old.Doc.self, where: #Predicate { $0.n == 100 })
    try context.save()
    #expect(try ModelContext(new.container).fetch(FetchDescriptor<Classes.Label>()).map(\.docs.count) == [0, 0])
    #expect(try ModelContext(new.container).fetch(FetchDescriptor<Classes.Page>()).map { $0.doc == nil } == [true])
  }

  @Test("with a second subclass leaves the older program at work with the objects that it knows")
  func siblings() throws {
    let old = try open([Classes.Doc.self, Classes.Report.self], rolling: false)
    let before = ModelContext(old)
    before.insert(Classes.Report(title: "r"))
    try before.save()
    let new = ModelContext(try open([Siblings.Doc.self, Siblings.Report.self, Siblings.Letter.self]))
    new.insert(Siblings.Letter(address: "a"))
    try new.save()
    let context = ModelContext(old)
    context.insert(Classes.Report(title: "s"))
    context.insert(Classes.Doc(1))
    try context.save()
    #expect(try context.fetch(FetchDescriptor<Classes.Report>()).count == 2)
    #expect(try new.fetchCount(FetchDescriptor<Siblings.Doc>()) == 4)
  }

  @Test(
    "with changed uniqueness, widths, optionals, defaults, delete rules and storage leaves the older program at work")
  func changed() throws {
    let old = try open([Old.Doc.self])
    #expect(try useOld(old, 1) == [1])
    let new = ModelContext(try open([Changed.Doc.self]))
    #expect(try useOld(old, 2) == [1, 2])
    let doc = Changed.Doc(3)
    doc.blob = Data([1])
    doc.parts = [Changed.Part("p3")]
    new.insert(doc)
    try new.save()
    #expect(try useOld(old, 4) == [1, 2, 3, 4])
    let docs = try ModelContext(new.container).fetch(FetchDescriptor<Changed.Doc>(sortBy: [SortDescriptor(\.n)]))
    #expect(docs.map(\.needed) == ["x", "x", "y", "x"])
    #expect(docs.map(\.parts.count) == [1, 1, 1, 1])
    // The older program's save fails only where it breaks the new rule.
    let error = #expect(throws: SwiftDataError.self) { try useOld(old, 4) }
    #expect(error?.code == SwiftDataError.uniquenessViolation.code)
  }

  @Test("is refused beforehand for a change that the older program could not go on with")
  func refused() throws {
    let old = try open([Old.Doc.self])
    #expect(try useOld(old, 1, 2) == [1, 2])
    func refuse(
      _ property: String, _ types: any PersistentModel.Type..., at location: SourceLocation = #_sourceLocation
    ) throws {
      let error = #expect(throws: SwiftDataError.self, sourceLocation: location) { try open(types) }
      #expect(error?.property == property, "\(error as Any)", sourceLocation: location)
      #expect("\(error as Any)".contains("isRolling: false"), sourceLocation: location)
      #expect(try useOld(old) == [1, 2], sourceLocation: location)
    }
    try refuse("small", Refused.Narrowed.Doc.self)
    try refuse("number", Refused.Renamed.Doc.self)
    try refuse("n", Refused.Removed.Doc.self)
    try refuse("blob", Refused.Required.Doc.self)
    try refuse("added", Refused.New.Doc.self)
    try refuse("code", Refused.Unique.Doc.self)
    try refuse("doc", Refused.Needing.Doc.self, Refused.Needing.Page.self)
    #expect(throws: SwiftDataError.uniquenessViolation) { try open([Refused.Double.Doc.self]) }
    #expect(try useOld(old) == [1, 2])
    // Without older programs the same changes are made.
    _ = try open([Refused.Renamed.Doc.self], rolling: false)
  }

  @Test("with new properties of a subclass that have defaults leaves the older program at work with the subclass")
  func subclass() throws {
    let old = try open([Siblings.Doc.self, Siblings.Report.self])
    func add(_ title: String) throws {
      let context = ModelContext(old)
      context.insert(Siblings.Report(title: title))
      context.insert(Siblings.Doc(1))
      try context.save()
    }
    try add("a")
    let container = try open([Paged.Doc.self, Paged.Report.self])
    try add("b")
    let new = ModelContext(container)
    new.insert(Paged.Report(title: "c"))
    new.insert(Paged.Doc(2))
    try new.save()
    try add("d")
    let reports = try ModelContext(container).fetch(FetchDescriptor<Paged.Report>(sortBy: [SortDescriptor(\.title)]))
    #expect(reports.map(\.title) == ["a", "b", "c", "d"])
    #expect(reports.map(\.pages) == [7, 7, 7, 7])
    #expect(Set(reports.map(\.key)).count == 4 && Set(reports.map(\.code)).count == 4)
    // What the server put into the rows of the superclass is no value when the property moves there.
    let raised = try open([Raised.Doc.self, Raised.Report.self], rolling: false)
    let docs = try ModelContext(raised).fetch(FetchDescriptor<Raised.Doc>())
    #expect(docs.filter { $0 is Raised.Report }.map(\.pages) == [7, 7, 7, 7])
    #expect(docs.filter { !($0 is Raised.Report) }.map(\.pages) == [3, 3, 3, 3])
  }

  @Test("that is over gives the rows of an older program the defaults of a subclass's new properties")
  func subclassAfterReturn() throws {
    func open(_ types: any PersistentModel.Type...) throws -> ModelContext {
      ModelContext(try self.open(types, rolling: false))
    }
    _ = try open(Siblings.Doc.self, Siblings.Report.self)
    _ = try open(Paged.Doc.self, Paged.Report.self)
    let old = try open(Siblings.Doc.self, Siblings.Report.self)
    old.insert(Siblings.Report(title: "a"))
    try old.save()
    let new = try open(Paged.Doc.self, Paged.Report.self)
    #expect(try new.fetch(FetchDescriptor<Paged.Report>()).map(\.pages) == [7])
  }

  @Test("is refused beforehand if an optional property or to-one of a subclass becomes required")
  func subclassBecomesRequired() throws {
    _ = try open([Loose.Doc.self, Loose.Report.self])
    let note = #expect(throws: SwiftDataError.self) {
      try open([Loose.NeedsNote.Doc.self, Loose.NeedsNote.Report.self])
    }
    #expect(note?.property == "note")
    let folder = #expect(throws: SwiftDataError.self) {
      try open([Loose.NeedsFolder.Doc.self, Loose.NeedsFolder.Report.self])
    }
    #expect(folder?.property == "folder")
    // What stays optional or required is no obstacle.
    _ = try open([Loose.Doc.self, Loose.Report.self])
  }

  @Test("is refused beforehand if a property of a subclass became optional and becomes required again")
  func subclassBecomesRequiredAgain() throws {
    _ = try open([Loose.NeedsNote.Doc.self, Loose.NeedsNote.Report.self])
    _ = try open([Loose.Doc.self, Loose.Report.self], rolling: false)
    let error = #expect(throws: SwiftDataError.self) {
      try open([Loose.NeedsNote.Doc.self, Loose.NeedsNote.Report.self])
    }
    #expect(error?.property == "note")
  }

  @Test("is refused beforehand for a new required property of a subclass without a default")
  func subclassWithoutDefault() throws {
    _ = try open([Siblings.Doc.self, Siblings.Report.self])
    let error = #expect(throws: SwiftDataError.self) {
      try open([Refused.Subclass.Doc.self, Refused.Subclass.Report.self])
    }
    #expect(error?.property == "pages")
  }
}
