import Foundation

/// A message as an archive has it. Its identifier depends on nothing but the archive, so that importing the archive
/// again finds the same message.
public struct ImportedMessage: Equatable, Sendable {
  public var id: String
  public var sender: String
  public var text: String
  public var createdAt: Date
}

/// A part of a conversation as an archive has it: its messages in order, or some of them.
public struct ImportedConversation: Equatable, Sendable {
  public var id: String
  public var name: String
  public var isGroup: Bool
  public var messages: [ImportedMessage]
}

/// A line or record that became neither a message nor an event.
public struct SkippedLine: Equatable, Sendable, Codable {
  public var file: String
  /// Counted from 1; for a JSON export the number of the message.
  public var line: Int
  public var reason: String
}

/// What reading one file gave.
public struct ParsedFile: Sendable {
  public var conversations: [ImportedConversation] = []
  /// Joins, renames, actions, notices: counted, not stored.
  public var events = 0
  public var lines = 0
  public var skipped: [SkippedLine] = []
}

/// Reads one format of archive, a file at a time.
public protocol ArchiveReader {
  /// The files of the archive, in the order in which to read them.
  /// - Throws: ``DataLayerError/invalidData(_:)`` where there are none.
  func files() throws -> [URL]
  /// Reads one file.
  /// - Throws: ``DataLayerError/invalidData(_:)`` where it is not of the format at all.
  func read(_ file: URL) throws -> ParsedFile
}

/// Text from archives, made fit to be shown.
public enum ArchiveText {
  /// Decodes bytes: what is not UTF-8 becomes U+FFFD, a control character its picture (NUL ␀, CR ␍, DEL ␡) or U+FFFD
  /// where Unicode has no picture, so that nothing is lost from sight and nothing acts on a terminal.
  public static func readable(_ bytes: some Collection<UInt8>) -> String {
    if bytes.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) { return String(decoding: bytes, as: UTF8.self) }
    var result = String.UnicodeScalarView()
    for scalar in String(decoding: bytes, as: UTF8.self).unicodeScalars { result.append(picture(of: scalar)) }
    return String(result)
  }

  /// The same for text that is decoded already; line feeds within it stay.
  public static func readable(_ text: String) -> String {
    var result = String.UnicodeScalarView()
    for scalar in text.unicodeScalars { result.append(scalar == "\n" ? scalar : picture(of: scalar)) }
    return String(result)
  }

  private static func picture(of scalar: Unicode.Scalar) -> Unicode.Scalar {
    switch scalar.value {
    case 0x00..<0x20: Unicode.Scalar(0x2400 + scalar.value)!
    case 0x7F: "\u{2421}"
    case 0x80..<0xA0: "\u{FFFD}"
    default: scalar
    }
  }
}
