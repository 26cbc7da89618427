import Foundation
import SwiftData
import SwiftDataAppleStore

/// A store whose model has what is rare: names that Swift has already, abstract entities, three levels of inheritance,
/// relationships that look like inverses and are none, and values that are out of range.
public enum OddStore {
  /// How many objects each entity has, with those of its subentities.
  public static let counts = [
    "Base": 3, "Middle": 3, "Leaf": 1, "Data": 2, "Set": 2, "Model": 3, "Attribute": 1, "Relationship": 1, "Tag": 2,
    "URL": 1,
  ]

  /// Makes the store with its objects.
  /// - Throws: an error of SQLite.
  public static func make(at url: URL) throws {
    try AppleStoreTemplate(model).make(at: url)
    let connection = try FileConnection(uri: FileAccess.uri(url.path, "mode=rw"), place: url.path, lockTimeout: 5)
    for statement in rows { try connection.execute(statement) }
  }

  // MARK: - The model

  private static func attribute(
    _ name: String, _ type: AppleType, _ change: (inout AppleAttribute) -> Void = { _ in }
  ) -> AppleAttribute {
    var result = AppleAttribute(name: name, type: type)
    change(&result)
    return result
  }

  private static func link(
    _ name: String, _ destination: String, inverse: String? = nil, isToMany: Bool = false, isOrdered: Bool = false
  ) -> AppleRelationship {
    var result = AppleRelationship(name: name, destination: destination)
    (result.inverse, result.isToMany, result.isOrdered) = (inverse, isToMany, isOrdered)
    result.maximum = isToMany ? 0 : 1
    return result
  }

  private static func entity(
    _ name: String, parent: AppleEntity? = nil, _ attributes: [AppleAttribute], _ links: [AppleRelationship] = []
  ) -> AppleEntity {
    var result = AppleEntity(name: name)
    result.superName = parent?.name
    result.attributes = ((parent?.attributes ?? []) + attributes).sorted { $0.name < $1.name }
    result.relationships = ((parent?.relationships ?? []) + links).sorted { $0.name < $1.name }
    return result
  }

  private static var hierarchy: [AppleEntity] {
    var base = entity(
      "Base", [attribute("created", .date), attribute("hash", .string)], [link("owner", "Base", inverse: "parts")])
    base.relationships.append(link("parts", "Base", inverse: "owner", isToMany: true))
    base.isAbstract = true
    let middle = entity(
      "Middle", parent: base,
      [
        attribute("rank", .int16) {
          ($0.isOptional, $0.defaultValue) = (false, .integer(4))
        }
      ], [link("tag", "Tag")])
    let leaf = entity(
      "Leaf", parent: middle, [attribute("note", .string) { $0.isOptional = false }],
      [link("tag2", "Tag", inverse: "leaves")])
    return [base, middle, leaf]
  }

  private static var model: AppleModel {
    var main = entity(
      "Model",
      [
        attribute("class", .string), attribute("self", .int32), attribute("isOn", .bool), attribute("_hidden", .double),
      ],
      [
        link("friends", "Model", inverse: "friends", isToMany: true),
        link("tags", "Tag", inverse: "models", isToMany: true, isOrdered: true),
      ])
    main.uniqueness = [["class"], ["self", "_hidden"]]
    main.indices = [AppleIndex(name: "byBoth", properties: ["isOn", "class"])]
    let data = entity(
      "Data",
      [
        attribute("data", .binary) { $0.flags = 4 }, attribute("date", .date), attribute("value", .decimal),
        attribute("uuid", .uuid), attribute("string", .string) { $0.defaultValue = .string("Data \"Set\" Date") },
      ], [link("set", "Set", inverse: "datas"), link("mainSet", "Set")])
    let set = entity(
      "Set", [attribute("isSet", .bool)],
      [link("datas", "Data", inverse: "set", isToMany: true), link("others", "Data", isToMany: true)])
    let composite = attribute("model", .composite) {
      $0.elements = [attribute("x", .double), attribute("data", .date), attribute("list", .binary)]
    }
    let cases = attribute("tag", .composite) {
      ($0.isEnum, $0.enumCases) = (true, ["first", "second"])
      $0.elements = [attribute("first", .string), attribute("second", .string)]
    }
    let tag = entity(
      "Tag",
      [
        attribute("name", .string) { $0.formerName = "title" },
        attribute("blob", .transformable) { $0.transformer = "UnknownTransformer" },
        attribute("list", .transformable) { $0.valueClass = "Array<String>" },
      ],
      [
        link("models", "Model", inverse: "tags", isToMany: true, isOrdered: true),
        link("leaves", "Leaf", inverse: "tag2", isToMany: true), link("middle", "Middle"),
      ])
    let entities =
      hierarchy + [
        main, data, set, tag, entity("Attribute", [composite, cases]), entity("Relationship", []),
        entity("URL", [attribute("url", .url), attribute("isURL", .bool) { $0.isOptional = false }]),
      ]
    return AppleModel(versionIdentifiers: [""], entities: entities.sorted { $0.name < $1.name })
  }

  // MARK: - The objects

  /// The numbers of the entities, in the order of their names: Attribute 1, Base 2, Middle 3, Leaf 4, Data 5, Model 6,
  /// Relationship 7, Set 8, Tag 9, URL 10.
  private static let rows = [
    "INSERT INTO ZATTRIBUTE (Z_PK, Z_ENT, Z_OPT, ZX, ZDATA, ZLIST, ZSECOND) VALUES (1, 1, 1, 1.5, 10, x'5B315D', 'second')",
    "INSERT INTO ZBASE (Z_PK, Z_ENT, Z_OPT, ZCREATED, ZRANK) VALUES (1, 3, 1, 1e300, NULL), (2, 3, 1, -1e300, 7)",
    """
    INSERT INTO ZBASE (Z_PK, Z_ENT, Z_OPT, ZCREATED, ZRANK, ZNOTE, ZOWNER, Z2_OWNER, ZTAG, ZTAG2) \
    VALUES (3, 4, 1, -63113904000, 1, 'leaf', 2, 3, 1, 2)
    """,
    """
    INSERT INTO ZDATA (Z_PK, Z_ENT, Z_OPT, ZDATA, ZVALUE, ZUUID, ZSET, Z8OTHERS) VALUES \
    (1, 5, 1, x'0102', 0.1, x'000102030405060708090a0b0c0d0e0f', 1, 2), (2, 5, 1, NULL, -12345678901234567, NULL, 1, 1)
    """,
    "INSERT INTO ZSET (Z_PK, Z_ENT, Z_OPT, ZISSET) VALUES (1, 8, 1, 1), (2, 8, 1, -1)",
    """
    INSERT INTO ZMODEL (Z_PK, Z_ENT, Z_OPT, ZCLASS, ZSELF, ZISON, Z_HIDDEN) VALUES \
    (1, 6, 1, 'a', 1, 2, 0.5), (2, 6, 1, 'b', NULL, 0, NULL), (3, 6, 1, 'c', 2147483647, NULL, 9e999)
    """,
    "INSERT INTO Z_6FRIENDS VALUES (1, 2), (2, 1)",
    "INSERT INTO ZRELATIONSHIP (Z_PK, Z_ENT, Z_OPT) VALUES (1, 7, 1)",
    """
    INSERT INTO ZTAG (Z_PK, Z_ENT, Z_OPT, ZNAME, ZBLOB, ZMIDDLE, Z3_MIDDLE) VALUES \
    (1, 9, 1, 'x', x'ff00', 3, 4), (2, 9, 1, 'Cafe' || char(769), NULL, NULL, NULL)
    """,
    """
    INSERT INTO Z_6TAGS (Z_6MODELS, Z_9TAGS, Z_FOK_9TAGS, Z_FOK_6MODELS) VALUES (1, 1, 4096, 2048), (1, 2, 2048, 2048)
    """,
    "INSERT INTO ZURL (Z_PK, Z_ENT, Z_OPT, ZURL, ZISURL) VALUES (1, 10, 1, '', 1)",
    """
    UPDATE Z_PRIMARYKEY SET Z_MAX = CASE Z_NAME WHEN 'Base' THEN 3 WHEN 'Model' THEN 3 WHEN 'Middle' THEN 0 \
    WHEN 'Leaf' THEN 0 ELSE 2 END
    """,
  ]
}
