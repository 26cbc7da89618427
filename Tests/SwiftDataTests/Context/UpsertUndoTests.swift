import Foundation
import SwiftData
import Testing

private enum Upsert {
  @Model final class Pupil {
    @Attribute(.unique) var id: String
    var rank: Int
    var remark: String?
    var place: Place = Place(x: 0.1)
    @Attribute(.externalStorage) var photo: Data?
    @Relationship(inverse: \Form.pupils) var form: Form?
    init(_ id: String, rank: Int, remark: String? = nil) { (self.id, self.rank, self.remark) = (id, rank, remark) }
  }

  @Model final class Form {
    var name: String
    var pupils: [Pupil] = []
    init(name: String) { self.name = name }
  }

  struct Place: Codable, Equatable, Sendable { var x: Double }
}

@Suite("Undoing a saved upsert") struct UpsertUndoTests {
  private let context: ModelContext
  private let undo = UndoManager()

  init() throws { context = try memoryContext(Upsert.Pupil.self, Upsert.Form.self) }

  private func stored() throws -> [Upsert.Pupil] {
    try ModelContext(context.container).fetch(FetchDescriptor<Upsert.Pupil>())
  }

  private func ranks() throws -> [Int] { try stored().map(\.rank) }

  @Test(
    "restores the values of the row that was there, and redoing writes the new ones again", arguments: [false, true])
  func row(isRegistered: Bool) throws {
    let other = ModelContext(context.container)
    let former = Upsert.Pupil("a", rank: 1, remark: "first")
    other.insert(former)
    try other.save()
    let found = isRegistered ? try context.fetch(FetchDescriptor<Upsert.Pupil>()) : []
    context.undoManager = undo
    let new = Upsert.Pupil("a", rank: 2)
    new.place = Upsert.Place(x: 2)
    context.insert(new)
    try context.save()
    #expect(try ranks() == [2])

    undo.undo()
    #expect(context.hasChanges && context.deletedModelsArray.isEmpty)
    try context.save()
    #expect(try stored().map(\.persistentModelID) == [former.persistentModelID])
    #expect(try stored().map(\.remark) == ["first"])
    #expect(try stored().map(\.place.x) == [0.1])
    #expect(try ranks() == [1])
    #expect(found.allSatisfy { $0.rank == 1 && $0.remark == "first" })

    undo.redo()
    try context.save()
    #expect(try ranks() == [2])
    #expect(try stored().map(\.remark) == [nil])
    undo.undo()
    try context.save()
    #expect(try ranks() == [1])
  }

  @Test("restores the object to which the row referred, with the other side")
  func relationship() throws {
    let forms = ["1", "2"].map { Upsert.Form(name: $0) }
    forms.forEach { context.insert($0) }
    let former = Upsert.Pupil("a", rank: 1)
    context.insert(former)
    former.form = forms[0]
    try context.save()
    context.undoManager = undo
    let new = Upsert.Pupil("a", rank: 2)
    context.insert(new)
    new.form = forms[1]
    try context.save()
    #expect(try stored().map(\.form?.name) == ["2"])
    undo.undo()
    #expect(former.rank == 1 && former.form === forms[0])
    #expect(forms[0].pupils.map(\.rank) == [1] && forms[1].pupils.isEmpty)
    try context.save()
    #expect(try ranks() == [1])
    #expect(try stored().map(\.form?.name) == ["1"])
  }

  @Test("restores data whose file the save removed")
  func externalData() throws {
    let store = try TemporaryStore()
    let photos = [UInt8(1), 2].map { Data(repeating: $0, count: 200_000) }
    func pupil(_ rank: Int) -> Upsert.Pupil {
      let pupil = Upsert.Pupil("a", rank: rank)
      pupil.photo = photos[rank - 1]
      return pupil
    }
    do {
      let context = ModelContext(try store.container(Upsert.Pupil.self, Upsert.Form.self))
      context.insert(pupil(1))
      try context.save()
    }
    let context = ModelContext(try store.container(Upsert.Pupil.self, Upsert.Form.self))
    context.undoManager = undo
    context.insert(pupil(2))
    try context.save()
    undo.undo()
    try context.save()
    let found = try ModelContext(context.container).fetch(FetchDescriptor<Upsert.Pupil>())
    #expect(found.map(\.rank) == [1] && found.map(\.photo) == [photos[0]])
  }

  @Test("restores the values before each of several upserts")
  func several() throws {
    context.insert(Upsert.Pupil("a", rank: 1))
    try context.save()
    context.undoManager = undo
    for rank in [2, 3] {
      context.insert(Upsert.Pupil("a", rank: rank))
      try context.save()
    }
    undo.undo()
    try context.save()
    #expect(try ranks() == [2])
    undo.undo()
    try context.save()
    #expect(try ranks() == [1])
  }

  @Test("deletes the row that the save itself made for two objects with one unique value")
  func twins() throws {
    context.undoManager = undo
    context.insert(Upsert.Pupil("a", rank: 1))
    context.insert(Upsert.Pupil("a", rank: 2))
    try context.save()
    #expect(try stored().count == 1)
    undo.undo()
    try context.save()
    #expect(try ranks() == [])
  }

  @Test("does nothing to a row that was deleted since")
  func gone() throws {
    context.insert(Upsert.Pupil("a", rank: 1))
    try context.save()
    context.undoManager = undo
    context.insert(Upsert.Pupil("a", rank: 2))
    try context.save()
    let other = ModelContext(context.container)
    try other.delete(model: Upsert.Pupil.self)
    try other.save()
    undo.undo()
    try context.save()
    #expect(try ranks() == [])
  }
}
