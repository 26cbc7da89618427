#if Sync
import Foundation
import SwiftData
import SyncCore
import SyncProtocol
import Testing

@testable import SwiftDataSync

@Model final class UnionNote {
  var people: [String] = []
  init() {}
}

private struct UnionResolver: ConflictResolver {
  func resolve(local: UnionNote, remote: UnionNote) {
    local.people += remote.people.filter { !local.people.contains($0) }
  }
}

/// A resolver that unites values loses none, in whatever order the devices exchange them.
@Suite("A resolver that unites what several devices wrote")
struct UnionTests {
  @Test("keeps all of it", arguments: 0..<100)
  func all(_ seed: Int) throws {
    var random = SeededGenerator(seed: UInt64(seed))
    var resolvers = ConflictResolvers()
    resolvers.add(UnionResolver())
    let group = try ZoneGroup([UnionNote.self], accounts: ["ann", "ann", "ann"], resolvers: resolvers)
    try group.save(0) { $0.insert(UnionNote()) }
    try group.syncAll()
    var steps: [String] = []
    for index in 0..<3 {
      try group.save(index) { try group.first(UnionNote.self, $0).people.append("\(index)") }
    }
    for _ in 0..<(5 + Int(random.next() % 12)) {
      let index = Int(random.next() % 3)
      switch random.next() % 3 {
      case 0:
        steps.append("capture \(index)")
        try group.replicas[index].capture()
      case 1:
        steps.append("push \(index)")
        try group.push(index)
      default:
        steps.append("pull \(index)")
        try group.pull(index)
      }
    }
    for _ in 0..<4 { try group.syncAll() }
    for index in 0..<3 {
      let people = try group.all(UnionNote.self, index)[0].people
      #expect(Set(people) == ["0", "1", "2"], "seed \(seed): replica \(index) has \(people) after \(steps)")
    }
  }
}
#endif
