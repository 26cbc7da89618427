import Foundation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A port of this machine that no other program gets while this object is there.
///
/// Its socket is bound and does not listen. A server that reuses addresses, as all servers of the tests do, may listen at the port, be killed,
/// and listen again. Without a server, connections to the port are refused. The system gives the port to no other server and to no
/// connection, which a number that a test invents may belong to. Only Linux lets a server have such a port; elsewhere the port is free when
/// this object is made, and not kept.
public final class ReservedPort: Sendable {
  /// The number of the port.
  public let number: Int
  private let descriptor: Int32

  /// Reserves a port.
  /// - Throws: `POSIXError` if the system has none.
  public init() throws {
    #if os(Linux)
      descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    #else
      descriptor = socket(AF_INET, SOCK_STREAM, 0)
      _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    #endif
    var (isReused, address, length) = (Int32(1), sockaddr_in(), socklen_t(MemoryLayout<sockaddr_in>.size))
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    let (descriptor, size) = (descriptor, length)
    let isBound = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &isReused, socklen_t(MemoryLayout<Int32>.size)) == 0
          && bind(descriptor, address, size) == 0 && getsockname(descriptor, address, &length) == 0
      }
    }
    number = Int(UInt16(bigEndian: address.sin_port))
    guard isBound else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EADDRNOTAVAIL) }
    #if !os(Linux)
      close(descriptor)
    #endif
  }

  #if os(Linux)
    deinit { close(descriptor) }
  #endif
}
