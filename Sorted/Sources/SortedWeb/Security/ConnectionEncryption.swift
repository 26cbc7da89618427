public import HummingbirdCore

/// Encrypts the connections of a ``SortedWebServer``. `TLSFiles` of SortedNetwork does.
public protocol ConnectionEncryption: Sendable {
  /// Makes a server whose connections are encrypted.
  /// - Parameter connection: the configuration of a connection of HTTP/1.1.
  /// - Throws: an error if the certificate or its key cannot be used.
  func server(_ connection: HTTP1Channel.Configuration) throws -> HTTPServerBuilder
}
