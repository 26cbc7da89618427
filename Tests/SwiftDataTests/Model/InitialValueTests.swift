import Foundation
import SwiftData
import Testing

private enum Starting {
  enum Mood: String, Codable { case calm, wild }

  @Model final class Record {
    var name: String
    var isNew: Bool? = true
    var count: Int? = 7
    var text: String? = "a"
    var date: Date? = Date(timeIntervalSinceReferenceDate: 5)
    @Attribute var mood: Mood? = Mood.wild
    var tags: [String]? = ["x"]
    var nothing: Int? = nil
    var none: Int?
    init(name: String) { self.name = name }
  }
}

@Suite struct InitialValueTests {
  @Test("An optional property begins with its initial value, also if an initializer omits it, and is saved so")
  func optionals() throws {
    let store = try TemporaryStore()
    func expect(_ record: Starting.Record) {
      #expect(record.isNew == true && record.count == 7 && record.text == "a" && record.mood == .wild)
      #expect(record.date == Date(timeIntervalSinceReferenceDate: 5) && record.tags == ["x"])
      #expect(record.nothing == nil && record.none == nil)
    }
    let record = Starting.Record(name: "n")
    expect(record)
    let context = ModelContext(try store.container(Starting.Record.self))
    context.insert(record)
    try context.save()
    expect(try ModelContext(context.container).fetch(FetchDescriptor<Starting.Record>())[0])
    record.count = nil
    #expect(record.count == nil)
  }
}
