import Foundation

/// Forms with files (RFC 7578), in memory: no library that is kept has them for Swift without a web framework of its own.
enum MultipartBody {
  struct Part {
    var name: String
    /// Nil for what is no file.
    var fileName: String?
    var bytes: Data
  }

  /// More than any form of ours has.
  private static let maximumParts = 64

  /// The boundary of a `multipart/form-data`; nil for another type.
  static func boundary(of contentType: String) -> String? {
    guard contentType.lowercased().hasPrefix("multipart/form-data") else { return nil }
    return parameter("boundary", of: contentType).flatMap { (1...70).contains($0.utf8.count) ? $0 : nil }
  }

  /// - Throws: ``PageError`` for what is not well formed.
  static func parts(of body: Data, boundary: String) throws -> [Part] {
    let mark = Data("\r\n--\(boundary)".utf8)
    // The first boundary has no line before it.
    let body = Data("\r\n".utf8) + body
    var parts: [Part] = []
    guard var position = body.range(of: mark)?.upperBound else { throw PageError.incomplete }
    while !body[position...].starts(with: Data("--".utf8)) {
      guard parts.count < maximumParts, let end = body.range(of: mark, in: position..<body.endIndex),
        let head = body.range(of: Data("\r\n\r\n".utf8), in: position..<end.lowerBound)
      else { throw PageError.incomplete }
      parts.append(try part(body[position..<head.lowerBound], body[head.upperBound..<end.lowerBound]))
      position = end.upperBound
    }
    return parts
  }

  private static func part(_ head: Data, _ bytes: Data) throws -> Part {
    guard let text = String(data: head, encoding: .utf8) else { throw PageError.incomplete }
    let lines = text.split(separator: "\r\n")
    let disposition = lines.first { $0.lowercased().hasPrefix("content-disposition:") }
    guard let disposition, let name = parameter("name", of: String(disposition)) else { throw PageError.incomplete }
    return Part(name: name, fileName: parameter("filename", of: String(disposition)), bytes: Data(bytes))
  }

  /// A parameter of a header, in quotes or without.
  private static func parameter(_ name: String, of header: String) -> String? {
    // A semicolon between quotes is part of a name.
    var isQuoted = false
    let pieces = header.split { character in
      if character == "\"" { isQuoted.toggle() }
      return character == ";" && !isQuoted
    }
    for piece in pieces.dropFirst() {
      let parts = piece.split(separator: "=", maxSplits: 1)
      guard parts.count == 2, parts[0].trimmingCharacters(in: .whitespaces).lowercased() == name else { continue }
      let value = parts[1].trimmingCharacters(in: .whitespaces)
      let hasQuotes = value.count >= 2 && value.hasPrefix("\"") && value.hasSuffix("\"")
      // Browsers write a quote in a name as %22.
      return hasQuotes
        ? String(value.dropFirst().dropLast()).replacingOccurrences(of: "%22", with: "\"", options: .literal) : value
    }
    return nil
  }
}
