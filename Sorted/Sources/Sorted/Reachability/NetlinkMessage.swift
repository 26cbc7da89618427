#if os(Linux)
  import Glibc

  /// Messages of the kernel's routing socket. (See rtnetlink(7) and netlink(7). Swift's Glibc module lacks their
  /// structures and names.)
  enum Netlink {
    static let done: UInt16 = 3
    static let error: UInt16 = 2
    static let newLink: UInt16 = 16
    static let getLink: UInt16 = 18
    static let newRoute: UInt16 = 24
    static let getRoute: UInt16 = 26
    /// `NETLINK_ROUTE`
    static let routing: Int32 = 0
    /// `RTMGRP_LINK`, and the groups of addresses and routes of both families.
    static let groups: UInt32 = 0x1 | 0x10 | 0x40 | 0x100 | 0x400

    /// A request for all objects of a type, of any family.
    static func dump(_ type: UInt16) -> [UInt8] {
      var bytes = [UInt8]()
      append(UInt32(20), to: &bytes)
      append(type, to: &bytes)
      // NLM_F_REQUEST, NLM_F_DUMP
      append(UInt16(0x1 | 0x300), to: &bytes)
      append(UInt32(1), to: &bytes)
      append(UInt32(0), to: &bytes)
      // The family, and padding.
      append(UInt32(0), to: &bytes)
      return bytes
    }

    private static func append<T: FixedWidthInteger>(_ value: T, to bytes: inout [UInt8]) {
      withUnsafeBytes(of: value) { bytes.append(contentsOf: $0) }
    }
  }

  /// One message: a header of 16 bytes, a structure that depends on the type, attributes.
  struct NetlinkMessage {
    let type: UInt16
    /// The bytes after the header.
    let body: ArraySlice<UInt8>

    /// The messages of one `recv`. A message that claims to be longer than the rest ends the list.
    static func all(in bytes: [UInt8]) -> [NetlinkMessage] {
      var messages = [NetlinkMessage]()
      var rest = bytes[...]
      while let length = rest.integer(at: 0, as: UInt32.self).map({ Int($0) }), length >= 16, length <= rest.count,
        let type = rest.integer(at: 4, as: UInt16.self)
      {
        messages.append(NetlinkMessage(type: type, body: rest.dropFirst(16).prefix(length - 16)))
        rest = rest.dropFirst((length + 3) & ~3)
      }
      return messages
    }

    /// - Parameter size: the size of the structure before the attributes.
    func attribute(_ type: UInt16, after size: Int) -> ArraySlice<UInt8>? {
      var rest = body.dropFirst(size)
      while let length = rest.integer(at: 0, as: UInt16.self).map({ Int($0) }), length >= 4, length <= rest.count,
        let found = rest.integer(at: 2, as: UInt16.self)
      {
        if found == type { return rest.dropFirst(4).prefix(length - 4) }
        rest = rest.dropFirst((length + 3) & ~3)
      }
      return nil
    }
  }

  /// A link. (`ifinfomsg`)
  struct LinkMessage {
    let index: Int
    let name: String
    /// `ARPHRD_…`
    let hardware: UInt16
    let flags: UInt32

    /// Returns nil for any other message.
    init?(_ message: NetlinkMessage) {
      guard message.type == Netlink.newLink, let hardware = message.body.integer(at: 2, as: UInt16.self),
        let index = message.body.integer(at: 4, as: Int32.self),
        let flags = message.body.integer(at: 8, as: UInt32.self),
        // IFLA_IFNAME
        let name = message.attribute(3, after: 16)
      else { return nil }
      self.index = Int(index)
      self.name = String(decoding: name.prefix { $0 != 0 }, as: UTF8.self)
      self.hardware = hardware
      self.flags = flags
    }

    /// IFF_UP and IFF_RUNNING: enabled, and with a carrier.
    var isUp: Bool { flags & 0x1 != 0 && flags & 0x40 != 0 }
    /// IFF_LOOPBACK
    var isLoopback: Bool { flags & 0x8 != 0 }
  }

  /// A route. (`rtmsg`)
  struct RouteMessage {
    let isDefault: Bool
    /// The index of the outgoing link, or nil for several.
    let link: Int?

    /// Returns nil for any other message.
    init?(_ message: NetlinkMessage) {
      guard message.type == Netlink.newRoute, let prefix = message.body.integer(at: 1, as: UInt8.self),
        let table = message.body.integer(at: 4, as: UInt8.self), let type = message.body.integer(at: 7, as: UInt8.self)
      else { return nil }
      // RT_TABLE_MAIN and RTN_UNICAST, because IPv6 has a default route that rejects everything.
      isDefault = prefix == 0 && table == 254 && type == 1
      // RTA_OIF
      link = message.attribute(4, after: 12)?.integer(at: 0, as: Int32.self).map { Int($0) }
    }
  }

  extension ArraySlice<UInt8> {
    /// An integer in host byte order, as the kernel writes it, or nil past the end.
    fileprivate func integer<T: FixedWidthInteger>(at offset: Int, as type: T.Type) -> T? {
      let size = MemoryLayout<T>.size
      guard count >= offset + size else { return nil }
      return withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: type) }
    }
  }
#endif
