import Foundation
import PostgresServers
import SwiftData
import SwiftDataPostgres
import Testing

private enum Old {
  @Model final class Post {
    var room: Int
    init(_ room: Int) { self.room = room }
  }
  @Model final class Tag {
    var name: String = ""
    var posts: [Post] = []
    init() {}
  }
  @Model final class Mark {
    var post: Post?
    init(_ post: Post) { self.post = post }
  }
}

private enum New {
  @Model final class Post {
    var room: Int
    init(_ room: Int) { self.room = room }
  }
  @Model final class Tag {
    var name: String = ""
    @Relationship(originalName: "posts") var items: [Post] = []
    init() {}
  }
  @Model final class Mark {
    @Relationship(originalName: "post") var target: Post?
    var post: Int?
    init() {}
  }
}

@Suite(
  "Relationships to a divided class", .enabled(if: PostgresServer.isThere, PostgresServer.reason),
  .timeLimit(.minutes(20)))
struct DividedRenameTests {
  @Test("keep their rules under other names, and deletions find the tables of today, in each namespace")
  func renamed() throws {
    // The stores of a database have triggers with the same names.
    let (store, neighbour) = (TestStore(), TestStore())
    for store in [store, neighbour] {
      var configuration = store.configuration
      configuration.partitions = [.hashed(by: \Old.Post.room, count: 4)]
      let context = ModelContext(
        try ModelContainer(for: Schema([Old.Post.self, Old.Tag.self, Old.Mark.self]), configurations: configuration))
      let (posts, tag) = ((0..<3).map(Old.Post.init), Old.Tag())
      context.insert(tag)
      for post in posts { context.insert(post) }
      tag.posts = Array(posts[..<2])
      context.insert(Old.Mark(posts[0]))
      try context.save()
    }
    var configuration = store.configuration
    configuration.partitions = [.hashed(by: \New.Post.room, count: 4)]
    let context = ModelContext(
      try ModelContainer(for: Schema([New.Post.self, New.Tag.self, New.Mark.self]), configurations: configuration))
    #expect(try context.fetch(FetchDescriptor<New.Tag>()).map { $0.items.map(\.room) } == [[0, 1]])
    for mark in try context.fetch(FetchDescriptor<New.Mark>()) {
      #expect(mark.target?.room == 0)
      mark.post = 1
    }
    try context.save()
    _ = try store.sql("DELETE FROM \"Post\" WHERE room = 0")
    #expect(try store.sql("SELECT count(*) FROM \"Mark\" WHERE target IS NULL AND post = 1").integer(0, 0) == 1)
    #expect(try ModelContext(context.container).fetch(FetchDescriptor<New.Tag>()).map { $0.items.map(\.room) } == [[1]])
    _ = try neighbour.sql("DELETE FROM \"Post\" WHERE room = 0")
    #expect(try neighbour.sql("SELECT count(*) FROM \"Mark\" WHERE post IS NULL").integer(0, 0) == 1)
  }
}
