import Foundation
import SwiftData
import Testing

@Suite("Models named like types of the frameworks")
struct FrameworkNamesTests {
  @Test("A Task with Tags, a Category and a SortDescriptor is kept")
  func task() throws {
    let store = try FormsStore(Names.Task.self)
    let task = Names.Task(title: "t")
    task.tags = [Names.Tag(name: "x")]
    task.category = Names.Category()
    task.category?.parent = Names.Category()
    task.descriptor = Names.SortDescriptor()
    try store.save(task)
    let (context, found) = try store.read(Names.Task.self)
    #expect(found.first?.tags.first?.tasks.first === found.first)
    #expect(found.first?.category?.parent?.children.count == 1)
    #expect(found.first?.descriptor?.key == "")
    _ = context
  }

  @Test("A Character may have a Character")
  func character() throws {
    let store = try FormsStore(Names.Character.self)
    let hero = Names.Character()
    hero.name = "hero"
    hero.friend = Names.Character()
    try store.save(hero)
    let (context, found) = try store.read(Names.Character.self)
    #expect(found.first { $0.name == "hero" }?.friend?.name == "")
    _ = context
  }

  @Test("Models named like SwiftData's own types are kept")
  func swiftDataNames() throws {
    let store = try FormsStore(Names.Schema.self, Names.ModelContext.self, Names.Observation.self, Event.self)
    let schema = Names.Schema()
    let entity = Names.Entity()
    entity.attribute = Names.Attribute(optional: .init())
    schema.entities = [entity]
    let context = Names.ModelContext()
    context.result = Names.Result()
    context.result?.error = .broken
    let event = Event()
    event.observable = .yes
    try store.save(schema, context, event)
    let (reader, schemas) = try store.read(Names.Schema.self)
    #expect(schemas.first?.entities.first?.attribute?.name == "")
    #expect(try reader.fetch(FetchDescriptor<Names.ModelContext>()).first?.result?.error == .broken)
    #expect(try reader.fetch(FetchDescriptor<Event>()).first?.observable == .yes)
  }
}
