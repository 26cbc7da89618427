import Foundation
import SwiftData

/// The models of the stores in `Tests/MigrationCases/Released`, which the newest release made. `scripts/fixtures` writes the stores.
package enum Released {
  enum Genre: String, Codable { case novel, essay }
  enum Stars: Int, Codable { case none, one, two }
  enum Outline: Codable, Hashable { case circle(radius: Double), line }
  @Composite struct Size: Codable, Hashable {
    var width: Double
    var label: String?
  }
  struct Remark: Codable, Hashable {
    var text: String
    var pages: [Int]
  }

  /// One attribute of each kind.
  @Model final class Sample {
    #Index<Sample>(
      .binary([\.integer]), .binary([\.text, \.date]), .binary([\.size.width]), .rtree([\.double, \.float]))
    #Unique<Sample>([\.character, \.small])
    @Attribute(.unique) var name: String
    var flag: Bool = true
    var integer: Int = Int.min
    var small: Int8 = -8
    var medium: Int16 = -16
    var large: Int32 = -32
    var huge: Int64 = Int64.max
    var unsigned: UInt = UInt.max
    var unsignedSmall: UInt8 = 255
    var unsignedMedium: UInt16 = 65_535
    var unsignedLarge: UInt32 = 4_294_967_295
    var unsignedHuge: UInt64 = UInt64.max
    var double: Double = 0.1
    var float: Float = 0.2
    var decimal: Decimal = Decimal(string: "12345678901234567890.123456789") ?? 0
    var text: String = "e\u{301} 'quoted' \u{1F600}"
    var character: Character = "ß"
    var date: Date = Date(timeIntervalSinceReferenceDate: 700_000_000.25)
    var uuid: UUID = UUID(uuidString: "0F0E0D0C-0B0A-4908-8706-050403020100") ?? UUID()
    var url: URL = URL(string: "https://example.org/a%20b") ?? URL(fileURLWithPath: "/")
    var data: Data = Data([0, 1, 254, 255])
    var genre: Genre = Genre.essay
    var stars: Stars = Stars.two
    var outline: Outline = Outline.circle(radius: 1.5)
    var size: Size = Size(width: 2.5, label: "wide")
    var remark: Remark = Remark(text: "good", pages: [3, 1, 2])
    var texts: [String] = ["b", "a", "b"]
    var numbers: Set<Int> = [7]
    var counts: [String: Int] = ["a": 1, "b": 2]
    var optionalInteger: Int?
    var optionalText: String?
    var optionalDate: Date?
    var optionalSize: Size?
    var optionalGenre: Genre?
    @Attribute(.externalStorage) var picture: Data?
    @Attribute(.externalStorage) var icon: Data?
    @Attribute(.spotlight) var words: String = ""
    @Attribute(.codable) var coded: Int = 5
    @Attribute(.transformable(by: ReversedText.self)) var reversed: String?
    @Attribute(.ephemeral) var passing: Int = 0
    init(_ name: String) { self.name = name }
  }

  @Model class Work {
    var title: String
    @Attribute(.preserveValueOnDeletion) var year: Int
    var creator: Person?
    init(_ title: String, _ year: Int) {
      self.title = title
      self.year = year
    }
  }
  @Model class Film: Work {
    var minutes: Int = 0
    var value: Int = 1
    var cast: [Person] = []
    override init(_ title: String, _ year: Int) { super.init(title, year) }
  }
  @Model final class Short: Film {
    @Attribute(.unique) var code: String?
    override init(_ title: String, _ year: Int) { super.init(title, year) }
  }
  @Model final class Print: Work {
    var value: String = "paper"
    override init(_ title: String, _ year: Int) { super.init(title, year) }
  }
  @Model final class Person {
    var name: String
    @Relationship(deleteRule: .cascade, inverse: \Work.creator) var works: [Work] = []
    @Relationship(inverse: \Film.cast) var films: [Film] = []
    @Relationship(deleteRule: .deny, inverse: \Badge.owner) var badge: Badge?
    var mentor: Person?
    @Relationship(inverse: \Person.mentor) var students: [Person] = []
    var favourites: [Work] = []
    init(_ name: String) { self.name = name }
  }
  @Model final class Badge {
    var number: Int
    var owner: Person?
    init(_ number: Int) { self.number = number }
  }

  package static let models: [any PersistentModel.Type] = [
    Sample.self, Work.self, Film.self, Short.self, Print.self, Person.self, Badge.self,
  ]

  /// Stores the code units of a text in reverse.
  final class ReversedText: ValueTransformer {
    override class func transformedValueClass() -> AnyClass { NSData.self }
    override func transformedValue(_ value: Any?) -> Any? { (value as? String).map { Data($0.utf8.reversed()) } }
    override func reverseTransformedValue(_ value: Any?) -> Any? {
      (value as? Data).map { String(decoding: $0.reversed(), as: UTF8.self) }
    }
  }

  /// The value that is large enough for a file.
  static let picture = Data((0..<131_073).map { UInt8(truncatingIfNeeded: $0 % 251) })

  /// Saves objects, changes, deletions and the deletion of a transaction from the history. Each value but times and identifiers of the
  /// store is the same each time.
  package static func fill(_ container: ModelContainer) throws {
    let context = ModelContext(container)
    context.author = "writer"
    let (plain, full) = (Sample("plain"), Sample("full"))
    plain.small = 0
    (full.flag, full.genre, full.stars, full.outline) = (false, .novel, .one, .line)
    (full.optionalInteger, full.optionalText, full.optionalDate) = (0, "", Date(timeIntervalSinceReferenceDate: -1))
    (full.optionalSize, full.optionalGenre) = (Size(width: -0.5, label: nil), .essay)
    (full.picture, full.icon, full.words, full.reversed) = (picture, Data([9]), "Über den Fluss", "abc")
    for sample in [plain, full] { context.insert(sample) }
    try context.save()

    let (ann, bob, eve) = (Person("ann"), Person("bob"), Person("eve"))
    let (film, short, print) = (Film("film", 1999), Short("short", 2001), Print("print", 1890))
    for object in [ann, bob, eve] { context.insert(object) }
    (film.minutes, short.code, print.value) = (90, "s1", "silk")
    ann.works = [print, film, short]
    bob.mentor = ann
    eve.mentor = ann
    (film.cast, short.cast) = ([bob, eve], [eve])
    eve.favourites = [short, print]
    ann.badge = Badge(7)
    try context.save()
    context.insert(Work("gone", 1700))
    try context.save()

    context.author = "editor"
    film.minutes = 91
    ann.works = [short, film, print]
    plain.texts.append("c")
    try context.save()
    context.delete(try context.fetch(FetchDescriptor<Work>(predicate: #Predicate { $0.title == "gone" }))[0])
    try context.save()
    // The head of a deleted transaction stays.
    let first = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())[0].transactionIdentifier
    try context.deleteHistory(
      HistoryDescriptor<DefaultHistoryTransaction>(predicate: #Predicate { $0.transactionIdentifier == first }))
  }
}
