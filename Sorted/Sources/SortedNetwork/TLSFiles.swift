public import Foundation
import HTTPServing
public import HummingbirdCore
import HummingbirdHTTP2
import NIOCore
import NIOSSL
public import SortedWeb

/// The certificate with which a `SortedWebServer` encrypts its connections, and its private key, as files in PEM.
///
/// Browsers then speak HTTP/2, and older clients HTTP/1.1. The server reads the files when it starts; start it again after
/// the certificate was renewed. (Our own design.)
public struct TLSFiles: ConnectionEncryption {
  /// The certificate of the server, followed by the intermediate certificates of its authority.
  public var certificates: URL
  /// The private key of the first certificate, without a passphrase.
  public var privateKey: URL

  /// Names the files. Nothing is read yet.
  public init(certificates: URL, privateKey: URL) {
    self.certificates = certificates
    self.privateKey = privateKey
  }

  /// Reads the files, and makes a server of HTTP/2 and HTTP/1.1 over TLS.
  /// - Throws: ``TLSFilesError`` if a file cannot be read, or if the key is not the certificate's.
  public func server(_ connection: HTTP1Channel.Configuration) throws -> HTTPServerBuilder {
    let tls = try configuration()
    return .endingAccepted { responder in
      try HTTP2UpgradeChannel(
        tlsConfiguration: tls,
        configuration: .init(idleTimeout: connection.idleTimeout.map { Duration($0) }, streamConfiguration: connection),
        responder: responder)
    }
  }

  /// - Throws: ``TLSFilesError`` if a file cannot be read, or if the key is not the certificate's.
  func configuration() throws -> TLSConfiguration {
    let chain: [NIOSSLCertificate]
    let key: NIOSSLPrivateKey
    do {
      chain = try NIOSSLCertificate.fromPEMFile(certificates.path)
    } catch {
      throw TLSFilesError("The certificate \(certificates.path) cannot be read (\(error)). It must be a file in PEM.")
    }
    guard !chain.isEmpty else {
      throw TLSFilesError("The file \(certificates.path) has no certificate. Name one in PEM (BEGIN CERTIFICATE).")
    }
    do {
      key = try NIOSSLPrivateKey(file: privateKey.path, format: .pem)
    } catch {
      throw TLSFilesError(
        "The private key \(privateKey.path) cannot be read (\(error)). It must be a file in PEM without a passphrase.")
    }
    var configuration = TLSConfiguration.makeServerConfiguration(
      certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(key))
    // All browsers have it, and HTTP/2 needs it.
    configuration.minimumTLSVersion = .tlsv12
    do {
      _ = try NIOSSLContext(configuration: configuration)
    } catch {
      throw TLSFilesError(
        "The private key \(privateKey.path) does not fit the first certificate in \(certificates.path) (\(error))."
          + " Name the key that the certificate was requested with.")
    }
    return configuration
  }
}

/// A certificate or a key that cannot be used.
public struct TLSFilesError: LocalizedError {
  /// The file, the reason and the remedy.
  public let errorDescription: String?

  init(_ description: String) { errorDescription = description }
}
