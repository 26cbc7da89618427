import Foundation
import SwiftData
import Testing

@Suite("A persistent identifier")
struct PersistentIdentifierTests {
  private let saved = PersistentIdentifier(entityName: "Trip", storeIdentifier: "S", key: 12)

  @Test("is the same when store, entity and key are")
  func equality() throws {
    #expect(saved == PersistentIdentifier(entityName: "Trip", storeIdentifier: "S", key: 12))
    #expect(saved != PersistentIdentifier(entityName: "Trip", storeIdentifier: "T", key: 12))
    #expect(saved != PersistentIdentifier(entityName: "Stop", storeIdentifier: "S", key: 12))
    #expect(saved != PersistentIdentifier(entityName: "Trip", storeIdentifier: "S", key: 13))
    #expect(try saved == .identifier(for: "S", entityName: "Trip", primaryKey: 12))
    #expect(saved.id == PersistentIdentifier(entityName: "Trip", storeIdentifier: "S", key: 12).id)
  }

  @Test("knows its store, entity and key")
  func parts() {
    #expect(saved.entityName == "Trip")
    #expect(saved.storeIdentifier == "S")
    #expect(saved.key == 12)
    #expect(!saved.isTemporary)
    #expect(saved.debugDescription == "Trip/12")
  }

  @Test("that is temporary equals itself only and has no store")
  func temporary() {
    let identity = TemporaryIdentity()
    let first = PersistentIdentifier(entityName: "Trip", temporary: identity)
    #expect(first == PersistentIdentifier(entityName: "Trip", temporary: identity))
    #expect(first != PersistentIdentifier(entityName: "Trip", temporary: TemporaryIdentity()))
    #expect(first.isTemporary)
    #expect(first.storeIdentifier == nil)
    #expect(first.key == nil)
  }

  @Test("survives coding once it is saved")
  func coding() throws {
    let custom = try PersistentIdentifier.identifier(for: "S", entityName: "Trip", primaryKey: "Å/1")
    for identifier in [saved, custom] {
      let data = try JSONEncoder().encode(identifier)
      #expect(try JSONDecoder().decode(PersistentIdentifier.self, from: data) == identifier)
    }
  }

  @Test("is made of any comparable key")
  func customKeys() throws {
    let text = try PersistentIdentifier.identifier(for: "S", entityName: "Trip", primaryKey: "a")
    let uuid = try PersistentIdentifier.identifier(for: "S", entityName: "Trip", primaryKey: UUID())
    #expect(text != uuid)
    #expect(try text == .identifier(for: "S", entityName: "Trip", primaryKey: "a"))
    #expect(text.key == nil)
    #expect(try PersistentIdentifier.identifier(for: "S", entityName: "Trip", primaryKey: "12") != saved)
  }

  @Test("has an order, with temporary ones last")
  func order() {
    let temporary = PersistentIdentifier(entityName: "Trip", temporary: TemporaryIdentity())
    let other = PersistentIdentifier(entityName: "Trip", storeIdentifier: "S", key: 100)
    #expect([temporary, other, saved].sorted() == [saved, other, temporary])
  }
}
