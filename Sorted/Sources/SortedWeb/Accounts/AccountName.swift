import Foundation
import Sorted

/// What people may be called: what stands in lists of participants, in addresses and beside messages.
///
/// Two names are the same where only case and width differ (``folded(_:)``), and nobody gets a name that looks like
/// another's (``skeleton(_:)``, Unicode's technical standard 39).
enum AccountName {
  static func isAllowed(_ name: String) -> Bool {
    (1...64).contains(name.count)
      && name.unicodeScalars.allSatisfy { scalar in
        switch scalar.properties.generalCategory {
        case .lowercaseLetter, .uppercaseLetter, .otherLetter, .modifierLetter, .titlecaseLetter, .decimalNumber: true
        default: ".-_@+".unicodeScalars.contains(scalar)
        }
      }
  }

  /// - Throws: ``PageError``.
  static func checked(_ text: String) throws -> String {
    let name = text.precomposedStringWithCompatibilityMapping
    guard isAllowed(name) else {
      throw PageError.invalid("A name has 1 to 64 letters, digits or the characters . - _ @ +.")
    }
    guard scripts(name).count <= 1 else {
      throw PageError.invalid("A name may use one alphabet only.")
    }
    return name
  }

  /// The name as it is compared: "Alice", "ALICE" and "Ａｌｉｃｅ" are one.
  static func folded(_ name: String) -> String {
    name.precomposedStringWithCompatibilityMapping.lowercased().precomposedStringWithCompatibilityMapping
  }

  /// What the name looks like. Names with one skeleton are confusable.
  static func skeleton(_ name: String) -> String {
    func lookalikes(_ text: String) -> String { text.unicodeScalars.map(Confusables.prototype).joined() }
    // Case does not matter in names, and a capital letter is drawn like another one than its small letter.
    let capitals = lookalikes(name.decomposedStringWithCompatibilityMapping)
    return lookalikes(capitals.lowercased().decomposedStringWithCanonicalMapping)
  }

  /// Whether no person gets the name, because it reads as a part of the server, or has no letter and no digit.
  static func isReserved(_ name: String) -> Bool {
    guard name.contains(where: { $0.isLetter || $0.isNumber }) else { return true }
    return reserved.contains(skeleton(name))
  }

  private static let reserved = Set(
    [
      "admin", "administrator", "all", "anonymous", "everybody", "everyone", "here", "moderator", "owner", "root",
      "server", "sorted", "support", "system", "you",
    ].map(skeleton))

  /// The alphabets of a name, of those that are drawn alike.
  private static func scripts(_ name: String) -> Set<String> {
    Set(
      name.unicodeScalars.compactMap { scalar in
        switch scalar.value {
        case 0x41...0x5A, 0x61...0x7A, 0xC0...0x24F, 0x1E00...0x1EFF: "Latin"
        case 0x370...0x3FF, 0x1F00...0x1FFF: "Greek"
        case 0x400...0x52F: "Cyrillic"
        case 0x531...0x587: "Armenian"
        case 0x13A0...0x13FF: "Cherokee"
        default: nil
        }
      })
  }
}
