import Foundation
import Synchronization

/// The names of properties that only a key path tells of, for error messages.
///
/// A key path knows where its getter is, not what it is called. The program's own file does, unless it was stripped: the
/// getter's symbol names the property.
enum SymbolNames {
  /// The name of the last property of a key path, where the program's file tells it.
  static func computed(_ keyPath: AnyKeyPath) -> String? {
    let text = "\(keyPath)"
    // `\Trip.<computed 0x0000561ab2 (String)>`
    guard let start = text.range(of: "<computed 0x", options: .backwards)?.upperBound,
      let address = UInt64(text[start...].prefix(while: \.isHexDigit), radix: 16),
      let symbol = symbol(at: address), let name = Demangling.demangled(symbol)
    else { return nil }
    // `key path getter for App.Trip.upperName : Swift.String`
    guard let path = name.components(separatedBy: " : ").first?.components(separatedBy: " for ").last else {
      return nil
    }
    return path.components(separatedBy: ".").last
  }

  #if os(Linux)
    /// The symbol of a function, from the table of the file that it was loaded from. Only looked up for a message.
    private static func symbol(at address: UInt64) -> String? {
      guard let maps = try? String(contentsOfFile: "/proc/self/maps", encoding: .utf8) else { return nil }
      // `start-end permissions offset device inode path`
      var starts: [Substring: UInt64] = [:]
      for line in maps.split(separator: "\n") {
        let fields = line.split(separator: " ", maxSplits: 5, omittingEmptySubsequences: true)
        guard fields.count == 6 else { continue }
        let bounds = fields[0].split(separator: "-").compactMap { UInt64($0, radix: 16) }
        guard bounds.count == 2 else { continue }
        if starts[fields[5]] == nil { starts[fields[5]] = bounds[0] }
        guard bounds[0] <= address, address < bounds[1], let base = starts[fields[5]],
          let file = try? Data(contentsOf: URL(fileURLWithPath: String(fields[5])), options: .alwaysMapped)
        else { continue }
        // A file that is loaded wherever there is room counts from its beginning.
        return symbol([address - base, address], in: file)
      }
      return nil
    }

    private static func symbol(_ values: [UInt64], in file: Data) -> String? {
      file.withUnsafeBytes { bytes -> String? in
        func read<I: FixedWidthInteger>(_ type: I.Type, _ offset: UInt64) -> I? {
          guard offset <= UInt64(bytes.count), bytes.count - Int(offset) >= MemoryLayout<I>.size else { return nil }
          return bytes.loadUnaligned(fromByteOffset: Int(offset), as: I.self)
        }
        // ELF of 64 bits, as its specification lays it out.
        guard read(UInt32.self, 0)?.bigEndian == 0x7F45_4C46, read(UInt8.self, 4) == 2,
          let table = read(UInt64.self, 0x28), let size = read(UInt16.self, 0x3A), let count = read(UInt16.self, 0x3C)
        else { return nil }
        func section(_ index: UInt64) -> (type: UInt32, offset: UInt64, size: UInt64, link: UInt32)? {
          let (entry, overflow) = index.multipliedReportingOverflow(by: UInt64(size))
          guard !overflow, entry < UInt64(bytes.count), table < UInt64(bytes.count),
            let type = read(UInt32.self, table + entry + 4), let offset = read(UInt64.self, table + entry + 0x18),
            let length = read(UInt64.self, table + entry + 0x20), let link = read(UInt32.self, table + entry + 0x28),
            offset <= UInt64(bytes.count), length <= UInt64(bytes.count) - offset
          else { return nil }
          return (type, offset, length, link)
        }
        for index in 0..<UInt64(count) {
          guard let symbols = section(index), symbols.type == 2, let names = section(UInt64(symbols.link)) else {
            continue
          }
          for entry in stride(from: symbols.offset, to: symbols.offset + symbols.size, by: 24) {
            guard let value = read(UInt64.self, entry + 8), values.contains(value), let name = read(UInt32.self, entry),
              UInt64(name) < names.size
            else { continue }
            let start = Int(names.offset) + Int(name)
            let text = bytes[start..<Int(names.offset + names.size)].prefix { $0 != 0 }
            let symbol = String(decoding: text, as: UTF8.self)
            if symbol.hasSuffix("TK") { return symbol }
          }
        }
        return nil
      }
    }
  #else
    private static func symbol(at address: UInt64) -> String? { nil }
  #endif
}

/// Swift's names of symbols, as they are written in the source.
enum Demangling {
  static func demangled(_ symbol: String) -> String? {
    symbol.withCString { text in
      guard let result = swiftDemangle(text, UInt(strlen(text)), nil, nil, 0) else { return nil }
      defer { free(result) }
      return String(cString: result)
    }
  }
}

/// The runtime's own, which prints the names in the call stacks of crashes.
@_silgen_name("swift_demangle")
private func swiftDemangle(
  _ name: UnsafePointer<CChar>?, _ length: UInt, _ buffer: UnsafeMutablePointer<CChar>?,
  _ bufferSize: UnsafeMutablePointer<UInt>?, _ flags: UInt32
) -> UnsafeMutablePointer<CChar>?
