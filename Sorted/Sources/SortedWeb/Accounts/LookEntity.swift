import Foundation
import SwiftData

/// The look and the language that a person chose for the pages.
@Model
public final class LookEntity {
  /// Whose wish it is
  @Attribute(.unique) public var userID: String

  /// `auto`, `light`, `dark` or `contrast`
  public var theme: String = "auto"

  /// The language of the pages, as `en`; empty for the browser's
  public var language: String = ""

  /// Whether the server may fetch the pages that messages link to, for previews
  public var showsLinkPreviews: Bool = false

  /// Makes a wish for what the browser wants.
  public init(userID: String) { self.userID = userID }
}
