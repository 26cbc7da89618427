#if os(Linux)
  import Dispatch
  import Foundation
  import Glibc

  /// The links and routes of this machine, from the kernel.
  public struct KernelLinks: LinkSource {
    /// Makes a source. It opens its sockets on first use.
    public init() {}

    /// The links that are up, and whether one of them has a default route.
    /// - Throws: an error if the kernel does not answer.
    public func current() throws -> (interfaces: [NetworkPath.Interface], hasDefaultRoute: Bool) {
      let socket = try NetlinkSocket(groups: 0, blocking: true)
      let links = try socket.dump(Netlink.getLink).compactMap { LinkMessage($0) }.filter(\.isUp)
      let routes = try socket.dump(Netlink.getRoute).compactMap { RouteMessage($0) }.filter(\.isDefault)
      let indices = Set(links.map(\.index))
      let interfaces = links.sorted { $0.index < $1.index }.map {
        NetworkPath.Interface(name: $0.name, index: $0.index, type: Self.type(of: $0))
      }
      // A route over several links names none.
      return (interfaces, routes.contains { $0.link.map(indices.contains) ?? true })
    }

    /// An element for each batch of kernel messages, and after an overflow of the kernel's queue.
    /// - Throws: an error if the socket cannot be opened.
    public func changes() throws -> AsyncStream<Void> {
      let socket = try NetlinkSocket(groups: Netlink.groups, blocking: false)
      return AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
        let queue = DispatchQueue(label: "sorted.netlink")
        // Dispatch objects are thread-safe, but not marked as Sendable.
        nonisolated(unsafe) let source = DispatchSource.makeReadSource(fileDescriptor: socket.descriptor, queue: queue)
        source.setEventHandler {
          // `current` rereads everything, so the contents do not matter. A failure also means that something changed.
          while let messages = try? socket.receive(), !messages.isEmpty {}
          continuation.yield()
        }
        // Keeps the socket open until reading ends.
        source.setCancelHandler { _ = socket }
        continuation.onTermination = { _ in source.cancel() }
        source.activate()
      }
    }

    private static func type(of link: LinkMessage) -> NetworkPath.InterfaceType {
      if link.isLoopback { return .loopback }
      if FileManager.default.fileExists(atPath: "/sys/class/net/\(link.name)/wireless") { return .wifi }
      if link.name.hasPrefix("ww") { return .cellular }
      // ARPHRD_ETHER
      return link.hardware == 1 ? .wiredEthernet : .other
    }
  }
#endif
