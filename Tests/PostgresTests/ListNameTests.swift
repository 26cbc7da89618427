import Foundation
import SwiftData
import Testing

private enum One {
  @Model final class Post {
    var title: String
    @Relationship(inverse: \Tag.posts) var tags: [Tag] = []
    init(_ title: String) { self.title = title }
  }
  @Model final class Tag {
    var name: String
    var posts: [Post] = []
    init(_ name: String) { self.name = name }
  }
}

private enum Two {
  @Model final class Post {
    var title: String
    @Relationship(originalName: "tags", inverse: \Tag.posts) var labels: [Tag] = []
    var tags: [Tag] = []
    init(_ title: String) { self.title = title }
  }
  @Model final class Tag {
    var name: String
    var posts: [Post] = []
    init(_ name: String) { self.name = name }
  }
}

@Suite("A list that takes the name of a renamed list", .enabled(if: PostgresServer.isThere, PostgresServer.reason))
struct ListNameTests {
  @Test("begins empty, and the renamed list keeps its objects")
  func names() throws {
    let store = TestStore()
    let first = ModelContext(try store.open(One.Post.self, One.Tag.self))
    let post = One.Post("p")
    first.insert(post)
    post.tags = ["a", "b"].map(One.Tag.init)
    try first.save()
    for _ in 0..<2 {
      let context = ModelContext(try store.open(Two.Post.self, Two.Tag.self))
      let found = try #require(context.fetch(FetchDescriptor<Two.Post>()).first)
      #expect(found.labels.map(\.name).sorted() == ["a", "b"] && found.tags.isEmpty)
      #expect(found.labels.allSatisfy { $0.posts == [found] })
    }
  }
}
