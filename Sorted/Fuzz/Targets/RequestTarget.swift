@_spi(Wire) import FirestoreServer
import Foundation

enum RequestTarget {
  private static let server: FirestoreServer? = try? FirestoreServer(store: nil, port: 0)

  static func run(_ bytes: Data) async throws {
    guard let server else { broken("no server") }
    let (head, body) = bytes.headAndBody
    let words = head.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    let (code, answer) = await server.answer(words[0], words.count > 1 ? words[1] : "", body)
    // 500 means an unhandled case.
    if code == 500 { broken("\(String(decoding: answer, as: UTF8.self))") }
  }
}
