import Foundation
import SwiftData
import Testing

private enum Log {
  @Model class Note {
    @Attribute(.preserveValueOnDeletion) var code: String
    @Attribute(.preserveValueOnDeletion) var mood: Mood?
    @Attribute(.preserveValueOnDeletion) var place: Place?
    var text: String = ""
    var tags: [Mark] = []
    @Relationship(deleteRule: .cascade) var parts: [Part] = []
    init(code: String) { self.code = code }
  }

  @Model final class Letter: Note {
    var receiver: String = ""
    override init(code: String) { super.init(code: code) }
  }

  @Model final class Mark {
    @Attribute(.unique) var name: String
    @Relationship(inverse: \Note.tags) var notes: [Note] = []
    init(name: String) { self.name = name }
  }

  @Model final class Part {
    var number: Int
    init(number: Int) { self.number = number }
  }

  enum Mood: String, Codable { case calm, wild }
  struct Place: Codable, Equatable { var x: Int }
}

private typealias Descriptor = HistoryDescriptor<DefaultHistoryTransaction>

@Suite struct HistoryTests {
  private let store: TemporaryStore
  private let context: ModelContext

  init() throws {
    store = try TemporaryStore()
    context = ModelContext(try store.container(Log.Note.self, Log.Letter.self))
  }

  /// The changes of each transaction in short.
  private func history(_ descriptor: Descriptor = Descriptor(), _ context: ModelContext? = nil) throws -> [[String]] {
    try (context ?? self.context).fetchHistory(descriptor).map { $0.changes.map(Self.brief) }
  }

  private static func brief(_ change: HistoryChange) -> String {
    switch change {
    case .insert: "+\(change.changedPersistentIdentifier.entityName)"
    case .update(let update as DefaultHistoryUpdate<Log.Note>):
      "~Note \(update.updatedPropertyNames.joined(separator: " "))"
    case .update(let update as DefaultHistoryUpdate<Log.Letter>):
      "~Letter \(update.updatedPropertyNames.joined(separator: " "))"
    case .update: "~\(change.changedPersistentIdentifier.entityName)"
    case .delete: "-\(change.changedPersistentIdentifier.entityName)"
    }
  }

  @Test("A save is a transaction, and a change is an object: inserts, updates with their properties, deletes")
  func saves() throws {
    context.author = "me"
    let before = Date()
    let note = Log.Note(code: "a")
    note.parts = [Log.Part(number: 1)]
    context.insert(note)
    try context.save()
    note.text = "new"
    note.code = "b"
    note.code = "c"
    try context.save()
    context.author = nil
    context.delete(note)
    try context.save()
    try context.save()
    #expect(try history() == [["+Note", "+Part"], ["~Note code text"], ["-Note", "-Part"]])
    let transactions = try context.fetchHistory(Descriptor())
    #expect(transactions.map(\.author) == ["me", "me", nil])
    #expect(transactions.map(\.transactionIdentifier) == [1, 2, 3])
    #expect(transactions.map(\.storeIdentifier) == Array(repeating: note.persistentModelID.storeIdentifier!, count: 3))
    #expect(
      transactions.allSatisfy { transaction in transaction.timestamp >= before && transaction.timestamp <= Date() })
    #expect(transactions[0].processIdentifier == "\(ProcessInfo.processInfo.processIdentifier)")
    #expect(transactions[0].token < transactions[1].token)
    guard case .update(let update as DefaultHistoryUpdate<Log.Note>) = transactions[1].changes[0] else {
      Issue.record("an update of a note is a DefaultHistoryUpdate<Note>")
      return
    }
    #expect(update.updatedAttributes.contains(\Log.Note.code))
    #expect(!update.updatedAttributes.contains(\Log.Note.mood))
    #expect(update.transactionIdentifier == 2)
    #expect(update.changedPersistentIdentifier == note.persistentModelID)
  }

  @Test("A deletion keeps the attributes with .preserveValueOnDeletion, as they were stored")
  func tombstones() throws {
    let note = Log.Note(code: "a")
    note.mood = .wild
    note.place = Log.Place(x: 3)
    note.text = "gone"
    context.insert(note)
    try context.save()
    note.code = "never saved"
    context.delete(note)
    try context.save()
    let change = try #require(try context.fetchHistory(Descriptor()).last?.changes.first)
    guard case .delete(let deletion as DefaultHistoryDelete<Log.Note>) = change else {
      Issue.record("a deletion of a note is a DefaultHistoryDelete<Note>")
      return
    }
    let tombstone = deletion.tombstone
    #expect(tombstone[\.code] as? String == "a")
    #expect(tombstone[\.mood] as? Log.Mood == .wild)
    #expect(tombstone[\.place] as? Log.Place == Log.Place(x: 3))
    #expect(tombstone[\.text] == nil)
    #expect(tombstone.map { "\($0)" } == ["a", "wild", "Place(x: 3)"])
    #expect(tombstone[named: "code"] as? String == "a")
  }

  @Test("A deletion of a subclass's object keeps the attributes of the superclass, by key paths of both classes")
  func inheritedTombstones() throws {
    let letter = Log.Letter(code: "a")
    letter.mood = .wild
    context.insert(letter)
    try context.save()
    context.delete(letter)
    try context.save()
    let change = try #require(try context.fetchHistory(Descriptor()).last?.changes.first)
    guard case .delete(let deletion as DefaultHistoryDelete<Log.Letter>) = change else {
      Issue.record("a deletion of a letter is a DefaultHistoryDelete<Letter>")
      return
    }
    #expect(deletion.tombstone[\.code] as? String == "a")
    #expect(deletion.tombstone[\Log.Letter.mood] as? Log.Mood == .wild)
    #expect(deletion.tombstone[\.receiver] == nil)
    #expect(deletion.tombstone.map { "\($0)" } == ["a", "wild"])
  }

  @Test("Subclasses, inherited properties included, and many-to-manys of both sides are in the history")
  func shapes() throws {
    let letter = Log.Letter(code: "a")
    let mark = Log.Mark(name: "m")
    context.insert(letter)
    context.insert(mark)
    try context.save()
    letter.tags.append(mark)
    letter.receiver = "r"
    letter.text = "t"
    try context.save()
    #expect(try history().last == ["~Letter text tags receiver", "~Mark"])
    mark.notes = []
    try context.save()
    #expect(try history().last?.sorted() == ["~Letter tags", "~Mark"])
  }

  @Test("An upsert is an update of the stored object, with the properties that it wrote")
  func upsert() throws {
    context.insert(Log.Mark(name: "m"))
    try context.save()
    context.insert(Log.Mark(name: "m"))
    try context.save()
    #expect(try history() == [["+Mark"], ["~Mark"]])
  }

  @Test("A refused save leaves no trace")
  func refused() throws {
    let strict = ModelContext(
      try store.container(Log.Note.self, Log.Letter.self) { $0.uniquenessPolicy = .reject })
    strict.insert(Log.Mark(name: "m"))
    try strict.save()
    strict.insert(Log.Note(code: "x"))
    strict.insert(Log.Mark(name: "m"))
    #expect(throws: SwiftDataError.uniquenessViolation) { try strict.save() }
    #expect(try history() == [["+Mark"]])
  }

  @Test("Predicates over token, author, timestamp and changes, sorts and limits do what Swift would do")
  func predicates() throws {
    for number in 0..<6 {
      context.author = number.isMultiple(of: 2) ? "even" : "odd"
      context.insert(Log.Mark(name: "\(number)"))
      try context.save()
    }
    let all = try context.fetchHistory(Descriptor())
    let token = all[1].token
    let author = "even"
    let time = all[3].timestamp
    let changed = all[4].changes[0].changedPersistentIdentifier
    let predicates: [Predicate<DefaultHistoryTransaction>] = [
      #Predicate { $0.token > token },
      #Predicate { $0.token > token && $0.author == author },
      #Predicate { token <= $0.token },
      #Predicate { $0.token < token || $0.author == author },
      #Predicate { $0.timestamp >= time },
      #Predicate { $0.transactionIdentifier > 4 },
      #Predicate { transaction in transaction.changes.contains { $0.changedPersistentIdentifier == changed } },
      #Predicate { $0.author == nil },
    ]
    for (index, predicate) in predicates.enumerated() {
      let expected = try all.filter { try predicate.evaluate($0) }
      #expect(try context.fetchHistory(Descriptor(predicate: predicate)) == expected, "predicate \(index)")
    }
    var newest = Descriptor(sortBy: [SortDescriptor(\.transactionIdentifier, order: .reverse)])
    newest.fetchLimit = 2
    #expect(try context.fetchHistory(newest).map(\.transactionIdentifier) == [6, 5])
    var oldest = Descriptor(predicate: #Predicate { $0.author == author })
    oldest.fetchLimit = 2
    #expect(try context.fetchHistory(oldest).map(\.transactionIdentifier) == [1, 3])
  }

  @Test("What follows a token is read without what precedes it")
  func bounded() throws {
    for number in 0..<5 {
      context.insert(Log.Mark(name: "\(number)"))
      try context.save()
    }
    let token = try #require(try context.fetchHistory(Descriptor()).last).token
    let (new, statements) = try SQLTrace.record {
      try context.fetchHistory(Descriptor(predicate: #Predicate { $0.token > token }))
    }
    #expect(new.isEmpty)
    // The check of the token, and one page without rows; no changes are read.
    #expect(statements.count == 2)
  }

  @Test("A token is Codable, and goes on in another container")
  func tokens() throws {
    context.insert(Log.Mark(name: "1"))
    try context.save()
    let token = try #require(try context.fetchHistory(Descriptor()).last).token
    let saved = try JSONEncoder().encode(token)
    context.insert(Log.Mark(name: "2"))
    try context.save()
    let restored = try JSONDecoder().decode(DefaultHistoryToken.self, from: saved)
    #expect(restored == token)
    let id: Int = restored.id
    #expect(id == 1)
    let other = ModelContext(try store.container(Log.Note.self, Log.Letter.self))
    let new = try other.fetchHistory(Descriptor(predicate: #Predicate { $0.token > restored }))
    #expect(new.map(\.transactionIdentifier) == [2])
    let ids: [Int64] = new.map(\.id)
    #expect(ids == [2])
    #expect(other.model(for: new[0].changes[0].changedPersistentIdentifier) is Log.Mark)
  }

  @Test("Deleting history expires the tokens before it, and numbers are not given twice")
  func deletion() throws {
    for number in 0..<4 {
      context.insert(Log.Mark(name: "\(number)"))
      try context.save()
    }
    let all = try context.fetchHistory(Descriptor())
    let second = all[1].token
    try context.deleteHistory(Descriptor(predicate: #Predicate { $0.token <= second }))
    #expect(try context.fetchHistory(Descriptor()).map(\.transactionIdentifier) == [3, 4])
    let first = all[0].token
    let error = #expect(throws: SwiftDataError.historyTokenExpired) {
      try context.fetchHistory(Descriptor(predicate: #Predicate { $0.token > first }))
    }
    #expect(error?.description.contains("transaction 2") == true)
    // Nothing is missing after the second.
    let rest = try context.fetchHistory(Descriptor(predicate: #Predicate { $0.token > second }))
    #expect(rest.map(\.transactionIdentifier) == [3, 4])
    try context.deleteHistory(Descriptor())
    context.insert(Log.Mark(name: "new"))
    try context.save()
    #expect(try context.fetchHistory(Descriptor()).map(\.transactionIdentifier) == [5])
  }

  @Test("A retention forgets what is older when the store is opened")
  func retention() throws {
    context.insert(Log.Mark(name: "1"))
    try context.save()
    Thread.sleep(forTimeInterval: 0.05)
    let kept = ModelContext(
      try store.container(Log.Note.self, Log.Letter.self) { $0.historyRetention = .seconds(3_600) })
    #expect(try history(Descriptor(), kept) == [["+Mark"]])
    let forgotten = ModelContext(
      try store.container(Log.Note.self, Log.Letter.self) { $0.historyRetention = .seconds(0.01) })
    #expect(try history(Descriptor(), forgotten) == [])
    #expect(try forgotten.fetchCount(FetchDescriptor<Log.Mark>()) == 1)
  }

  @Test("An import of many objects adds a row of a few bytes to the history, and reads back as one change for each")
  func compact() throws {
    for number in 0..<3000 {
      let note = Log.Note(code: "\(number)")
      note.parts = [Log.Part(number: number)]
      context.insert(note)
    }
    try context.save()
    let keys = "SELECT json_group_array(json_extract(value, '$.keys')) FROM _swiftdata_history, json_each(changes)"
    #expect(try store.shell(keys) == "[[1,3000],[1,3000]]")
    let batch = ModelContext(try store.container(Log.Note.self, Log.Letter.self))
    for number in 0..<3000 { batch.insert(Log.Mark(name: "\(number)")) }
    try batch.save()
    #expect(try store.shell(keys + " WHERE _swiftdata_history.id = 2") == "[[1,3000]]")
    #expect(try store.shell("SELECT count(*) FROM _swiftdata_changes") == "0")
    let changes = try #require(try context.fetchHistory(Descriptor()).last).changes
    #expect(changes.count == 3000)
    #expect(Set(changes.map(\.changedPersistentIdentifier)).count == 3000)
  }

  @Test("Updates of rows with gaps, in another order and of several properties keep their rows and names")
  func runs() throws {
    let notes = (0..<9).map { Log.Note(code: "\($0)") }
    for note in notes {
      context.insert(note)
      try context.save()
    }
    for number in [0, 1, 2, 4, 5, 8, 7] { notes[number].text = "t" }
    for number in [2, 3] { notes[number].code += "c" }
    try context.save()
    let changes = try #require(try context.fetchHistory(Descriptor()).last).changes
    let found = changes.map { change in
      let note = notes.firstIndex { $0.persistentModelID == change.changedPersistentIdentifier } ?? -1
      return "\(note) \(Self.brief(change))"
    }
    let expected = [0, 1, 4, 5, 8, 7].map { "\($0) ~Note text" } + ["2 ~Note code text", "3 ~Note code"]
    #expect(found.sorted() == expected.sorted())
  }

  @Test("The history of a model that is gone is left out, and the rest stays; renamed ones go on under the new name")
  func migration() throws {
    let store = try TemporaryStore()
    let old = ModelContext(try store.container(Renamed.Before.Word.self, Renamed.Before.Other.self))
    let word = Renamed.Before.Word(text: "t")
    old.insert(word)
    old.insert(Renamed.Before.Other())
    try old.save()
    word.text = "u"
    try old.save()
    let new = ModelContext(try store.container(Renamed.After.Word.self))
    let transactions = try new.fetchHistory(Descriptor())
    #expect(transactions.map(\.changes.count) == [1, 1])
    guard case .update(let update as DefaultHistoryUpdate<Renamed.After.Word>)? = transactions.last?.changes.first
    else {
      Issue.record("the update is one of the new class")
      return
    }
    #expect(update.updatedAttributes == [\Renamed.After.Word.word])
  }

  @Test("Another type of transaction than the store's is refused by name")
  func otherType() throws {
    let error = #expect(throws: SwiftDataError.invalidTransactionFetchRequest) {
      try context.fetchHistory(HistoryDescriptor<OtherTransaction>())
    }
    #expect(error?.description.contains("OtherTransaction") == true)
  }
}

private struct OtherTransaction: HistoryTransaction {
  var timestamp: Date
  var token: DefaultHistoryToken
  var transactionIdentifier: Int64
  var storeIdentifier: String
  var author: String?
  var id: Int64 { transactionIdentifier }
  var changes: [HistoryChange] { [] }
  static func == (left: Self, right: Self) -> Bool { left.token == right.token }
  func hash(into hasher: inout Hasher) { hasher.combine(token) }
}

private enum Renamed {
  enum Before {
    @Model final class Word {
      var text: String
      init(text: String) { self.text = text }
    }
    @Model final class Other {
      var number = 1
      init() {}
    }
  }
  enum After {
    @Model final class Word {
      @Attribute(originalName: "text") var word: String
      init(word: String) { self.word = word }
    }
  }
}
