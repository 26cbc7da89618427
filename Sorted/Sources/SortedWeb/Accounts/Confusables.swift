import Foundation

/// What letters look like: the data of Unicode's technical standard 39, and what fonts draw alike beyond it.
enum Confusables {
  /// Grows with each change of the data, so that stored skeletons are made again.
  static let version = 2

  /// - Throws: `CocoaError` for a bundle without the data.
  static func check() throws { _ = try table.get() }

  /// The characters that stand for all that are drawn like this one.
  static func prototype(of scalar: Unicode.Scalar) -> String {
    (try? table.get())?[scalar] ?? String(scalar)
  }

  private static let table = Result { try read() }

  private static func read() throws -> [Unicode.Scalar: String] {
    guard let folder = Bundle.module.path(forResource: "Unicode", ofType: nil) else {
      throw CocoaError(.fileNoSuchFile)
    }
    let text = try String(contentsOfFile: "\(folder)/confusables.txt", encoding: .utf8)
    var table: [Unicode.Scalar: String] = [:]
    for line in text.split(separator: "\n") where !line.hasPrefix("#") {
      let parts = line.split(separator: ";")
      guard parts.count == 2, let scalar = Self.scalar(parts[0]) else { throw CocoaError(.fileReadCorruptFile) }
      table[scalar] = String(String.UnicodeScalarView(parts[1].split(separator: " ").compactMap(Self.scalar)))
    }
    for (letters, plain) in others { for scalar in letters.unicodeScalars { table[scalar] = plain } }
    return table
  }

  private static func scalar(_ digits: Substring) -> Unicode.Scalar? {
    UInt32(digits, radix: 16).flatMap(Unicode.Scalar.init)
  }

  /// What the standard keeps apart and some fonts do not, and two letters that together are drawn like one.
  private static let others: [(String, String)] = [
    ("ӓⱥ", "a"), ("вʙьƅ", "b"), ("ϲϹ", "c"), ("ε", "e"), ("кκĸ", "k"), ("ӏ|", "l"), ("п", "n"), ("τ", "t"), ("χ", "x"),
    ("wω", "vv"),
  ]
}
