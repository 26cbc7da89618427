/// The state of the network. (It has the API of `NWPath` in Apple's Network framework.)
public struct NetworkPath: Hashable, Sendable {
  /// Whether data can be sent.
  public enum Status: Hashable, Sendable {
    /// There is a route. With a probe, the remote has answered.
    case satisfied
    /// There is no route.
    case unsatisfied
    /// There is a route, but the remote does not answer.
    case requiresConnection
  }

  /// The type of a link.
  public enum InterfaceType: Hashable, Sendable {
    case wifi, cellular, wiredEthernet, loopback, other
  }

  /// A link.
  public struct Interface: Hashable, Sendable {
    /// The name, such as `eth0`.
    public let name: String
    /// The kernel's index.
    public let index: Int
    /// The type.
    public let type: InterfaceType

    /// Makes a description.
    public init(name: String, index: Int, type: InterfaceType) {
      self.name = name
      self.index = index
      self.type = type
    }
  }

  /// Whether data can be sent.
  public let status: Status
  /// The links that are up, by index.
  public let availableInterfaces: [Interface]

  /// Makes a path.
  public init(status: Status, availableInterfaces: [Interface]) {
    self.status = status
    self.availableInterfaces = availableInterfaces
  }

  /// Whether one of the links has a type.
  public func usesInterfaceType(_ type: InterfaceType) -> Bool { availableInterfaces.contains { $0.type == type } }
}

/// The source of a monitor: the kernel, or a test.
public protocol LinkSource: Sendable {
  /// The links that are up, and whether one of them has a default route.
  /// - Throws: an error if the kernel does not answer.
  func current() throws -> (interfaces: [NetworkPath.Interface], hasDefaultRoute: Bool)

  /// An element whenever something may have changed, until the reading task is cancelled.
  /// - Throws: an error if the source is unavailable.
  func changes() throws -> AsyncStream<Void>
}
