import Foundation
import SwiftData
import SwiftDataInspection
import Testing

@testable import SwiftDataAppleStore

@Suite("Enums with associated values") struct EnumTests {
  enum Kind: Codable, Equatable {
    case custom(String)
    case global
    case pair(left: Int?, right: Int?)
    case none
  }

  @Model final class Errand {
    var name: String
    var kind: Kind
    init(_ name: String, _ kind: Kind) { (self.name, self.kind) = (name, kind) }
  }

  /// A file as iOS 26 writes it: only the cases without associated values are listed.
  private static func errands() throws -> URL {
    func payload(_ name: String, _ elements: AppleAttribute...) -> AppleAttribute {
      RareFileTests.attribute(name, .composite) { $0.elements = elements }
    }
    let kind = RareFileTests.attribute("kind", .composite) {
      ($0.isEnum, $0.isOptional, $0.enumCases) = (true, false, ["global", "none"])
      $0.elements = [
        payload("custom", RareFileTests.attribute("_0", .string)), RareFileTests.attribute("global", .string),
        payload("pair", RareFileTests.attribute("left", .int64), RareFileTests.attribute("right", .int64)),
        RareFileTests.attribute("none", .string),
      ]
    }
    return try RareFileTests.file(
      "Errand", [kind, RareFileTests.attribute("name", .string) { $0.isOptional = false }],
      """
      INSERT INTO ZERRAND (Z_PK, Z_ENT, Z_OPT, ZNAME, Z_0, ZGLOBAL, ZLEFT, ZRIGHT, ZNONE) VALUES \
      (1, 1, 1, 'a', 'global', NULL, NULL, NULL, NULL), (2, 1, 1, 'b', NULL, 'global', NULL, NULL, NULL), \
      (3, 1, 1, 'c', NULL, NULL, 3, 4, NULL), (4, 1, 1, 'd', NULL, NULL, NULL, 5, NULL), \
      (5, 1, 1, 'e', NULL, NULL, NULL, NULL, 'none')
      """, "UPDATE Z_PRIMARYKEY SET Z_MAX = 5")
  }

  @Test(
    "F4: an enum is read whether its cases have associated values or not, on the file and on its import"
  )
  func enums() throws {
    let file = try Self.errands()
    let kinds = [
      Kind.custom("global"), .global, .pair(left: 3, right: 4), .pair(left: nil, right: 5),
      Kind.none,
    ]
    let copy = file.deletingLastPathComponent().appendingPathComponent("copy.store")
    let store = try InspectedStore(file.path)
    #expect(try store.copy(into: copy).losses == [])
    #expect(try store.faults() == [])
    let configurations: [any DataStoreConfiguration] = [
      AppleStoreConfiguration(url: file), ModelConfiguration(url: copy),
    ]
    for configuration in configurations {
      let context = ModelContext(
        try ModelContainer(for: Schema([Errand.self]), configurations: [configuration]))
      let errands = try context.fetch(FetchDescriptor<Errand>(sortBy: [SortDescriptor(\.name)]))
      #expect(errands.map(\.kind) == kinds)
    }
    #expect(
      try store.rows(of: "Errand", keys: [2])[0].values["kind"] == .object(["global": .object([:])])
    )
    let source = try store.source()
    #expect(
      source.contains(
        "enum Kind: Codable { case custom(String), global, pair(left: Int?, right: Int?), none }"),
      "\(source)")
    #expect(source.contains("  var kind: Kind\n"))
  }

  @Test("F4: an enum with associated values is saved to the columns of its case")
  func savedEnums() throws {
    let file = try Self.errands()
    let kinds = [Kind.none, .pair(left: 1, right: nil), .custom("x"), .global, .global]
    do {
      let configuration = AppleStoreConfiguration(url: file, allowsSave: true)
      let context = ModelContext(
        try ModelContainer(for: Schema([Errand.self]), configurations: [configuration]))
      let errands = try context.fetch(FetchDescriptor<Errand>(sortBy: [SortDescriptor(\.name)]))
      for (errand, kind) in zip(errands, kinds) { errand.kind = kind }
      try context.save()
      errands[0].kind = .pair(left: nil, right: nil)
      #expect(throws: SwiftDataError.unwritableValue) { try context.save() }
    }
    let cells = try AppleFile(file).rows(
      "SELECT Z_0, ZGLOBAL, ZLEFT, ZRIGHT, ZNONE FROM main.ZERRAND ORDER BY Z_PK")
    #expect(
      cells == [
        [.null, .null, .null, .null, .text("none")], [.null, .null, .integer(1), .null, .null],
        [.text("x"), .null, .null, .null, .null], [.null, .text("global"), .null, .null, .null],
        [.null, .text("global"), .null, .null, .null],
      ])
    #expect(try InspectedStore(file.path).faults() == [])
  }
}
