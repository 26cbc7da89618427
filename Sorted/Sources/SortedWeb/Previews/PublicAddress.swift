import NIOCore

/// Tells addresses of the public internet from all others.
enum PublicAddress {
  /// Whether an address is a public one: not of this machine, not of a private or a local network, and of no other block
  /// that IANA reserves for a special purpose (RFC 6890).
  static func isPublic(_ address: SocketAddress) -> Bool {
    switch address {
    case .v4(let address):
      return withUnsafeBytes(of: address.address.sin_addr) { isPublic(v4: Array($0)) }
    case .v6(let address):
      return withUnsafeBytes(of: address.address.sin6_addr) { isPublic(v6: Array($0)) }
    case .unixDomainSocket: return false
    }
  }

  /// Blocks of IPv4: the first bytes and how many bits of them count.
  private static let reserved: [(UInt32, Int)] = [
    (0x0000_0000, 8), (0x0A00_0000, 8), (0x6440_0000, 10), (0x7F00_0000, 8), (0xA9FE_0000, 16), (0xAC10_0000, 12),
    (0xC000_0000, 24), (0xC000_0200, 24), (0xC058_6300, 24), (0xC0A8_0000, 16), (0xC612_0000, 15), (0xC633_6400, 24),
    (0xCB00_7100, 24), (0xE000_0000, 3),
  ]

  private static func isPublic(v4 bytes: [UInt8]) -> Bool {
    let number = bytes.reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    return !reserved.contains { block, bits in number >> (32 - bits) == block >> (32 - bits) }
  }

  private static func isPublic(v6 bytes: [UInt8]) -> Bool {
    let isMapped = bytes.prefix(10).allSatisfy { $0 == 0 } && bytes[10...11].allSatisfy { $0 == 0xFF }
    if isMapped { return isPublic(v4: Array(bytes[12...])) }
    // Only 2000::/3 is given out. Of it, these blocks are not public: 2001::/23, 2001:db8::/32, 2002::/16 (6to4, which
    // contains an address of IPv4), 3fff::/20.
    guard bytes[0] & 0xE0 == 0x20 else { return false }
    let isSpecial = bytes[0] == 0x20 && bytes[1] == 0x01 && bytes[2] & 0xFE == 0
    let isDocumentation =
      bytes[0...3] == [0x20, 0x01, 0x0D, 0xB8] || bytes[0...1] == [0x3F, 0xFF] && bytes[2] & 0xF0 == 0
    return !isSpecial && !isDocumentation && bytes[0...1] != [0x20, 0x02]
  }
}
