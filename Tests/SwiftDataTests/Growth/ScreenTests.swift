import Foundation
import SwiftData
import Testing

private enum EditedDesk {
  @Model final class Paper {
    var title: String
    var rank: Int
    var isOpen = true
    init(_ rank: Int) { (title, self.rank) = ("paper \(rank)", rank) }
  }
}

/// A context with many unsaved edits, and a screen that fetches after each of them.
@Suite("A screen over unsaved edits") struct ScreenTests {
  private typealias Paper = EditedDesk.Paper

  @Test("A fetch in order, a count and a page look only at what changed since the last ones")
  func edits() throws {
    try Growth.expectLinear(200) { count in
      let context = try Growth.context(Paper.self)
      for rank in 0..<count { context.insert(Paper(rank)) }
      try context.save()
      let papers = try context.fetch(FetchDescriptor<Paper>(sortBy: [SortDescriptor(\.rank)]))
      let open = #Predicate<Paper> { $0.isOpen && $0.rank < 1_000_000 }
      var page = FetchDescriptor<Paper>(predicate: open, sortBy: [SortDescriptor(\.rank, order: .reverse)])
      page.fetchLimit = 5
      return try Growth.work(of: context) { () throws in
        for (number, paper) in papers.enumerated() {
          paper.rank = (paper.rank * 7919) % count + count
          if number.isMultiple(of: 3) { paper.isOpen = false }
          if number.isMultiple(of: 5) { context.insert(Paper(-number)) }
          if number % 7 == 6 { context.delete(papers[number - 1]) }
          let found = try context.fetch(page).map(\.rank)
          #expect(found == found.sorted(by: >) && found.count == 5)
          let expected = papers.count { !$0.isDeleted && $0.isOpen } + number / 5 + 1
          #expect(try context.fetchCount(FetchDescriptor<Paper>(predicate: open)) == expected)
        }
        #expect(ContextInvariants(of: context.state).violations() == [])
      }.total
    }
  }

  @Test("What is kept for the next fetch is what the fetch would find anew, whatever happens in between")
  func agreement() throws {
    let context = try Growth.context(Paper.self)
    for rank in 0..<60 { context.insert(Paper(rank)) }
    try context.save()
    var random = RandomSource(seed: 4)
    var papers = try context.fetch(FetchDescriptor<Paper>())
    let sort = [SortDescriptor(\Paper.title), SortDescriptor(\Paper.rank, order: .reverse)]
    for step in 0..<400 {
      let paper = papers[Int.random(in: 0..<papers.count, using: &random)]
      switch Int.random(in: 0..<8, using: &random) {
      case 0: paper.title = "paper \(Int.random(in: 0..<9, using: &random))"
      case 1: paper.isOpen.toggle()
      case 2:
        let new = Paper(Int.random(in: 0..<60, using: &random))
        context.insert(new)
        papers.append(new)
      case 3 where papers.count > 30 && !paper.isDeleted && paper.modelContext != nil:
        context.delete(paper)
        papers.removeAll { $0 === paper }
      case 4 where step.isMultiple(of: 10): try context.save()
      case 5 where step.isMultiple(of: 20):
        context.rollback()
        papers = try context.fetch(FetchDescriptor<Paper>())
      default: paper.rank += 1
      }
      for limit in [3, 1000] {
        var descriptor = FetchDescriptor<Paper>(predicate: #Predicate { $0.isOpen && $0.rank > 5 }, sortBy: sort)
        descriptor.fetchLimit = limit
        let found = try context.fetch(descriptor)
        // Another order of the same conditions has another shape, and is computed anew.
        let others = try context.fetch(FetchDescriptor<Paper>(predicate: #Predicate { $0.rank > 5 && $0.isOpen }))
        #expect(found.map(\.title) == Array(others.sorted(using: sort).map(\.title).prefix(limit)), "step \(step)")
      }
    }
  }
}
