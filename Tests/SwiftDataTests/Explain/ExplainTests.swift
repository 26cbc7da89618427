import Foundation
import SwiftData
import Testing

@Suite("Explaining fetches")
struct ExplainTests {
  typealias Parcel = Inspected.Parcel
  private let context: ModelContext

  init() throws { context = try memoryContext(Parcel.self, Inspected.Depot.self) }

  private func explain(
    _ predicate: Predicate<Parcel>? = nil, _ sort: [SortDescriptor<Parcel>] = []
  ) throws -> ModelContext.FetchExplanation {
    try context.explain(FetchDescriptor(predicate: predicate, sortBy: sort))
  }

  private func steps(_ explanation: ModelContext.FetchExplanation) -> String {
    explanation.plan.map(\.detail).joined(separator: "\n")
  }

  // MARK: - Each kind of index

  @Test("A predicate on a unique property searches its index")
  func unique() throws {
    let result = try explain(#Predicate { $0.code == "x" })
    #expect(steps(result).contains("SEARCH t0 USING INDEX Parcel#code#unique (code=?)"))
    #expect(result.findings.isEmpty)
    #expect(result.bindings == [.text("x")])
  }

  @Test("A predicate on an indexed property searches its index")
  func indexed() throws {
    let result = try explain(#Predicate { $0.weight > 3 && $0.weight <= 9 })
    #expect(steps(result).contains("SEARCH t0 USING INDEX Parcel#weight#index (weight>? AND weight<?)"))
    #expect(result.findings.isEmpty)
    #expect(result.bindings == [.integer(3), .integer(9)])
  }

  @Test("A predicate and an order on the properties of one index need no sorting")
  func compound() throws {
    let result = try explain(#Predicate { $0.sender == "x" }, [SortDescriptor(\.sent, order: .reverse)])
    #expect(steps(result).contains("SEARCH t0 USING INDEX Parcel#sender,sent#index (sender=?)"))
    #expect(result.findings.isEmpty)
  }

  @Test("A predicate on a to-one relationship searches its index, with a number that of #Unique")
  func relationship() throws {
    let depot = Inspected.Depot("d")
    context.insert(depot)
    try context.save()
    let id: PersistentIdentifier? = depot.persistentModelID
    let alone = try explain(#Predicate { $0.depot?.persistentModelID == id })
    #expect(steps(alone).contains("SEARCH t0 USING INDEX Parcel#depot#index (depot=?)"))
    let both = try explain(#Predicate { $0.depot?.persistentModelID == id && $0.number == 4 })
    #expect(steps(both).contains("SEARCH t0 USING INDEX Parcel#depot,number#unique (depot=? AND number=?)"))
    #expect(both.findings.isEmpty)
  }

  @Test("A predicate on a member of a composite value searches the index on the member")
  func member() throws {
    let city = try explain(#Predicate { $0.address.city == "x" })
    #expect(steps(city).contains("SEARCH t0 USING INDEX Parcel#address@city#index (<expr>=?)"))
    let latitude = try explain(#Predicate { $0.address.position.latitude > 3 })
    #expect(
      steps(latitude).contains("SEARCH t0 USING INDEX Parcel#address@position%2Elatitude#index (<expr>>? AND <expr><?)")
    )
    #expect(city.findings.isEmpty && latitude.findings.isEmpty)
  }

  @Test("An order by a member of a composite value walks the index on the member")
  func memberOrder() throws {
    var descriptor = FetchDescriptor<Parcel>(sortBy: [SortDescriptor(\.address.city)])
    descriptor.fetchLimit = 10
    let result = try context.explain(descriptor)
    #expect(steps(result).contains("SCAN t0 USING INDEX Parcel#address@city#index"))
    #expect(!steps(result).contains("TEMP B-TREE"))
    #expect(result.findings.isEmpty)
  }

  @Test("A predicate on ranges of numbers searches the R*Tree")
  func rtree() throws {
    let result = try explain(#Predicate { $0.width >= 1 && $0.width < 2 && (3...4).contains($0.height) })
    #expect(steps(result).contains("_swiftdata_Parcel.width,height.rtree VIRTUAL TABLE INDEX"))
    #expect(steps(result).contains("SEARCH t0 USING INTEGER PRIMARY KEY (rowid=?)"))
    #expect(result.findings.isEmpty)
    #expect(result.bindings.prefix(4) == [.real(1), .real(2), .real(3), .real(4)])
  }

  @Test("A predicate on the identifier searches the primary key")
  func identifier() throws {
    let parcel = Parcel("a")
    context.insert(parcel)
    try context.save()
    let id = parcel.persistentModelID
    #expect(
      steps(try explain(#Predicate { $0.persistentModelID == id })).contains(
        "SEARCH t0 USING INTEGER PRIMARY KEY (rowid=?)"))
  }

  // MARK: - Findings

  @Test("A scan names the shortest index that helps")
  func advice() throws {
    let result = try explain(#Predicate { $0.note == "x" })
    #expect(steps(result).contains("SCAN t0"))
    let finding = try #require(result.findings.first)
    #expect(finding.entity == "Parcel" && finding.index == ["note"])
    #expect(finding.description.contains("#Index<Parcel>([\\.note]) would help"))
  }

  @Test("A scan names an index over all the properties that it can use, equality first")
  func compoundAdvice() throws {
    let result = try explain(#Predicate { $0.price > 3 && $0.note == "x" })
    #expect(result.findings.map(\.index) == [["note", "price"]])
    let sorted = try explain(#Predicate { $0.note == "x" }, [SortDescriptor(\.price)])
    #expect(sorted.findings.map(\.index) == [["note", "price"]])
  }

  @Test("A scan names an index on a member of a composite value")
  func memberAdvice() throws {
    #expect(try explain(#Predicate { $0.address.floor == 3 }).findings.map(\.index) == [["address.floor"]])
    let longitude = try explain(#Predicate { $0.address.position.longitude >= 2 && $0.address.position.longitude < 3 })
    #expect(longitude.findings.map(\.index) == [["address.position.longitude"]])
  }

  @Test("A range with one bound is told to get a second one or an order")
  func openRange() throws {
    let result = try explain(#Predicate { $0.weight < 3 })
    let finding = try #require(result.findings.first)
    #expect(finding.index == ["weight"])
    #expect(finding.description.contains("second bound or sort by \\.weight"))
    #expect(try explain(#Predicate { $0.weight < 3 }, [SortDescriptor(\.weight)]).findings.isEmpty)
  }

  @Test("A scan that no index would help says so")
  func noAdvice() throws {
    let result = try explain(#Predicate { $0.note.contains("x") })
    let finding = try #require(result.findings.first)
    #expect(finding.index.isEmpty)
    #expect(finding.description.contains("No #Index helps"))
  }

  @Test("A fetch of everything in order names the index that keeps the order")
  func order() throws {
    var descriptor = FetchDescriptor<Parcel>(sortBy: [SortDescriptor(\.price)])
    descriptor.fetchLimit = 20
    #expect(try context.explain(descriptor).findings.map(\.index) == [["price"]])
    let finding = try explain().findings.first
    #expect(finding?.description == "Every row of Parcel is scanned, since the fetch has no predicate.")
  }

  @Test("A fetch of the newest names the index too, though SQLite sorts rows with equal sort keys by their age")
  func newest() throws {
    var descriptor = FetchDescriptor<Parcel>(sortBy: [SortDescriptor(\.price, order: .reverse)])
    descriptor.fetchLimit = 20
    let finding = try #require(try context.explain(descriptor).findings.first)
    #expect(finding.index == ["price"])
    #expect(finding.description.contains("#Index<Parcel>([\\.price]) would keep them in order"))
    let matching = try explain(#Predicate { $0.note == "x" }, [SortDescriptor(\.price, order: .reverse)])
    #expect(matching.findings.map(\.index) == [["note", "price"]])
    let mixed = try explain(nil, [SortDescriptor(\.price, order: .reverse), SortDescriptor(\.note)])
    #expect(mixed.findings.map(\.index) == [["price"]])
  }

  @Test("Text that is not in normal form C keeps an index from being used, and the finding says so")
  func nonNFC() throws {
    let parcel = Parcel("a")
    parcel.sender = "cafe\u{301}"
    context.insert(parcel)
    try context.save()
    let result = try explain(#Predicate { $0.sender == "x" })
    let finding = try #require(result.findings.first)
    #expect(finding.index.isEmpty)
    #expect(finding.description.contains("sender") && finding.description.contains("normal form C"))
  }

  @Test("A store that has text in normal form C only is told so by the absence of findings")
  func normalized() throws {
    let parcel = Parcel("a")
    parcel.sender = "caf\u{E9}"
    context.insert(parcel)
    try context.save()
    #expect(try explain(#Predicate { $0.sender == "x" }).findings.isEmpty)
  }

  // MARK: - Unsaved changes, form

  @Test("Unsaved changes are mentioned where they matter")
  func unsaved() throws {
    context.insert(Parcel("a"))
    let result = try explain(#Predicate { $0.code == "x" })
    #expect(result.findings.map(\.description) == ["Unsaved changes are applied to the statement's result in memory."])
    let related = try explain(#Predicate { $0.depot?.name == "x" })
    #expect(related.findings.contains { $0.description.contains("Unsaved changes") })
    var descriptor = FetchDescriptor<Parcel>(predicate: #Predicate { $0.code == "x" })
    descriptor.includePendingChanges = false
    #expect(try context.explain(descriptor).findings.isEmpty)
  }

  @Test("The statement is the one that the fetch runs")
  func statement() throws {
    context.insert(Parcel("a"))
    try context.save()
    var descriptor = FetchDescriptor<Parcel>(
      predicate: #Predicate { $0.depot?.name != "x" }, sortBy: [SortDescriptor(\.depot?.name)])
    descriptor.fetchLimit = 3
    let explanation = try context.explain(descriptor)
    let run = try SQLTrace.record { try context.fetch(descriptor) }
    #expect(run.result.count == 1)
    #expect(run.statements == [explanation.sql])
    #expect(explanation.bindings == [.text("x"), .integer(3), .integer(0)])
  }

  @Test("The description has the statement, its values, the plan and the findings")
  func description() throws {
    let text = try explain(#Predicate { $0.note == "it's" }).description
    #expect(text.hasPrefix("SELECT t0._pk"))
    #expect(text.contains("\n  ?1 = 'it''s'\n  SCAN t0\n  ! Every row of Parcel is scanned"))
  }

  @Test("A predicate that the store cannot compute is refused as by a fetch")
  func refusal() throws {
    #expect(throws: SwiftDataError.unsupportedKeyPath) {
      try explain(#Predicate { $0.modelContext == nil })
    }
  }
}
