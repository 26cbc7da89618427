#if os(Linux)
  import Glibc

  /// A routing socket of the kernel.
  final class NetlinkSocket: Sendable {
    /// A failed system call.
    struct Failure: Error, CustomStringConvertible {
      let call: String
      let code: Int32
      var description: String { "\(call) of the kernel's routing socket failed: \(String(cString: strerror(code)))" }
    }

    let descriptor: Int32

    /// - Parameter groups: the multicast groups to join.
    /// - Throws: ``Failure``.
    init(groups: UInt32, blocking: Bool) throws {
      let type = Int32(SOCK_RAW.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
      descriptor = socket(AF_NETLINK, blocking ? type : type | Int32(SOCK_NONBLOCK.rawValue), Netlink.routing)
      guard descriptor >= 0 else { throw Failure(call: "socket", code: errno) }
      // sockaddr_nl: family, padding, a port that the kernel chooses, groups.
      var address: (UInt16, UInt16, UInt32, UInt32) = (UInt16(AF_NETLINK), 0, 0, groups)
      let result = withUnsafeBytes(of: &address) {
        bind(descriptor, $0.assumingMemoryBound(to: sockaddr.self).baseAddress, socklen_t($0.count))
      }
      guard result == 0 else { throw Failure(call: "bind", code: errno) }
    }

    deinit { close(descriptor) }

    /// Requests all objects of a type.
    /// - Throws: ``Failure``.
    func dump(_ type: UInt16) throws -> [NetlinkMessage] {
      let request = Netlink.dump(type)
      guard send(descriptor, request, request.count, 0) == request.count else {
        throw Failure(call: "send", code: errno)
      }
      var messages = [NetlinkMessage]()
      while true {
        guard let received = try receive() else { throw Failure(call: "recv", code: EAGAIN) }
        for message in received {
          if message.type == Netlink.done { return messages }
          if message.type == Netlink.error { throw Failure(call: "dump", code: EPROTO) }
          messages.append(message)
        }
      }
    }

    /// Receives messages. Returns nil if there are none and the socket does not block.
    /// - Throws: ``Failure``, with `ENOBUFS` if the kernel dropped messages.
    func receive() throws -> [NetlinkMessage]? {
      // The kernel sends at most 32 KiB.
      var buffer = [UInt8](repeating: 0, count: 64 * 1_024)
      while true {
        let count = recv(descriptor, &buffer, buffer.count, 0)
        if count >= 0 { return NetlinkMessage.all(in: Array(buffer.prefix(count))) }
        if errno == EAGAIN { return nil }
        if errno != EINTR { throw Failure(call: "recv", code: errno) }
      }
    }
  }
#endif
