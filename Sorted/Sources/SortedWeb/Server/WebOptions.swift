public import Foundation
import Sorted

/// How a ``SortedWebServer`` is set up.
public struct WebOptions: Sendable {
  /// The address to listen at; loopback unless told.
  public var host: String
  /// 0 takes a free one.
  public var port: Int
  /// Whether people sign up and sign in, each with the conversations that they take part in. Otherwise there is one
  /// person, the owner, who comes with the token.
  public var hasAccounts: Bool
  /// Where files that people attach are kept.
  public var files: URL
  /// As much as a form with files may have, in bytes.
  public var maximumUpload: Int
  /// Names that lead to this server, beside `localhost` and its addresses. Requests for other names are refused.
  public var names: [String]
  /// The encryption of connections, or nil for connections without encryption.
  public var tls: (any ConnectionEncryption)?
  /// The client that fetches the pages of links for previews, or nil for no previews.
  public var links: (any LinkClient)?
  /// Addresses of proxies that say truly who sends a request (`X-Forwarded-For`, `X-Forwarded-Proto`).
  public var trustedProxies: [String]
  /// How long what was deleted can be had back, in seconds.
  public var undoTime: TimeInterval
  /// How many changes a session may make at once. Afterwards it may make half as many a second. A person may ask for ten times as many
  /// pages at once, and then for this many a second.
  public var burst: Int
  /// The sentence model, or nil where messages are not searched by their meaning.
  package var meaning: MeaningModel?
  /// The cost of a new password's hash; less than the usual one for the fuzzer.
  package var passwordRounds = PasswordHash.rounds

  /// Makes options; what is not given is as described.
  public init(
    host: String = "127.0.0.1", port: Int = 8080, hasAccounts: Bool = false, files: URL,
    maximumUpload: Int = 25 << 20, names: [String] = [], tls: (any ConnectionEncryption)? = nil,
    links: (any LinkClient)? = nil,
    trustedProxies: [String] = [], undoTime: TimeInterval = 30 * 86_400, burst: Int = 60
  ) {
    self.host = host
    self.port = port
    self.hasAccounts = hasAccounts
    self.files = files
    self.maximumUpload = maximumUpload
    self.names = names
    self.tls = tls
    self.links = links
    self.trustedProxies = trustedProxies
    self.undoTime = undoTime
    self.burst = burst
  }
}
