import Foundation
import Testing

@testable import SwiftData

private enum Kinds {
  enum Level: Int, Codable { case low }
  struct Size: Codable { var width = 0 }
  class Base {}
  final class Derived: Base {}
  @Model final class Note {
    var text: String
    init(_ text: String) { self.text = text }
  }
}

@Suite struct TypeKindTests {
  private static let types: [any Any.Type] = [
    Int.self, Int?.self, Int??.self, String.self, String?.self, Kinds.Level.self, Kinds.Level?.self, Kinds.Size.self,
    Kinds.Size?.self, Kinds.Base.self, Kinds.Derived?.self, Kinds.Note.self, Kinds.Note?.self, [Kinds.Note].self,
    [Kinds.Note]?.self, [Int].self, [String: Int].self, Set<Int>.self, (Int, String).self, (() -> Void).self,
    (any Codable).self, AnyObject.self, Decimal.self, Decimal?.self, Character.self, UInt8?.self, Any.self, URL?.self,
    NSString.self, Never.self, Int.Type.self,
  ]

  // Without this, every check would fall back to the runtime's search, and nothing would fail.
  @Test("The runtime describes types as expected") func layout() {
    #expect(TypeKind(Int?.self) == .optional)
    #expect(TypeKind([Kinds.Note].self) == .array)
    #expect(TypeKind(Kinds.Level.self) == .enumeration)
    #expect(TypeKind(Kinds.Size.self) == .structure)
    #expect(TypeKind(Kinds.Derived.self) == .classType)
    #expect(TypeKind(Any.self) == .existential)
    #expect(TypeKind((Int, String).self) == .unknown)
  }

  @Test("A type's kind answers as the runtime's search does", arguments: types.indices)
  func answers(_ index: Int) {
    let type = Self.types[index]
    #expect(ValueTypes.wrapped(by: type) == (type as? any __OptionalValue.Type)?.__wrapped, "\(type)")
    #expect(ValueTypes.column(type) == (type as? any __ColumnValue.Type), "\(type)")
    #expect(ValueTypes.model(type) == (type as? any PersistentModel.Type), "\(type)")
    #expect(ValueTypes.members(type) == (type as? any RelationshipCollection.Type)?.__elementType, "\(type)")
  }
}
