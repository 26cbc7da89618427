import Foundation
import Sorted

/// What people may be called: what stands in lists of participants, in addresses and beside messages.
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
    let name = text.precomposedStringWithCanonicalMapping
    guard isAllowed(name) else {
      throw PageError.invalid("A name has 1 to 64 letters, digits and . - _ @ +.")
    }
    return name
  }
}
