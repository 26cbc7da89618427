import Foundation
import SwiftData

enum Searched {
  @Model
  final class Article {
    @Attribute(.spotlight) var title: String
    @Attribute(.spotlight) var body: String?
    var secret: String
    var likes: Int = 0

    init(_ title: String, _ body: String? = nil, secret: String = "") {
      self.title = title
      self.body = body
      self.secret = secret
    }
  }

  @Model
  class Work {
    @Attribute(.spotlight) var name: String
    init(name: String) { self.name = name }
  }

  @Model
  final class Song: Work {
    @Attribute(.spotlight) var lyrics: String
    init(name: String, lyrics: String) {
      self.lyrics = lyrics
      super.init(name: name)
    }
  }

  @Model
  final class Plain {
    var title: String
    init(_ title: String) { self.title = title }
  }

  @Model
  final class Letter {
    #Index<Letter>([\.number])
    @Attribute(.spotlight) var text: String
    var number: Int
    init(_ text: String, _ number: Int) { (self.text, self.number) = (text, number) }
  }

  @Model
  final class Tag {
    @Attribute(.unique, .spotlight) var name: String
    init(_ name: String) { self.name = name }
  }
}

/// The class before and after it became searchable; both are stored under one name.
enum MemoBefore {
  @Model
  final class Memo {
    var text: String
    init(_ text: String) { self.text = text }
  }
}

enum MemoAfter {
  @Model
  final class Memo {
    @Attribute(.spotlight) var text: String
    init(_ text: String) { self.text = text }
  }
}

enum MemoLater {
  @Model
  final class Memo {
    @Attribute(.spotlight, originalName: "text") var body: String
    var stars: Int = 3
    init(_ body: String) { self.body = body }
  }
}
