import Foundation

/// An identifier in an address and in HTML: whatever people call their conversations, nothing in it has a meaning there.
enum Slug {
  /// Base64 with the alphabet for addresses, without padding.
  static func encode(_ data: Data) -> String {
    data.base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
  }

  static func encode(_ id: String) -> String { encode(Data(id.utf8)) }

  /// - Throws: ``PageError`` where it is no identifier.
  static func decode(_ slug: String) throws -> String {
    let text = slug.replacing("-", with: "+").replacing("_", with: "/")
    let padded = text + String(repeating: "=", count: (4 - text.count % 4) % 4)
    guard let data = Data(base64Encoded: padded), let id = String(data: data, encoding: .utf8), encode(id) == slug
    else {
      throw PageError.notFound
    }
    return id
  }
}
