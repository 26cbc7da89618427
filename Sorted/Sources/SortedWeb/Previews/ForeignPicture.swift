import Foundation

/// A picture of another server that a profile or a conversation names. The server fetches it for readers who allow it to fetch
/// links, and keeps it for all readers: a browser that loaded it would tell the other server who reads what.
struct ForeignPicture: Sendable {
  /// How long the result of a fetch is kept, in seconds, also if there is no picture.
  private static let lifetime: TimeInterval = 7 * 86_400
  private static let prefix = "foreign-"

  private let folder: URL
  private let file: URL

  /// - Parameter folder: the folder of kept pictures.
  init(link: String, folder: URL) {
    self.folder = folder
    file = folder.appendingPathComponent(Self.prefix + Secret.digest(link))
  }

  static func isForeign(_ link: String) -> Bool {
    ["http", "https"].contains(URL(string: link)?.scheme?.lowercased())
  }

  /// Where this server serves the picture of a link below a page; nil without a link of the web. Another link has another
  /// address, because browsers keep pictures.
  static func address(_ link: String?, _ page: String) -> String? {
    guard let link, isForeign(link) else { return nil }
    return "\(page)/picture?of=\(Secret.digest(link).prefix(8))"
  }

  /// The bytes of the picture, fetched if they are not kept.
  /// - Returns: nil if there is no picture.
  func bytes(_ fetch: () async throws -> Data?) async throws -> Data? {
    if Self.age(file).map({ $0 < Self.lifetime }) == true, let kept = try? Data(contentsOf: file) {
      return kept.isEmpty ? nil : kept
    }
    let fetched = try await fetch()
    // An empty file says that there is none, so that the server does not ask again soon.
    try (fetched ?? Data()).write(to: file, options: .atomic)
    removeOld()
    return fetched
  }

  private func removeOld() {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    for kept in names.filter({ $0.hasPrefix(Self.prefix) }).map(folder.appendingPathComponent)
    where Self.age(kept).map({ $0 > Self.lifetime }) == true { try? FileManager.default.removeItem(at: kept) }
  }

  private static func age(_ file: URL) -> TimeInterval? {
    let attributes = try? FileManager.default.attributesOfItem(atPath: file.path)
    return (attributes?[.modificationDate] as? Date).map { Date().timeIntervalSince($0) }
  }
}
