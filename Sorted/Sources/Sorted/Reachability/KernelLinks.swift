#if os(Linux)
  import Dispatch
  import Foundation
  import Glibc

  /// The links and routes of this machine, from the kernel.
  public struct KernelLinks: LinkSource {
    /// Makes a source; it opens its sockets when it is asked.
    public init() {}

    /// The links that are up, and whether a default route leaves by one of them.
    /// - Throws: where the kernel does not say.
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

    /// An element for each batch of the kernel's messages, and where it has thrown some away.
    /// - Throws: where the kernel cannot be listened to.
    public func changes() throws -> AsyncStream<Void> {
      let socket = try NetlinkSocket(groups: Netlink.groups, blocking: false)
      return AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
        let queue = DispatchQueue(label: "sorted.netlink")
        // Dispatch's objects may be used from any thread; its Swift interface does not say so.
        nonisolated(unsafe) let source = DispatchSource.makeReadSource(fileDescriptor: socket.descriptor, queue: queue)
        source.setEventHandler {
          // What they say is read anew by `current`; also a failure means that something has changed.
          while let messages = try? socket.receive(), !messages.isEmpty {}
          continuation.yield()
        }
        // It holds the socket until nothing is read any more.
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
