import Foundation
import SwiftData
import Testing

@testable import SwiftDataPostgres

/// The models of a version, by kind of change.
private enum Old {
  @Model class Doc {
    var n: Int
    var small: Int16 = 0
    var needed: String = "x"
    var standard: Int = 1
    var blob: Data?
    @Relationship(deleteRule: .nullify, inverse: \Part.doc) var parts: [Part] = []
    init(_ n: Int) { self.n = n }
  }
  @Model final class Part {
    var name: String
    var doc: Doc?
    init(_ name: String) { self.name = name }
  }
}

private enum OptionalProperty {
  @Model class Doc {
    var n: Int
    var small: Int16 = 0
    var needed: String = "x"
    var standard: Int = 1
    var blob: Data?
    var added: String?
    @Relationship(deleteRule: .nullify, inverse: \Part.doc) var parts: [Part] = []
    init(_ n: Int) { (self.n, added) = (n, "new") }
  }
  @Model final class Part {
    var name: String
    var doc: Doc?
    init(_ name: String) { self.name = name }
  }
}

private enum Defaults {
  struct Point: Codable, Equatable { var x = 1 }
  @Model class Doc {
    var n: Int
    var small: Int16 = 0
    var needed: String = "x"
    var standard: Int = 1
    var blob: Data?
    var number: Int = 7
    var real: Double = -0.1
    var text: String = "it's"
    var maybe: Int? = 5
    var point: Point = Point()
    var bytes: Data = Data([1, 255])
    var key: UUID = UUID()
    @Attribute(.unique) var code: String = UUID().uuidString
    var day: Date = Date()
    var fixed: Date = Date(timeIntervalSinceReferenceDate: 0.1)
    @Relationship(deleteRule: .nullify, inverse: \Part.doc) var parts: [Part] = []
    init(_ n: Int) { self.n = n }
  }
  @Model final class Part {
    var name: String
    var doc: Doc?
    init(_ name: String) { self.name = name }
  }
}

/// New classes, relationships of each kind, an index and a searchable text.
private enum Classes {
  @Model class Doc {
    #Index<Doc>([\.n])
    var n: Int
    var small: Int16 = 0
    @Attribute(.spotlight) var needed: String = "x"
    var standard: Int = 1
    var blob: Data?
    @Relationship(deleteRule: .nullify, inverse: \Part.doc) var parts: [Part] = []
    var folder: Folder?
    @Relationship(inverse: \Label.docs) var labels: [Label] = []
    @Relationship(inverse: \Page.doc) var pages: [Page] = []
    init(_ n: Int) { self.n = n }
  }
  @Model final class Report: Doc {
    var title: String
    init(title: String) {
      self.title = title
      super.init(100)
    }
  }
  @Model final class Part {
    var name: String
    var doc: Doc?
    init(_ name: String) { self.name = name }
  }
  @Model final class Folder {
    var name: String
    init(_ name: String) { self.name = name }
  }
  @Model final class Label {
    var name: String
    var docs: [Doc] = []
    init(_ name: String) { self.name = name }
  }
  @Model final class Page {
    var number: Int
    var doc: Doc?
    init(_ number: Int) { self.number = number }
  }
}

/// A second subclass.
private enum Siblings {
  @Model class Doc {
    var n: Int
    var small: Int16 = 0
    var needed: String = "x"
    var standard: Int = 1
    var blob: Data?
    @Relationship(deleteRule: .nullify, inverse: \Part.doc) var parts: [Part] = []
    init(_ n: Int) { self.n = n }
  }
  @Model final class Report: Doc {
    var title: String
    init(title: String) {
      self.title = title
      super.init(100)
    }
  }
  @Model final class Letter: Doc {
    var address: String
    init(address: String) {
      self.address = address
      super.init(200)
    }
  }
  @Model final class Part {
    var name: String
    var doc: Doc?
    init(_ name: String) { self.name = name }
  }
}

/// Changes of what is there: unique, widened, optional, with another default, delete rule and storage, and preserved.
private enum Changed {
  @Model class Doc {
    @Attribute(.unique, .preserveValueOnDeletion) var n: Int
    var small: Int = 0
    var needed: String?
    var standard: Int = 2
    @Attribute(.externalStorage) var blob: Data?
    @Relationship(deleteRule: .cascade, inverse: \Part.doc) var parts: [Part] = []
    init(_ n: Int) { (self.n, needed) = (n, "y") }
  }
  @Model final class Part {
    var name: String
    var doc: Doc?
    init(_ name: String) { self.name = name }
  }
}

private enum Refused {
  enum Narrowed {
    @Model class Doc {
      var n: Int
      var small: Int8 = 0
      init(_ n: Int) { self.n = n }
    }
  }
  enum Renamed {
    @Model class Doc {
      @Attribute(originalName: "n") var number: Int
      init(_ n: Int) { number = n }
    }
  }
  enum Removed {
    @Model class Doc {
      var small: Int16 = 0
      init() {}
    }
  }
  enum Required {
    @Model class Doc {
      var n: Int
      var blob: Data = Data()
      init(_ n: Int) { self.n = n }
    }
  }
  enum New {
    @Model class Doc {
      var n: Int
      var added: Int
      init(_ n: Int) { (self.n, added) = (n, n) }
    }
  }
  enum Unique {
    @Model class Doc {
      var n: Int
      @Attribute(.unique) var code: String = "same"
      init(_ n: Int) { self.n = n }
    }
  }
  enum Subclass {
    @Model class Doc {
      var n: Int
      init(_ n: Int) { self.n = n }
    }
    @Model final class Report: Doc {
      var title: String
      var pages: Int = 1
      init(title: String) {
        self.title = title
        super.init(100)
      }
    }
  }
  enum Double {
    @Model class Doc {
      var n: Int
      @Attribute(.unique) var standard: Int = 1
      init(_ n: Int) { self.n = n }
    }
  }
}

@Suite("A rolling upgrade", .enabled(if: PostgresServer.isThere, PostgresServer.reason))
struct RollingUpgradeTests {
  private let store = TestStore()

  private func open(_ types: [any PersistentModel.Type], rolling: Bool = true) throws -> ModelContainer {
    var configuration = store.configuration
    configuration.isRolling = rolling
    return try ModelContainer(for: Schema(types), configurations: configuration)
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
    #expect(try new.search(Classes.Doc.self, "x").count == 4)
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
    #expect(throws: SwiftDataError.uniquenessViolation) { try open([Refused.Double.Doc.self]) }
    #expect(try useOld(old) == [1, 2])
    // Without older programs the same changes are made.
    _ = try open([Refused.Renamed.Doc.self], rolling: false)
  }

  @Test("is refused beforehand for a new required property of a subclass")
  func subclass() throws {
    _ = try open([Siblings.Doc.self, Siblings.Report.self])
    let error = #expect(throws: SwiftDataError.self) {
      try open([Refused.Subclass.Doc.self, Refused.Subclass.Report.self])
    }
    #expect(error?.property == "pages")
  }
}
