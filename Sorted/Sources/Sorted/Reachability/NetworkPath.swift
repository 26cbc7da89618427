/// What the network looks like. (The shape is that of `NWPath` in Apple's Network framework.)
public struct NetworkPath: Hashable, Sendable {
  /// Whether something can be sent.
  public enum Status: Hashable, Sendable {
    /// There is a way to the remote; where a probe is asked, the remote has answered.
    case satisfied
    /// There is no way.
    case unsatisfied
    /// There is a way, and the remote does not answer on it.
    case requiresConnection
  }

  /// How a link goes on.
  public enum InterfaceType: Hashable, Sendable {
    case wifi, cellular, wiredEthernet, loopback, other
  }

  /// A link.
  public struct Interface: Hashable, Sendable {
    /// Such as `eth0`.
    public let name: String
    /// The kernel's number of it.
    public let index: Int
    /// How it goes on.
    public let type: InterfaceType

    /// Makes a description.
    public init(name: String, index: Int, type: InterfaceType) {
      self.name = name
      self.index = index
      self.type = type
    }
  }

  /// Whether something can be sent.
  public let status: Status
  /// The links that are up, by their number.
  public let availableInterfaces: [Interface]

  /// Makes a path.
  public init(status: Status, availableInterfaces: [Interface]) {
    self.status = status
    self.availableInterfaces = availableInterfaces
  }

  /// Whether one of the links is of a type.
  public func usesInterfaceType(_ type: InterfaceType) -> Bool { availableInterfaces.contains { $0.type == type } }
}

/// Where a monitor looks: the kernel, or a test.
public protocol LinkSource: Sendable {
  /// The links that are up, and whether a default route leaves by one of them.
  /// - Throws: where the kernel does not say.
  func current() throws -> (interfaces: [NetworkPath.Interface], hasDefaultRoute: Bool)

  /// An element whenever something may have changed, until the task that reads it is cancelled.
  /// - Throws: where the kernel cannot be listened to.
  func changes() throws -> AsyncStream<Void>
}
