/// Whether a text is XML whose elements are closed in order. (FoundationXML would be a library more for one question.)
enum XMLDocumentCheck {
  static func isWellFormed(_ text: String) -> Bool {
    var open = [Substring]()
    for part in text.split(separator: "<").map({ $0 }) {
      guard let end = part.firstIndex(of: ">") else { return false }
      let tag = part[..<end]
      if tag.hasSuffix("/") { continue }
      let name = tag.prefix { $0 != " " }
      if name.hasPrefix("/") {
        guard open.popLast() == name.dropFirst() else { return false }
      } else {
        open.append(name)
      }
    }
    return open.isEmpty
  }
}
