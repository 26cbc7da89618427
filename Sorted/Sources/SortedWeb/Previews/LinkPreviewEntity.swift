import Foundation
import SwiftData

/// What is known of the page of a link, so that it is fetched once for all readers.
@Model
public final class LinkPreviewEntity {
  /// The link as the message has it
  @Attribute(.unique) public var link: String

  /// The title of the page; empty where the link has no preview
  public var title: String

  /// The description of the page; may be empty
  public var summary: String

  /// The name of the site, or its host
  public var site: String

  /// When the page was fetched
  public var fetchedAt: Date

  /// Makes a preview. An empty title records that the page has none.
  public init(link: String, title: String, summary: String, site: String, fetchedAt: Date) {
    self.link = link
    self.title = title
    self.summary = summary
    self.site = site
    self.fetchedAt = fetchedAt
  }
}
