import Foundation
import SwiftData

extension RollingUpgradeTests {
  /// The models of a version, by kind of change.
  enum Old {
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

  enum OptionalProperty {
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

  enum Defaults {
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
  enum Classes {
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
  enum Siblings {
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

  /// New properties of a subclass, and later a property that moves to the superclass.
  enum Paged {
    @Model class Doc {
      var n: Int
      @Relationship(deleteRule: .nullify, inverse: \Part.doc) var parts: [Part] = []
      init(_ n: Int) { self.n = n }
    }
    @Model final class Report: Doc {
      var title: String
      var pages: Int = 7
      var key: UUID = UUID()
      @Attribute(.unique) var code: String = UUID().uuidString
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
  }

  enum Raised {
    @Model class Doc {
      var n: Int
      var pages: Int = 3
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
    @Model final class Part {
      var name: String
      var doc: Doc?
      init(_ name: String) { self.name = name }
    }
  }

  /// Changes of what is there: unique, widened, optional, with another default, delete rule and storage, and preserved.
  enum Changed {
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

  enum Refused {
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
        var pages: Int
        init(title: String) {
          (self.title, pages) = (title, 1)
          super.init(100)
        }
      }
    }
    enum Needing {
      @Model class Doc {
        var n: Int
        init(_ n: Int) { self.n = n }
      }
      @Model final class Page {
        var doc: Doc
        init(_ doc: Doc) { self.doc = doc }
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

  /// A subclass with an optional value and an optional to-one, each of which becomes required.
  enum Loose {
    @Model class Doc {
      var n: Int
      init(_ n: Int) { self.n = n }
    }
    @Model final class Report: Doc {
      var note: String?
      var folder: Folder?
      override init(_ n: Int) { super.init(n) }
    }
    @Model final class Folder {
      var name: String
      init(_ name: String) { self.name = name }
    }

    enum NeedsNote {
      @Model class Doc {
        var n: Int
        init(_ n: Int) { self.n = n }
      }
      @Model final class Report: Doc {
        var note: String = ""
        var folder: Folder?
        override init(_ n: Int) { super.init(n) }
      }
      @Model final class Folder {
        var name: String
        init(_ name: String) { self.name = name }
      }
    }

    enum NeedsFolder {
      @Model class Doc {
        var n: Int
        init(_ n: Int) { self.n = n }
      }
      @Model final class Report: Doc {
        var note: String?
        var folder: Folder
        init(_ n: Int, _ folder: Folder) {
          self.folder = folder
          super.init(n)
        }
      }
      @Model final class Folder {
        var name: String
        init(_ name: String) { self.name = name }
      }
    }
  }
}
