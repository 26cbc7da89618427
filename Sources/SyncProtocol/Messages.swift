public import Foundation
public import UntrustedInput

/// The messages between client and server: JSON over HTTP.
public enum SyncWire {
  /// How far a client's clock may be ahead of the server's, in milliseconds.
  public static let clockTolerance: Int64 = 600_000
  /// The size of a chunk of an asset, in bytes.
  public static let chunkSize = 256 * 1024
  /// Values of more bytes than this travel as assets.
  public static let assetThreshold = 64 * 1024
  /// The header that carries ``SyncLog/version``.
  public static let versionHeader = "Sync-Version"
  /// The header with the account, percent-encoded, that the client has synced its store as. A server refuses the token of another
  /// account with ``SyncFailure/Code/unauthorized``.
  public static let accountHeader = "Sync-Account"

  /// Encodes a message. Keys are sorted, so that equal messages are equal bytes.
  /// - Throws: `EncodingError`.
  public static func encode(_ message: some Encodable) throws -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return try encoder.encode(message)
  }

  /// Decodes a message.
  /// - Throws: `DecodingError`.
  public static func decode<Message: Decodable>(_ type: Message.Type, from data: Data) throws -> Message {
    try JSONDecoder().decode(type, from: data)
  }

  /// Says for people why a message cannot be decoded. The reason begins with the path of the field.
  public static func reason(_ error: DecodingError) -> String {
    let (context, key): (DecodingError.Context, (any CodingKey)?) =
      switch error {
      case .dataCorrupted(let context), .typeMismatch(_, let context), .valueNotFound(_, let context): (context, nil)
      case .keyNotFound(let key, let context): (context, key)
      @unknown default: (.init(codingPath: [], debugDescription: "\(error)"), nil)
      }
    let path = (context.codingPath + [key].compactMap(\.self)).map { $0.intValue.map(String.init) ?? $0.stringValue }
    // The sender chooses the names of fields, too.
    let field = path.isEmpty ? "the message" : "`\(path.joined(separator: ".").prefix(200))`"
    return "\(field): \(key == nil ? context.debugDescription.prefix(200) : "it is missing")"
  }
}

/// Why a server refused a request.
public struct SyncFailure: Error, Codable, Hashable, Sendable, CustomStringConvertible {
  /// The kinds of failures, for a client that acts upon them.
  public enum Code: String, Codable, Sendable {
    /// The token is missing, forged, expired, or of a key that the server does not know.
    case unauthorized
    /// The account may not do this in this zone.
    case forbidden
    /// The zone, share or link does not exist, or the account may not use it.
    case notFound
    /// The request is not understood.
    case invalid
    /// The request, or a part of it, is too large.
    case tooLarge
    /// The zone has no room left.
    case quotaExceeded
    /// Too many requests; wait.
    case rateLimited
    /// A moment is too far ahead of the server's clock; ``SyncFailure/time`` is the one that counts.
    case clockAhead
    /// The client names a commit that the log does not have.
    case unknownSequence
    /// The client speaks another version of the protocol.
    case wrongVersion
    /// The transaction names an asset that the server does not have.
    case missingAsset
    /// The key is not the one that follows the newest one of the zone: another device was faster.
    case keyConflict
    /// The client has not seen what it has to see before a push. It pulls, lays its transactions over the new states and pushes again.
    case behind
    /// Another transaction moved a record that this one writes or leads to, or the other way round. It has the remedy of ``behind``.
    case moved
    /// The server cannot answer now; try again.
    case unavailable
  }

  /// The kind of the failure.
  public var code: Code
  /// The reason and the remedy, as text for people.
  public var message: String
  /// The time of the server in milliseconds since 1970.
  public var time: Untrusted<Int64>?
  /// The time to wait before the next request, in seconds.
  public var retryAfter: UntrustedDouble?

  /// The failure of a request with the token of another account than the one that a store has synced as (``SyncWire/accountHeader``).
  /// - Parameters:
  ///   - account: the account of the store.
  ///   - other: the account of the token.
  /// - Returns: a failure with the code ``Code/unauthorized``.
  public static func otherAccount(_ account: String, _ other: String) -> SyncFailure {
    SyncFailure(
      .unauthorized,
      "the store syncs with the account \(account), and the token names the account \(other). Nothing was sent or received. Use a token of"
        + " \(account), or open another store for \(other)")
  }

  /// Makes a failure.
  public init(_ code: Code, _ message: String, time: Int64? = nil, retryAfter: Double? = nil) {
    (self.code, self.message) = (code, message)
    (self.time, self.retryAfter) = (time.map(Untrusted.init(_:)), retryAfter.map(UntrustedDouble.init(_:)))
  }

  /// The message.
  public var description: String { message }
  /// Whether the same request may succeed later.
  public var isTransient: Bool { [.rateLimited, .unavailable].contains(code) }
  /// The status of the response in HTTP.
  public var status: Int {
    switch code {
    case .unauthorized: 401
    case .forbidden: 403
    case .notFound: 404
    case .keyConflict, .behind, .moved: 409
    case .invalid, .clockAhead, .unknownSequence, .missingAsset, .wrongVersion: 400
    case .tooLarge: 413
    case .quotaExceeded: 507
    case .rateLimited: 429
    case .unavailable: 503
    }
  }
}

/// How much of an asset a server has.
public struct AssetState: Codable, Sendable {
  /// How many bytes.
  public var size: Untrusted<Int64>
  /// Whether these are all, and have the right checksum.
  public var isComplete: Bool

  /// Makes a state.
  public init(size: Int64, isComplete: Bool) { (self.size, self.isComplete) = (Untrusted(size), isComplete) }
}
