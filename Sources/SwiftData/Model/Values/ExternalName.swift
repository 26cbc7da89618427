import Foundation

/// The name of a file with external data, as a cell has it.
///
/// Cells are not trusted. Only a UUID is a name, so that no cell leads to a file outside the folder of a store.
package struct ExternalName: Hashable, Sendable {
  package let text: String

  /// A new name.
  package init() { text = UUID().uuidString }

  /// Returns nil for a text that is not a name.
  package init?(_ text: String) {
    // A path ends at a zero byte, and so may the text of a UUID.
    guard text.utf8.count == 36, UUID(uuidString: text) != nil else { return nil }
    self.text = text
  }
}
