import Foundation
import SwiftData

extension Released {
  /// What the stores have, as ``describe(_:)`` writes it.
  package static let contents = [
    "plain true \(Int.min) 0 -16 -32 \(Int64.max) \(UInt.max) 255 65535 4294967295 \(UInt64.max)",
    "0.1 0.2 12345678901234567890.123456789 e\u{301} 'quoted' \u{1F600} ß 700000000.25",
    "0F0E0D0C-0B0A-4908-8706-050403020100 https://example.org/a%20b [0, 1, 254, 255]",
    "essay two circle(radius: 1.5) 2.5 wide good [3, 1, 2] [b, a, b, c] [7] [a: 1, b: 2]",
    "nil nil nil nil nil nil nil  5 nil 0",
    "full false \(Int.min) -8 -16 -32 \(Int64.max) \(UInt.max) 255 65535 4294967295 \(UInt64.max)",
    "0.1 0.2 12345678901234567890.123456789 e\u{301} 'quoted' \u{1F600} ß 700000000.25",
    "0F0E0D0C-0B0A-4908-8706-050403020100 https://example.org/a%20b [0, 1, 254, 255]",
    "novel one line 2.5 wide good [3, 1, 2] [b, a, b] [7] [a: 1, b: 2]",
    "0  -1.0 -0.5 essay the picture [9] Über den Fluss 5 abc 0",
    "Film film 1999 ann 91 1 [bob, eve]", "Print print 1890 ann silk", "Short short 2001 ann 0 1 [eve] s1",
    "ann [short, film, print] [] 7 nil [bob, eve] []", "bob [] [film] nil ann [] []",
    "eve [] [film, short] nil ann [] [short, print]", "badge 7 ann",
    "found [full] [plain, full] [film, short]",
    "writer: insert Badge, insert Film, insert Person, insert Person, insert Person, insert Print, insert Short",
    "writer: insert Work", "editor: update Film minutes, update Person works, update Sample texts",
    "editor: delete Work 1700",
  ]

  /// Describes all values, relationships, orders, words, indices and the history of a store.
  package static func describe(_ context: ModelContext) throws -> [String] {
    var found: [String] = []
    for sample in try context.fetch(FetchDescriptor<Sample>(sortBy: [SortDescriptor(\.name, order: .reverse)])) {
      found += lines(sample)
    }
    for work in try context.fetch(FetchDescriptor<Work>(sortBy: [SortDescriptor(\.title)])) {
      var text = "\(type(of: work)) \(work.title) \(work.year) \(work.creator?.name ?? "nil")"
      if let film = work as? Film { text += " \(film.minutes) \(film.value) \(list(film.cast.map(\.name)))" }
      if let short = work as? Short { text += " \(short.code ?? "nil")" }
      if let print = work as? Print { text += " \(print.value)" }
      found.append(text)
    }
    found += try context.fetch(FetchDescriptor<Person>(sortBy: [SortDescriptor(\.name)])).map(line)
    for badge in try context.fetch(FetchDescriptor<Badge>()) {
      found.append("badge \(badge.number) \(badge.owner?.name ?? "nil")")
    }
    found.append(
      "found \(list(try foundByWords(context))) \(list(try foundByIndices(context))) \(list(try foundByList(context)))")
    for transaction in try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()) {
      let changes: [String] = transaction.changes.map { describe($0) }
      found.append("\(transaction.author ?? "nil"): \(changes.sorted().joined(separator: ", "))")
    }
    return found
  }

  private static func line(_ person: Person) -> String {
    let (films, students) = (person.films.map(\.title).sorted(), person.students.map(\.name).sorted())
    let (works, favourites) = (person.works.map(\.title), person.favourites.map(\.title))
    let badge: String = person.badge.map { "\($0.number)" } ?? "nil"
    let mentor: String = person.mentor?.name ?? "nil"
    return "\(person.name) \(list(works)) \(list(films)) \(badge) \(mentor) \(list(students)) \(list(favourites))"
  }

  private static func foundByWords(_ context: ModelContext) throws -> [String] {
    try context.search(Sample.self, matching: "fluss").map(\.model.name)
  }

  private static func foundByIndices(_ context: ModelContext) throws -> [String] {
    let predicate = #Predicate { (sample: Sample) in sample.double < 1.0 && sample.size.width == 2.5 }
    return try context.fetch(
      FetchDescriptor<Sample>(predicate: predicate, sortBy: [SortDescriptor(\Sample.name, order: .reverse)])
    ).map(\.name)
  }

  private static func foundByList(_ context: ModelContext) throws -> [String] {
    let predicate = #Predicate<Film> { film in film.cast.contains { $0.name == "eve" } }
    return try context.fetch(FetchDescriptor<Film>(predicate: predicate, sortBy: [SortDescriptor(\Film.title)]))
      .map(\.title)
  }

  private static func lines(_ sample: Sample) -> [String] {
    func text(_ value: Any?) -> String { value.map { "\($0)" } ?? "nil" }
    let bytes = list(sample.data.map { "\($0)" })
    let date = sample.date.timeIntervalSinceReferenceDate
    let counts = sample.counts.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }
    let values: [[Any?]] = [
      [
        sample.name, sample.flag, sample.integer, sample.small, sample.medium, sample.large, sample.huge,
        sample.unsigned, sample.unsignedSmall, sample.unsignedMedium, sample.unsignedLarge, sample.unsignedHuge,
      ],
      [sample.double, sample.float, sample.decimal, sample.text, sample.character, date],
      [sample.uuid, sample.url.absoluteString, bytes],
      [
        sample.genre, sample.stars, sample.outline, sample.size.width, sample.size.label, sample.remark.text,
        sample.remark.pages, list(sample.texts), sample.numbers, list(counts),
      ],
      [
        sample.optionalInteger, sample.optionalText, sample.optionalDate?.timeIntervalSinceReferenceDate,
        sample.optionalSize?.width, sample.optionalGenre,
        sample.picture.map { $0 == picture ? "the picture" : "another picture" },
        sample.icon.map { list($0.map { "\($0)" }) }, sample.words, sample.coded, sample.reversed, sample.passing,
      ],
    ]
    return values.map { $0.map(text).joined(separator: " ") }
  }

  private static func list(_ texts: [String]) -> String { "[\(texts.joined(separator: ", "))]" }

  private static func describe(_ change: HistoryChange) -> String {
    let entity = change.changedPersistentIdentifier.entityName
    switch change {
    case .insert: return "insert \(entity)"
    case .update(let update as DefaultHistoryUpdate<Film>):
      return "update \(entity) " + update.updatedPropertyNames.joined(separator: " ")
    case .update(let update as DefaultHistoryUpdate<Person>):
      return "update \(entity) " + update.updatedPropertyNames.joined(separator: " ")
    case .update(let update as DefaultHistoryUpdate<Sample>):
      return "update \(entity) " + update.updatedPropertyNames.joined(separator: " ")
    case .update: return "update \(entity)"
    case .delete(let deletion as DefaultHistoryDelete<Work>):
      return "delete \(entity) \((deletion.tombstone[\.year] as? Int).map { "\($0)" } ?? "nil")"
    case .delete: return "delete \(entity)"
    }
  }

  /// Saves what depends on keys, orders, unique values and words of the store.
  /// - Returns: what other contexts read then.
  package static func change(_ container: ModelContainer) throws -> [String] {
    let context = ModelContext(container)
    let upserted = Sample("full")
    (upserted.small, upserted.words) = (1, "Berg")
    context.insert(upserted)
    let ann = try context.fetch(FetchDescriptor<Person>(predicate: #Predicate { $0.name == "ann" }))[0]
    ann.works.append(Print("new", 2026))
    try context.save()
    let other = ModelContext(container)
    let samples = try other.fetchCount(FetchDescriptor<Sample>())
    let people = try other.fetch(FetchDescriptor<Person>(predicate: #Predicate { $0.name == "ann" }))
    let (old, new) = (
      try other.search(Sample.self, matching: "fluss").count, try other.search(Sample.self, matching: "berg").count
    )
    return ["\(samples) \(old) \(new)"] + people.flatMap { $0.works.map(\.title) }
  }
  package static let changed = ["2 0 1", "short", "film", "print", "new"]
}

#if Encryption || Sync
  extension Released {
    /// A class whose attributes are encrypted.
    @Model final class Secret {
      var name: String
      @Attribute(.allowsCloudEncryption) var text: String
      @Attribute(.allowsCloudEncryption) var number: Int?
      @Attribute(.allowsCloudEncryption) var bytes: Data
      init(_ name: String, _ text: String) {
        self.name = name
        self.text = text
        bytes = Data(text.utf8)
      }
    }

    package static let encryptedModels: [any PersistentModel.Type] = [Secret.self]
    package static let encryptedContents = ["a hidden 5 [hidden]", "b  nil []"]
    /// The bytes of the key of the encrypted store.
    package static let key = Data((0..<32).map { UInt8($0) })

    package static func fillEncrypted(_ container: ModelContainer) throws {
      let context = ModelContext(container)
      let secret = Secret("a", "hidden")
      secret.number = 5
      context.insert(secret)
      context.insert(Secret("b", ""))
      try context.save()
    }

    package static func describeEncrypted(_ context: ModelContext) throws -> [String] {
      try context.fetch(FetchDescriptor<Secret>(sortBy: [SortDescriptor(\.name)])).map {
        "\($0.name) \($0.text) \($0.number.map { "\($0)" } ?? "nil") [\(String(decoding: $0.bytes, as: UTF8.self))]"
      }
    }
  }
#endif
