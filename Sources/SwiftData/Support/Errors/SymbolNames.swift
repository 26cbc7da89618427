import Foundation

/// The names of functions and properties, for error messages, where only addresses tell of them.
///
/// A key path knows where its getter is, not what it is called, and an executable exports few names. The program's own file
/// has the others, unless it was stripped.
enum SymbolNames {
  /// The name of the last property of a key path, if the symbol table has it.
  static func computed(_ keyPath: AnyKeyPath) -> String? {
    let text = "\(keyPath)"
    // `\Trip.<computed 0x0000561ab2 (String)>`
    guard let start = text.range(of: "<computed 0x", options: .backwards)?.upperBound,
      let address = UInt64(text[start...].prefix(while: \.isHexDigit), radix: 16),
      let symbol = symbol(at: address), symbol.hasSuffix("TK"), let name = Demangling.demangled(symbol)
    else { return nil }
    // `key path getter for App.Trip.upperName : Swift.String`
    guard let path = name.components(separatedBy: " : ").first?.components(separatedBy: " for ").last else {
      return nil
    }
    return path.components(separatedBy: ".").last
  }

  #if os(Linux)
    /// The symbol of the function that has an address of the program; nil where its file does not tell it.
    static func symbol(at address: UInt64) -> String? { program?.symbol(at: address) }

    /// Read once: it takes some tenths of a second.
    private static let program = ProgramSymbols()
  #else
    static func symbol(at address: UInt64) -> String? { nil }
  #endif
}

#if os(Linux)
  /// The functions in the table of symbols of the running program's file (ELF of 64 bits, as its specification lays it out).
  private struct ProgramSymbols: Sendable {
    private struct Function {
      let start: UInt64
      let size: UInt64
      /// Of its name, in the file.
      let name: Int
    }

    private let file: Data
    /// Where the file is in memory. It is loaded wherever there is room, and counts from its beginning.
    private let range: Range<UInt64>
    private let functions: [Function]

    /// Nil where the file cannot be read or has no symbols.
    init?() {
      let path = "/proc/self/exe"
      guard let range = Self.loaded(try? FileManager.default.destinationOfSymbolicLink(atPath: path)),
        let file = try? Data(contentsOf: URL(fileURLWithPath: path), options: .alwaysMapped),
        let functions = file.withUnsafeBytes(Self.functions)
      else { return nil }
      (self.file, self.range) = (file, range)
      self.functions = functions.sorted { $0.start < $1.start }
    }

    func symbol(at address: UInt64) -> String? {
      guard range.contains(address) else { return nil }
      let value = address - range.lowerBound
      var (low, high) = (0, functions.count)
      while low < high {
        let middle = (low + high) / 2
        if functions[middle].start <= value { low = middle + 1 } else { high = middle }
      }
      guard low > 0, value - functions[low - 1].start < max(functions[low - 1].size, 1) else { return nil }
      let name = functions[low - 1].name
      return file.withUnsafeBytes { String(decoding: $0[name...].prefix { $0 != 0 }, as: UTF8.self) }
    }

    /// Where a file is in memory.
    private static func loaded(_ path: String?) -> Range<UInt64>? {
      // The system makes the file while it is read, so that its size says nothing.
      guard let path, let maps = try? FileHandle(forReadingAtPath: "/proc/self/maps")?.readToEnd() else { return nil }
      var range: Range<UInt64>?
      // `start-end permissions offset device inode path`
      for line in String(decoding: maps, as: UTF8.self).split(separator: "\n") where line.hasSuffix(" " + path) {
        let bounds = line.prefix { $0 != " " }.split(separator: "-").compactMap { UInt64($0, radix: 16) }
        if bounds.count == 2 { range = (range?.lowerBound ?? bounds[0])..<bounds[1] }
      }
      return range
    }

    private static func functions(_ bytes: UnsafeRawBufferPointer) -> [Function]? {
      func read<I: FixedWidthInteger>(_ type: I.Type, _ offset: UInt64) -> I? {
        guard offset <= UInt64(bytes.count), bytes.count - Int(offset) >= MemoryLayout<I>.size else { return nil }
        return bytes.loadUnaligned(fromByteOffset: Int(offset), as: I.self)
      }
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
        return stride(from: symbols.offset, to: symbols.offset + symbols.size, by: 24).compactMap { entry in
          guard let name = read(UInt32.self, entry), UInt64(name) < names.size, let kind = read(UInt8.self, entry + 4),
            kind & 0xF == 2, let start = read(UInt64.self, entry + 8), let size = read(UInt64.self, entry + 16)
          else { return nil }
          return Function(start: start, size: size, name: Int(names.offset) + Int(name))
        }
      }
      return nil
    }
  }
#endif

/// Demangles Swift symbol names.
enum Demangling {
  static func demangled(_ symbol: String) -> String? {
    symbol.withCString { text in
      guard let result = swiftDemangle(text, UInt(strlen(text)), nil, nil, 0) else { return nil }
      defer { free(result) }
      return String(cString: result)
    }
  }
}

/// The runtime's own function, which crash reports use.
@_silgen_name("swift_demangle")
private func swiftDemangle(
  _ name: UnsafePointer<CChar>?, _ length: UInt, _ buffer: UnsafeMutablePointer<CChar>?,
  _ bufferSize: UnsafeMutablePointer<UInt>?, _ flags: UInt32
) -> UnsafeMutablePointer<CChar>?
