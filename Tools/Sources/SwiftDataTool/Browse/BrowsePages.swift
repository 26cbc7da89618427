import Foundation
import SwiftDataAppleStore
import SwiftDataInspection

/// The pages of a store as HTML.
struct BrowsePages: Sendable {
  struct NotFound: Error { let text: String }

  let store: InspectedStore
  /// The secret of the forms. Nil if the store is read-only.
  let secret: String?

  private static let pageSize = 50

  // MARK: - Pages

  func overview() throws -> String {
    let rows = try store.entities.map { name in
      "<tr><td><a href=\"/\(Self.link(name))\">\(Self.escaped(name))</a></td><td class=n>\(try store.count(of: name))</td></tr>"
    }
    let head = "<p>\(Self.escaped(store.location))<br>\(store.kind.rawValue), \(Self.escaped(store.identifier))</p>"
    return Self.page("Store", head + "<table><tr><th>Class<th>Objects</tr>\(rows.joined())</table>")
  }

  func objects(of entity: String, after: Int64?, property: String?, text: String?) throws -> String {
    try check(entity)
    let names = try store.attributeNames(of: entity)
    let filter = property.flatMap { name in text.map { (name, $0) } }
    let rows = try store.rows(of: entity, after: after ?? .min, limit: Self.pageSize, filter: filter)
    let options = names.map { name in
      "<option\(name == property ? " selected" : "")>\(Self.escaped(name))</option>"
    }.joined()
    let form =
      "<form><select name=property>\(options)</select> contains <input name=text value=\"\(Self.escaped(text ?? ""))\">"
      + " <button>Filter</button></form>"
    let heads = names.map { "<th>\(Self.escaped($0))" }.joined()
    let lines = rows.map { row in
      let cells = names.map { "<td>\(Self.short(row.values[$0]))" }.joined()
      return "<tr><td><a href=\"/\(Self.link(entity))/\(row.key)\">\(row.key)</a>\(cells)</tr>"
    }
    var next = ""
    if rows.count == Self.pageSize, let last = rows.last {
      var query = "after=\(last.key)"
      if let filter { query += "&property=\(Self.link(filter.0))&text=\(Self.link(filter.1))" }
      next = "<p><a href=\"/\(Self.link(entity))?\(Self.escaped(query))\">Next page</a></p>"
    }
    let count = try store.count(of: entity)
    return Self.page(
      entity, "\(form)<p>\(count) objects</p><table><tr><th>Key\(heads)</tr>\(lines.joined())</table>\(next)")
  }

  func object(of entity: String, key: Int64) throws -> String {
    try check(entity)
    guard let row = try store.rows(of: entity, keys: [key]).first else {
      throw NotFound(text: "there is no \(entity) with the key \(key)")
    }
    let attributes = try store.attributeNames(of: row.entity).map { name in
      let value = "<pre>\(Self.escaped(Self.full(row.values[name])))</pre>"
      return "<tr><th>\(Self.escaped(name))<td>\(value)\(editor(row, name))</tr>"
    }
    var lines = attributes
    for relationship in try store.inspection(of: row.entity) {
      let keys = row.related[relationship.name] ?? []
      let links = keys.prefix(200).map { "<a href=\"/\(Self.link(relationship.destination))/\($0)\">\($0)</a>" }
      let rest = keys.count > 200 ? " and \(keys.count - 200) more" : ""
      lines.append(
        "<tr><th>\(Self.escaped(relationship.name))<td>\(Self.escaped(relationship.destination)):"
          + " \(links.isEmpty ? "none" : links.joined(separator: ", "))\(rest)</tr>")
    }
    return Self.page(
      "\(row.entity) \(key)",
      "<p><a href=\"/\(Self.link(entity))\">\(Self.escaped(entity))</a></p><table>\(lines.joined())</table>")
  }

  private func editor(_ row: StoreRow, _ name: String) -> String {
    let text = Self.full(row.values[name])
    // A browser makes one line end of all, so a text with another one is not edited.
    guard let secret, !text.utf8.contains(UInt8(ascii: "\r")) else { return "" }
    return
      "<form method=post action=\"/\(Self.link(row.entity))/\(row.key)\"><input type=hidden name=secret value=\(secret)>"
      + "<input type=hidden name=property value=\"\(Self.escaped(name))\">"
      // A line end behind the tag is not part of the text.
      + "<textarea name=value rows=1>\n\(Self.escaped(text))</textarea>"
      + " <label><input type=checkbox name=isNil> nil</label> <button>Change</button></form>"
  }

  private func check(_ entity: String) throws {
    guard store.entities.contains(entity) else { throw NotFound(text: "the store has no class \(entity)") }
  }

  // MARK: - HTML

  static func page(_ title: String, _ body: String) -> String {
    """
    <!doctype html><html lang=en><meta charset=utf-8><title>\(escaped(title))</title><style>
    body{font:15px system-ui,sans-serif;margin:2em;color-scheme:light dark}table{border-collapse:collapse;margin:1em 0}
    th,td{border:1px solid #8884;padding:.3em .6em;text-align:left;vertical-align:top}td.n{text-align:right}
    pre{margin:0;white-space:pre-wrap;word-break:break-word}form{margin:.3em 0}
    </style><p><a href="/">All classes</a></p><h1>\(escaped(title))</h1>\(body)</html>
    """
  }

  static func escaped(_ text: String) -> String {
    text.replacingOccurrences(of: "&", with: "&amp;", options: .literal).replacingOccurrences(
      of: "<", with: "&lt;", options: .literal
    )
    .replacingOccurrences(of: ">", with: "&gt;", options: .literal).replacingOccurrences(
      of: "\"", with: "&quot;", options: .literal
    )
    .replacingOccurrences(of: "'", with: "&#39;", options: .literal).replacingOccurrences(
      of: "\0", with: "\u{FFFD}", options: .literal)
  }

  private static func link(_ text: String) -> String {
    text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
  }

  private static func short(_ value: JSONValue?) -> String {
    let text = full(value)
    return escaped(text.count > 80 ? text.prefix(80) + "…" : text)
  }

  private static func full(_ value: JSONValue?) -> String {
    switch value {
    case nil, .null: ""
    case .string(let text): text
    case .bool(let value): "\(value)"
    case .integer(let value): "\(value)"
    case .number(let value): "\(value)"
    case .some(let value):
      (try? JSONEncoder().encode(value)).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }
  }
}
