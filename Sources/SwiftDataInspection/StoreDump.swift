import Foundation
import SwiftData
import SwiftDataAppleStore

extension InspectedStore {
  /// Calls `body` with every object, class by class and in the order of keys. A page of objects is in memory at a time.
  /// - Parameter names: the classes. An empty array stands for all.
  /// - Throws: `SwiftDataError`, and what `body` throws.
  public func forEachRow(of names: [String] = [], _ body: (StoreRow) throws -> Void) throws {
    for name in names.isEmpty ? entities : names {
      guard entities.contains(name) else {
        throw SwiftDataError(
          .unknownSchema, entity: name,
          message: "the store has no such class; it has \(entities.joined(separator: ", "))")
      }
      var last = Int64.min
      while true {
        let page = try rows(of: name, after: last, limit: 500)
        guard let end = page.last else { break }
        last = end.key
        for row in page { try body(row) }
      }
    }
  }
}

extension StoreRow {
  /// One line of JSON: the class, the key, and all properties by name.
  public var line: String {
    var members = values
    for (name, keys) in related { members[name] = .array(keys.map { .integer($0) }) }
    let row = JSONValue.object(["entity": .string(entity), "key": .integer(key), "properties": .object(members)])
    return (try? JSONCoding.encode(row)).map { String(decoding: $0, as: UTF8.self) } ?? ""
  }
}
