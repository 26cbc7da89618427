import Foundation

/// A request as an input of a server's target has it: a line with method and target, lines with headers up to an empty one, and the
/// body. The header `As` names the account; the server does not get it.
struct RequestInput {
  let method: String
  let target: String
  let account: String?
  private(set) var headers: [(name: String, value: String)] = []
  let body: Data

  init(_ bytes: Data) {
    let (head, rest) = bytes.headAndBody
    let words = head.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    (method, target) = (words[0], words.count > 1 ? words[1] : "")
    var (account, body) = (String?.none, rest)
    while true {
      let (line, next) = body.headAndBody
      guard let colon = line.firstIndex(of: ":") else {
        if line.isEmpty { body = next }
        break
      }
      let name = String(line[..<colon])
      let value = line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
      if name == "As" { account = value } else { headers.append((name, value)) }
      body = next
    }
    (self.account, self.body) = (account, body)
  }

  func header(_ name: String) -> String? { headers.first { $0.name.lowercased() == name.lowercased() }?.value }
}

/// A server refused an input, as it should refuse most.
struct Refused: Error {}
