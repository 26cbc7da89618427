import Foundation
import SwiftData
import SwiftDataAppleStore

/// The models of a store as a picture.
public struct StoreDiagram: Sendable {
  private struct Box {
    let name: String
    let superentity: String?
    let lines: [String]
    var x = 0
    var y = 0
    var width: Int { 24 + 8 * max(name.count, lines.map(\.count).max() ?? 0) }
    var height: Int { 40 + 18 * lines.count }
  }

  private struct Edge: Hashable {
    let from: String
    let to: String
    let label: String
    let isToMany: Bool
    let isFromMany: Bool
  }

  private var boxes: [Box]
  private let edges: [Edge]

  /// - Throws: `SwiftDataError` if the store cannot be read.
  public init(of store: InspectedStore) throws {
    self.init(try store.inspection())
  }

  /// Draws an inspection.
  public init(_ inspection: Inspection) {
    boxes = inspection.entities.map { entity in
      Box(
        name: entity.name, superentity: entity.superentity,
        lines: entity.attributes.map { "\($0.name): \($0.type)\($0.isOptional ? "?" : "")" })
    }
    var edges = [Edge]()
    var seen = Set<[String]>()
    for entity in inspection.entities {
      for relationship in entity.relationships {
        // Both ends of a relationship are one line.
        let ends = [[entity.name, relationship.name], [relationship.destination, relationship.inverse ?? ""]]
        guard relationship.inverse == nil || seen.insert(ends.map { $0.joined(separator: ".") }.sorted()).inserted
        else {
          continue
        }
        let other = inspection.entities.first { $0.name == relationship.destination }
        let inverse = other?.relationships.first { $0.name == relationship.inverse }
        edges.append(
          Edge(
            from: entity.name, to: relationship.destination,
            label: relationship.inverse.map { "\(relationship.name) / \($0)" } ?? relationship.name,
            isToMany: relationship.isToMany, isFromMany: inverse?.isToMany ?? !relationship.isToMany))
      }
    }
    self.edges = edges
  }

  // MARK: - Mermaid

  /// An entity relationship diagram in Mermaid's language.
  public var mermaid: String {
    func word(_ text: String) -> String {
      let result = text.unicodeScalars.map { $0.properties.isXIDContinue ? String($0) : "_" }.joined()
      return result.isEmpty ? "_" : result
    }
    var lines = ["erDiagram"]
    for box in boxes {
      lines.append("  \(word(box.name)) {")
      for line in box.lines {
        let parts = line.components(separatedBy: ": ")
        lines.append("    \(word(parts.last ?? "")) \(word(parts.first ?? ""))")
      }
      lines.append("  }")
    }
    for edge in edges {
      let left = edge.isFromMany ? "}o" : "|o"
      let right = edge.isToMany ? "o{" : "o|"
      lines.append(
        "  \(word(edge.from)) \(left)--\(right) \(word(edge.to)) : \"\(edge.label.replacingOccurrences(of: "\"", with: "'", options: .literal))\""
      )
    }
    for box in boxes {
      if let parent = box.superentity { lines.append("  \(word(parent)) ||--|| \(word(box.name)) : inherits") }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  // MARK: - SVG

  /// An SVG drawing with boxes in a grid and lines between their centers.
  public var svg: String {
    var boxes = boxes
    let columns = max(1, Int(Double(boxes.count).squareRoot().rounded(.up)))
    var (x, y, rowHeight, width) = (40, 40, 0, 0)
    for index in boxes.indices {
      if index > 0, index % columns == 0 { (x, y, rowHeight) = (40, y + rowHeight + 80, 0) }
      (boxes[index].x, boxes[index].y) = (x, y)
      x += boxes[index].width + 100
      width = max(width, x)
      rowHeight = max(rowHeight, boxes[index].height)
    }
    let height = y + rowHeight + 40
    let places = Dictionary(boxes.map { ($0.name, $0) }) { first, _ in first }
    var lines = [
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"\(width)\" height=\"\(height)\""
        + " font-family=\"monospace\" font-size=\"13\">",
      "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>",
    ]
    for edge in edges {
      guard let from = places[edge.from], let to = places[edge.to] else { continue }
      lines += Self.line(from, to, edge)
    }
    for box in boxes {
      if let parent = box.superentity.flatMap({ places[$0] }) {
        lines.append(Self.path(box, parent, dashed: true))
      }
    }
    for box in boxes {
      lines.append(
        "<rect x=\"\(box.x)\" y=\"\(box.y)\" width=\"\(box.width)\" height=\"\(box.height)\" rx=\"6\" fill=\"#f6f8fa\""
          + " stroke=\"#57606a\"/>")
      lines.append(
        "<text x=\"\(box.x + 12)\" y=\"\(box.y + 22)\" font-weight=\"bold\">\(Self.escaped(box.name))</text>")
      for (index, line) in box.lines.enumerated() {
        lines.append("<text x=\"\(box.x + 12)\" y=\"\(box.y + 46 + 18 * index)\">\(Self.escaped(line))</text>")
      }
    }
    return (lines + ["</svg>"]).joined(separator: "\n") + "\n"
  }

  private static func line(_ from: Box, _ to: Box, _ edge: Edge) -> [String] {
    let middle = (
      (from.x + from.width / 2 + to.x + to.width / 2) / 2, (from.y + to.y + (from.height + to.height) / 2) / 2
    )
    let mark = "\(edge.isFromMany ? "*" : "1") \(edge.label) \(edge.isToMany ? "*" : "1")"
    let place = from.name == to.name ? (from.x + from.width + 6, from.y + 16) : middle
    return [
      path(from, to, dashed: false),
      "<text x=\"\(place.0)\" y=\"\(place.1)\" fill=\"#0969da\" font-size=\"11\">\(escaped(mark))</text>",
    ]
  }

  private static func path(_ from: Box, _ to: Box, dashed: Bool) -> String {
    let start = (from.x + from.width / 2, from.y + from.height / 2)
    let end = (to.x + to.width / 2, to.y + to.height / 2)
    return "<line x1=\"\(start.0)\" y1=\"\(start.1)\" x2=\"\(end.0)\" y2=\"\(end.1)\" stroke=\"#8c959f\""
      + (dashed ? " stroke-dasharray=\"6 4\"" : "") + "/>"
  }

  static func escaped(_ text: String) -> String {
    let visible = String(text.unicodeScalars.map { $0.value < 32 ? " " : Character($0) })
    return visible.replacingOccurrences(of: "&", with: "&amp;", options: .literal).replacingOccurrences(
      of: "<", with: "&lt;", options: .literal
    )
    .replacingOccurrences(of: ">", with: "&gt;", options: .literal).replacingOccurrences(
      of: "\"", with: "&quot;", options: .literal)
  }
}
