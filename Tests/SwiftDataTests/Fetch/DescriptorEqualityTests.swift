import Foundation
import SwiftData
import Testing

@Model private final class Herb {
  var name: String = ""
  var height: Double?
  var sown = Date(timeIntervalSince1970: 0)
  @Relationship var bed: Bed?
  init() {}
}

@Model private final class Bed {
  var name: String = ""
  @Relationship(inverse: \Herb.bed) var herbs: [Herb] = []
  init() {}
}

/// What a captured value without `Equatable` looks like.
private struct Range3: Codable { var bounds: [Double] }

@Suite("Two fetch descriptors are equal")
struct DescriptorEqualityTests {
  private func descriptor(
    _ name: String, above height: Double = 1, change: (inout FetchDescriptor<Herb>) -> Void = { _ in }
  )
    -> FetchDescriptor<Herb>
  {
    var descriptor = FetchDescriptor<Herb>(
      predicate: #Predicate { herb in
        herb.name == name && (herb.height ?? 0) > height && herb.bed?.herbs.contains { $0.name == herb.name } == true
      }, sortBy: [SortDescriptor(\.name), SortDescriptor(\.height, order: .reverse)])
    change(&descriptor)
    return descriptor
  }

  @Test("if they ask for the same")
  func equal() {
    #expect(FetchDescriptor<Herb>() == FetchDescriptor<Herb>())
    #expect(descriptor("mint") == descriptor("mint"))
    let copy = descriptor("mint")
    #expect(copy == copy)
  }

  @Test("and differ by any part")
  func different() {
    let mint = descriptor("mint")
    #expect(mint != descriptor("sage"))
    #expect(mint != descriptor("mint", above: 2))
    #expect(mint != FetchDescriptor<Herb>(sortBy: mint.sortBy))
    #expect(mint != descriptor("mint") { $0.sortBy.removeLast() })
    #expect(mint != descriptor("mint") { $0.fetchLimit = 1 })
    #expect(mint != descriptor("mint") { $0.fetchOffset = 1 })
    #expect(mint != descriptor("mint") { $0.includePendingChanges = false })
    #expect(mint != descriptor("mint") { $0.propertiesToFetch = [\.name] })
    #expect(mint != descriptor("mint") { $0.relationshipKeyPathsForPrefetching = [\.bed] })
  }

  @Test("only if their predicates use the variables, the operators and the properties alike")
  func expressions() {
    func fetch(_ predicate: Predicate<Herb>) -> FetchDescriptor<Herb> { FetchDescriptor(predicate: predicate) }
    #expect(fetch(#Predicate { $0.height! < 1 }) != fetch(#Predicate { $0.height! <= 1 }))
    #expect(fetch(#Predicate { $0.height == nil }) == fetch(#Predicate { $0.height == nil }))
    #expect(
      fetch(#Predicate { a in a.bed!.herbs.contains { b in b.name == a.name } })
        != fetch(#Predicate { a in a.bed!.herbs.contains { b in a.name == a.name } }))
    #expect(fetch(#Predicate { $0.name == "a" }) != fetch(#Predicate { $0.bed!.name == "a" }))
    let (one, two) = (Date(timeIntervalSince1970: 1), Date(timeIntervalSince1970: 2))
    #expect(fetch(#Predicate { $0.sown < one }) == fetch(#Predicate { $0.sown < one }))
    #expect(fetch(#Predicate { $0.sown < one }) != fetch(#Predicate { $0.sown < two }))
    let names = ["a", "b"]
    #expect(fetch(#Predicate { names.contains($0.name) }) == fetch(#Predicate { names.contains($0.name) }))
    let (low, high) = (Range3(bounds: [1]), Range3(bounds: [2]))
    #expect(fetch(#Predicate { $0.height! > low.bounds[0] }) == fetch(#Predicate { $0.height! > low.bounds[0] }))
    #expect(fetch(#Predicate { $0.height! > low.bounds[0] }) != fetch(#Predicate { $0.height! > high.bounds[0] }))
  }
}
