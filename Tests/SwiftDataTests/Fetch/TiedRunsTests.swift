import Foundation
import Testing

@testable import SwiftData

private enum Ranked {
  @Model final class Post {
    #Index<Post>([\.group, \.stars], [\.group, \.title], [\.group, \.stars, \.title], [\.stars])

    var group: Int
    var stars: Int?
    var title: String
    var weight: Double
    var number: Int

    init(group: Int, stars: Int?, title: String, number: Int) {
      (self.group, self.stars, self.title, self.number) = (group, stars, title, number)
      weight = Double(number / 2)
    }
  }
}

/// A page in a descending order is what the fetch without a limit begins with.
@Suite struct TiedRunsTests {
  private typealias Post = Ranked.Post

  @Test("Pages of random rows with equal values, by every order", arguments: [1, 2, 5, 40, 1000])
  func pages(values: Int) throws {
    var random = SystemRandomNumberGenerator()
    let files = try TemporaryStore()
    let container = try files.container(Post.self)
    let context = ModelContext(container)
    for number in 0..<200 {
      context.insert(
        Post(
          group: Int.random(in: 0..<2, using: &random),
          stars: Int.random(in: 0..<8, using: &random) == 0 ? nil : Int.random(in: 0..<values, using: &random),
          title: "title \(Int.random(in: 0..<values, using: &random))", number: number))
    }
    try context.save()
    let orders: [[SortDescriptor<Post>]] = [
      [SortDescriptor(\.stars, order: .reverse)], [SortDescriptor(\.title, order: .reverse)],
      [SortDescriptor(\.stars, order: .reverse), SortDescriptor(\.title, order: .reverse)],
      [SortDescriptor(\.weight, order: .reverse)],
      [SortDescriptor(\.stars, order: .reverse), SortDescriptor(\.title)],
    ]
    for round in 0..<60 {
      let reader = ModelContext(container)
      // Some rounds begin with objects in memory, some with unsaved ones.
      let kept = round.isMultiple(of: 3) ? try reader.fetch(FetchDescriptor<Post>()) : []
      if round.isMultiple(of: 5) { kept.randomElement(using: &random)?.stars = values / 2 }
      let group = Int.random(in: 0..<3, using: &random)
      var descriptor = FetchDescriptor<Post>(
        predicate: group == 2 ? nil : #Predicate { $0.group == group }, sortBy: orders[round % orders.count])
      let all = try reader.fetch(descriptor).map(\.number)
      descriptor.fetchLimit = Int.random(in: 0..<60, using: &random)
      if round.isMultiple(of: 7) { descriptor.fetchOffset = 3 }
      let page = try reader.fetch(descriptor).map(\.number)
      #expect(page == Array(all.dropFirst(descriptor.fetchOffset ?? 0).prefix(descriptor.fetchLimit!)))
    }
  }

  /// The statements of a page of four.
  private func statements(
    _ context: ModelContext, by order: SortDescriptor<Post>
  ) throws -> (numbers: [Int], sql: [String]) {
    var descriptor = FetchDescriptor<Post>(predicate: #Predicate { $0.group == 1 }, sortBy: [order])
    descriptor.fetchLimit = 4
    let (page, sql) = try SQLTrace.record { try context.fetch(descriptor) }
    return (page.map(\.number), sql)
  }

  private func context(stars: [Int]) throws -> ModelContext {
    let context = try memoryContext(Post.self)
    for (number, stars) in stars.enumerated() {
      context.insert(Post(group: 1, stars: stars, title: "", number: number))
    }
    try context.save()
    return context
  }

  @Test("Rows that an index has in the reverse order are not sorted, and only a cut run is read again")
  func statements() throws {
    let whole = try context(stars: [1, 3, 2, 3, 2, 1, 1])
    for _ in 0..<3 {
      let (numbers, sql) = try statements(whole, by: SortDescriptor(\.stars, order: .reverse))
      #expect(numbers == [1, 3, 2, 4])
      #expect(sql.count == 1 && sql[0].contains("DESC, t0._pk DESC"))
    }
    let cut = try context(stars: [1, 2, 2, 2, 2, 2])
    let (numbers, sql) = try statements(cut, by: SortDescriptor(\.stars, order: .reverse))
    #expect(numbers == [1, 2, 3, 4])
    #expect(sql.count == 2 && !sql[1].contains("t0._pk DESC"))
    // A query whose pages are cut again and again is not read backwards any more.
    for _ in 0..<4 { _ = try statements(cut, by: SortDescriptor(\.stars, order: .reverse)) }
    #expect(try statements(cut, by: SortDescriptor(\.stars, order: .reverse)).sql.count == 1)
  }

  @Test("Rows without an index for their order are read backwards once at most")
  func withoutIndex() throws {
    let context = try context(stars: [1, 2, 3, 4, 5, 6])
    _ = try statements(context, by: SortDescriptor(\.weight, order: .reverse))
    let (numbers, sql) = try statements(context, by: SortDescriptor(\.weight, order: .reverse))
    #expect(numbers == [4, 5, 2, 3])
    #expect(sql.count == 1 && !sql[0].contains("t0._pk DESC"))
  }
}
