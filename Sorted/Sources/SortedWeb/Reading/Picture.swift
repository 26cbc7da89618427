import Foundation

/// The addresses of people's pictures. Pictures of other servers are not shown: a browser that loaded one would tell that
/// server who reads what.
enum Picture {
  static let path = "/pictures/"

  /// The name of the file of a picture of this server; nil for any other address.
  static func id(_ address: String) -> String? {
    guard address.hasPrefix(path) else { return nil }
    let id = String(address.dropFirst(path.count))
    return UUID(uuidString: id) == nil ? nil : id
  }
}
