import Foundation
import Synchronization

#if canImport(Glibc)
  import Glibc
#endif

/// A server that forwards to another one, and at some time stops answering, as one whose network is gone.
final class SilentProxy: Sendable {
  struct Failure: Error {}

  let url: String
  /// Signalled when something arrives that is not answered.
  let isAsked = DispatchSemaphore(value: 0)
  /// The number of its connections, and how many of the first ones are silent.
  private let connections = Mutex((count: 0, silent: 0))
  private let folder: String
  private let listener: Int32

  /// - Parameter target: the URL of a server behind a socket in a folder, as `scripts/postgres` starts it.
  init(to target: String) throws {
    guard let query = target.range(of: "host=/") else { throw Failure() }
    let host = String(target[query.upperBound...].prefix { $0 != "&" })
    folder = FileManager.default.temporaryDirectory.path + "/proxy-\(UUID().uuidString.prefix(8))"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    url = target.replacing("host=/" + host, with: "host=" + folder)
    guard let listener = Self.socket(folder + "/.s.PGSQL.5432", bind), listen(listener, 16) == 0 else {
      throw Failure()
    }
    self.listener = listener
    Thread.detachNewThread { [self] in
      while case let client = accept(listener, nil, nil), client >= 0 {
        guard let server = Self.socket("/" + host + "/.s.PGSQL.5432", connect) else { return }
        let number = connections.withLock { connections in
          defer { connections.count += 1 }
          return connections.count
        }
        for (from, to) in [(client, server), (server, client)] {
          Thread.detachNewThread { [self] in forward(from, to, number) }
        }
      }
    }
  }

  /// Answers nothing from now on.
  func silence() { connections.withLock { $0.silent = .max } }

  /// Passes nothing on over the present connections from now on, not even their end, as a router that forgot them.
  func forgetConnections() { connections.withLock { $0.silent = $0.count } }

  /// The number of connections since the beginning.
  var count: Int { connections.withLock { $0.count } }

  /// Ends the forwarding of new connections.
  func stop() {
    shutdown(listener, Int32(SHUT_RDWR))
    close(listener)
    try? FileManager.default.removeItem(atPath: folder)
  }

  private func forward(_ from: Int32, _ to: Int32, _ number: Int) {
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while case let count = read(from, &buffer, buffer.count), count > 0 {
      if isSilent(number) {
        isAsked.signal()
        continue
      }
      var sent = 0
      while sent < count {
        let part = buffer[sent..<count].withUnsafeBytes { send(to, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
        if part <= 0 { break }
        sent += part
      }
    }
    if !isSilent(number) { shutdown(to, Int32(SHUT_RDWR)) }
  }

  private func isSilent(_ number: Int) -> Bool { connections.withLock { number < $0.silent } }

  private static func socket(
    _ path: String, _ use: (Int32, UnsafePointer<sockaddr>, socklen_t) -> Int32
  ) -> Int32? {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let isShort = withUnsafeMutableBytes(of: &address.sun_path) { place in
      guard path.utf8.count < place.count else { return false }
      place.copyBytes(from: path.utf8)
      return true
    }
    let descriptor = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    let isUsed = withUnsafePointer(to: &address) { address in
      address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        use(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
      }
    }
    return isShort && isUsed ? descriptor : nil
  }
}
