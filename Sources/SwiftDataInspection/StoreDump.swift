import Foundation
import SwiftData
import SwiftDataAppleStore

extension InspectedStore {
  /// Calls `body` with every object, class by class and in the order of keys, as the store is at one moment. A page of objects
  /// is in memory at a time, and the external data of one object. The body must not read the store.
  /// - Parameters:
  ///   - names: the classes. An empty array stands for all.
  ///   - missing: called with a description of each external file that cannot be read. The object has no value then.
  /// - Throws: `SwiftDataError`, `SwiftDataError/storeLocked` if another program changes a file meanwhile, and what `body` throws.
  public func forEachRow(
    of names: [String] = [], missing: (String) -> Void = { _ in }, _ body: (StoreRow) throws -> Void
  ) throws {
    try atOneMoment { try $0.forEachStoredRow(of: names, missing: missing, body) }
  }

  private func forEachStoredRow(
    of names: [String], missing: (String) -> Void, _ body: (StoreRow) throws -> Void
  ) throws {
    for name in names.isEmpty ? entities : names {
      guard entities.contains(name) else {
        throw SwiftDataError(
          .unknownSchema, entity: name,
          message: "the store has no such class; it has \(entities.joined(separator: ", "))")
      }
      let external = externalProperties(of: name)
      var last = Int64.min
      while true {
        let page = try rows(of: name, after: last, limit: 500)
        guard let end = page.last else { break }
        last = end.key
        for var row in page {
          for property in external {
            guard let lost = readExternalData(property, of: &row) else { continue }
            row.values[property] = nil
            missing(lost)
          }
          try body(row)
        }
      }
    }
  }

  /// The properties of a class whose values may be in files.
  func externalProperties(of entity: String) -> [String] {
    columns(of: entity).filter(mayNameFiles).map(\.propertyName)
  }

  /// Replaces the name of an external file by its data.
  /// - Returns: a description of the file if it cannot be read. The row then keeps the name.
  func readExternalData(_ property: String, of row: inout StoreRow) -> String? {
    // Data in the row are Base64, which has no hyphens.
    guard case .string(let name)? = row.values[property], ExternalName(name) != nil else { return nil }
    let folder = apple.map { AppleFile.externalFolder(of: $0.file.url) } ?? externalFolder
    guard let data = try? Data(contentsOf: folder.appendingPathComponent(name)) else {
      return "\(row.entity).\(property) of \(row.key): the file \(name) is missing from \(folder.path)"
    }
    row.values[property] = .string(data.base64EncodedString())
    return nil
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
