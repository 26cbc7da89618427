import Foundation
import SwiftData
import Testing

/// What cannot be asked of the store is an error that says what and why.
@Suite
struct PredicateErrorTests {
  private let context: ModelContext

  init() throws { context = try SwiftDataTests.context(saving: []) }

  private func error(_ predicate: Predicate<Specimen>) -> SwiftDataError? {
    #expect(throws: SwiftDataError.self) { try context.fetch(FetchDescriptor<Specimen>(predicate: predicate)) }
  }

  private func error(_ sort: SortDescriptor<Specimen>) -> SwiftDataError? {
    #expect(throws: SwiftDataError.self) { try context.fetch(FetchDescriptor<Specimen>(sortBy: [sort])) }
  }

  @Test("A transient property is named")
  func transient() {
    let error = error(#Predicate { $0.isOpen })
    #expect(error?.code == .transientProperty)
    #expect("\(error!)".contains("Specimen"))
    #expect("\(error!)".contains("transient or computed"))
  }

  @Test("A computed property is told apart from the property that it reads")
  func computed() {
    #expect(error(#Predicate { $0.upperTitle == "A" })?.code == .transientProperty)
    #expect(error(#Predicate { $0.firstSticker == nil })?.code == .transientProperty)
    #expect(error(SortDescriptor(\.upperTitle))?.code == .transientProperty)
  }

  @Test("A computed property that returns a persisted one is refused too, because no getter runs on an invented object")
  func alias() {
    #expect(error(#Predicate { $0.alias == "a" })?.code == .transientProperty)
    #expect(error(SortDescriptor(\.alias))?.code == .transientProperty)
  }

  @Test("Bytes beside the store cannot be compared, but can be missing")
  func external() throws {
    let bytes: Data? = Data([1])
    let error = error(#Predicate { $0.picture == bytes })
    #expect(error?.code == .unsupportedPredicate)
    #expect("\(error!)".contains("$0.picture == <Data>"))
    try expectAgreement(#Predicate { $0.picture == nil }, in: context)
  }

  @Test("A slice of a relationship is refused with the sub-expression")
  func slice() {
    let error = error(#Predicate { $0.stickers[0..<1].isEmpty })
    #expect(error?.code == .unsupportedPredicate)
    #expect(error.map { "\($0)" }?.contains("$0.stickers[0..<1]") == true)
  }

  @Test("An order by what is not stored is refused")
  func order() {
    #expect(error(SortDescriptor(\.persistentModelID.entityName))?.code == .transientProperty)
  }
}
