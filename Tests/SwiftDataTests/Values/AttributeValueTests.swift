import Foundation
import SwiftData
import Testing

private enum Options {
  /// A colour without Codable, kept as three bytes.
  final class Paint: Equatable {
    let bytes: [UInt8]
    init(_ bytes: [UInt8]) { self.bytes = bytes }
    static func == (left: Paint, right: Paint) -> Bool { left.bytes == right.bytes }
  }

  final class PaintTransformer: ValueTransformer {
    override class func allowsReverseTransformation() -> Bool { true }
    override func transformedValue(_ value: Any?) -> Any? { (value as? Paint).map { Data($0.bytes) } }
    override func reverseTransformedValue(_ value: Any?) -> Any? {
      guard let data = value as? Data, data.count == 3 else { return nil }
      return Paint(Array(data))
    }
  }

  struct Size: Codable, Equatable {
    var width: Int
    var height: Int
  }

  @Model final class Wall {
    @Attribute(.transformable(by: PaintTransformer.self)) var paint: Paint
    @Attribute(.transformable(by: "OptionTestsPaint")) var second: Paint?
    @Attribute(.ephemeral) var clicks: Int = 0
    @Attribute(.ephemeral) var size: Size?
    @Attribute(.codable) var number: Int = 3
    @Attribute(.codable) var dates: [Date] = []
    @Attribute(.codable) var day: Date?
    @Attribute(.preserveValueOnDeletion) var kept: String = "k"
    @Attribute(.allowsCloudEncryption, .spotlight) var marked: String = "m"
    @Attribute(originalName: "colour") var color: String = "c"
    init(paint: Paint) { self.paint = paint }
  }

  @Model final class Strange {
    @Attribute(.transformable(by: "NobodyRegisteredThis")) var paint: Paint?
    init() {}
  }
}

@Suite struct AttributeValueTests {
  init() {
    ValueTransformer.setValueTransformer(Options.PaintTransformer(), forName: .init("OptionTestsPaint"))
  }

  @Test("Transformers by type and by name turn a value into bytes and back")
  func transformable() throws {
    let store = try TemporaryStore()
    let context = ModelContext(try store.container(Options.Wall.self))
    let wall = Options.Wall(paint: .init([1, 2, 3]))
    context.insert(wall)
    try context.save()
    #expect(try store.shell("SELECT hex(paint), typeof(second) FROM Wall") == "010203|null")
    wall.second = .init([255, 0, 1])
    try context.save()
    let found = try #require(try ModelContext(context.container).fetch(FetchDescriptor<Options.Wall>()).first)
    #expect(found.paint == .init([1, 2, 3]) && found.second == .init([255, 0, 1]))
    wall.second = nil
    try context.save()
    #expect(try store.shell("SELECT typeof(second) FROM Wall") == "null")
  }

  @Test("Bytes that the transformer does not take are an error that names the property")
  func unreadableTransformable() throws {
    let store = try TemporaryStore()
    let context = ModelContext(try store.container(Options.Wall.self))
    context.insert(Options.Wall(paint: .init([1, 2, 3])))
    try context.save()
    _ = try store.shell("UPDATE Wall SET paint = x'01'")
    let error = #expect(throws: SwiftDataError.self) {
      try ModelContext(context.container).fetch(FetchDescriptor<Options.Wall>())
    }
    #expect(error?.entity == "Wall" && error?.property == "paint")
  }

  @Test("A transformer that nobody registered is an error that says what to call")
  func unknownTransformer() throws {
    let context = try memoryContext(Options.Strange.self)
    let strange = Options.Strange()
    context.insert(strange)
    strange.paint = .init([1])
    let error = #expect(throws: SwiftDataError.self) { try context.save() }
    #expect(error?.property == "paint")
    #expect(error?.description.contains("setValueTransformer") == true)
    strange.paint = nil
    #expect(context.hasChanges)
  }

  @Test("An ephemeral property has no column, starts with its default and is watched")
  func ephemeral() throws {
    let store = try TemporaryStore()
    let context = ModelContext(try store.container(Options.Wall.self))
    let wall = Options.Wall(paint: .init([1, 2, 3]))
    context.insert(wall)
    (wall.clicks, wall.size) = (7, .init(width: 1, height: 2))
    try context.save()
    #expect(wall.clicks == 7)
    let columns = try store.shell("SELECT group_concat(name) FROM pragma_table_info('Wall')")
    #expect(!columns.contains("clicks") && !columns.contains("size"))
    let found = try #require(try ModelContext(context.container).fetch(FetchDescriptor<Options.Wall>()).first)
    #expect(found.clicks == 0 && found.size == nil)
    wall.clicks = 8
    #expect(context.hasChanges)
    context.rollback()
    #expect(wall.clicks == 7)
    wall.clicks = 9
    try context.save()
    #expect(!context.hasChanges && wall.clicks == 9)
  }

  @Test("With .codable a number is its JSON text, and a nil is null")
  func codable() throws {
    let store = try TemporaryStore()
    let context = ModelContext(try store.container(Options.Wall.self))
    let wall = Options.Wall(paint: .init([1, 2, 3]))
    context.insert(wall)
    (wall.number, wall.day) = (.max, .distantPast)
    try context.save()
    #expect(try store.shell("SELECT typeof(number), number, typeof(day) FROM Wall") == "text|9223372036854775807|text")
    let found = try #require(try ModelContext(context.container).fetch(FetchDescriptor<Options.Wall>()).first)
    #expect(found.number == .max && found.day == .distantPast && found.dates == [])
    wall.day = nil
    try context.save()
    #expect(try store.shell("SELECT typeof(day) FROM Wall") == "null")
  }

  @Test("Options for history, sync and search are accepted, and the value is stored")
  func accepted() throws {
    let store = try TemporaryStore()
    let context = ModelContext(try store.container(Options.Wall.self))
    let wall = Options.Wall(paint: .init([1, 2, 3]))
    context.insert(wall)
    try context.save()
    #expect(try store.shell("SELECT kept, marked, color FROM Wall") == "k|m|c")
    context.delete(wall)
    try context.save()
    #expect(try store.shell("SELECT count(*) FROM Wall") == "0")
  }
}
