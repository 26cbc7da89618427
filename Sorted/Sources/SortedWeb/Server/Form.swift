import Foundation
import Hummingbird
import NIOCore
import UntrustedInput

/// What a form sent.
struct Form: Fields {
  struct File: Sendable {
    let name: String
    let bytes: Data
  }

  private let values: [String: String]
  let files: [File]

  /// As much as a form without files may have.
  static let maximumBytes = 256 << 10
  /// As long as a text may be, in characters.
  static let maximumText = 20_000

  /// Reads the fields that a route has. All others are as if they were not there.
  /// - Throws: ``PageError`` for too much, and for what is no form.
  init(_ request: Request, _ context: WebContext, maximumUpload: Int) async throws {
    let names = [Route.token] + (context.route?.form ?? [])
    let type = request.headers[.contentType] ?? ""
    if let boundary = MultipartBody.boundary(of: type) {
      let body = try await Self.collect(request, maximumUpload)
      let parts = try MultipartBody.parts(of: body, boundary: boundary)
      let textBytes = parts.reduce(0) { $0 + ($1.fileName == nil ? $1.bytes.count : 0) }
      guard textBytes <= Self.maximumBytes else { throw PageError.tooLarge(Self.maximumBytes) }
      values = Dictionary(
        try parts.filter { $0.fileName == nil && names.contains($0.name) }.map { ($0.name, try Self.text($0.bytes)) },
        uniquingKeysWith: { $1 })
      // A browser sends a part without name and bytes where no file was chosen.
      files = parts.compactMap { part in
        part.fileName.flatMap { $0.isEmpty && part.bytes.isEmpty ? nil : File(name: $0, bytes: part.bytes) }
      }
    } else if type.lowercased().hasPrefix("application/x-www-form-urlencoded") {
      values = Query.parse(try Self.text(try await Self.collect(request, Self.maximumBytes)), names)
      files = []
    } else {
      throw PageError(.unsupportedMediaType, "This is not a form", "Send the form from its page.")
    }
  }

  /// Whether it says that it has no more than a form without files.
  static func isSmall(_ request: Request) -> Bool {
    MultipartBody.boundary(of: request.headers[.contentType] ?? "") == nil
      || length(request)?.value(in: 0...maximumBytes) != nil
  }

  subscript(key: String) -> String? { values[key] }

  /// A value that has to be there, of a sensible length.
  /// - Throws: ``PageError``.
  func text(_ key: String, maximum: Int = maximumText) throws -> String {
    guard let value = values[key] else { throw PageError.invalid("The form has no \(key).") }
    // A character may have any number of combining marks, so the bytes are bounded too.
    let length = max(value.count, value.utf8.count / 4)
    guard length <= maximum else {
      throw PageError.invalid("That text is too long: \(length) characters, where \(maximum) fit.")
    }
    guard !value.unicodeScalars.contains(where: { $0.value == 0 }) else {
      throw PageError.invalid("The text contains an invalid character.")
    }
    // Browsers send line ends as the network has them.
    return value.replacing("\r\n", with: "\n")
  }

  /// A whole number that has to be there.
  /// - Throws: ``PageError``, which names the field.
  func requiredNumber(_ key: String, in bounds: ClosedRange<Int>) throws -> Int {
    guard let number = try number(key, in: bounds) else { throw PageError.invalid("The form has no \(key).") }
    return number
  }

  /// A switch: it is on where the form has it.
  /// - Throws: ``PageError`` for what is neither.
  func flag(_ key: String) throws -> Bool {
    switch values[key] {
    case "1", "on", "true": true
    case nil, "0", "off", "false", "": false
    default: throw PageError.invalid("The form's \(key) is neither on nor off.")
    }
  }

  /// How long a request says that its body is; nil if it does not say.
  private static func length(_ request: Request) -> Untrusted<Int>? {
    request.headers[.contentLength].flatMap { Int($0) }.map { Untrusted($0) }
  }

  private static func collect(_ request: Request, _ maximum: Int) async throws -> Data {
    if let length = length(request), length.value(in: 0...maximum) == nil { throw PageError.tooLarge(maximum) }
    let start = ContinuousClock.now
    var bytes = Data()
    do {
      for try await part in request.body {
        guard bytes.count + part.readableBytes <= maximum else { throw PageError.tooLarge(maximum) }
        bytes += part.readableBytesView
        guard !isTooSlow(bytes.count, after: start.duration(to: .now)) else { throw PageError.tooSlow }
      }
    } catch let error where !(error is PageError) {
      // The connection ended: a person takes a file back while it is on its way, or a network fails. The server did nothing wrong.
      throw PageError.incomplete
    }
    return bytes
  }

  /// Whether a form arrives so slowly that it only keeps others from sending theirs: less than 8 KiB a second, from half a minute on.
  /// A form that does not arrive at all ends with its connection, which may be idle for half a minute.
  static func isTooSlow(_ count: Int, after time: Duration) -> Bool {
    time > .seconds(30) && Double(count) < 8_192 * (time / .seconds(1))
  }

  private static func text(_ bytes: Data) throws -> String {
    guard let text = String(data: bytes, encoding: .utf8) else { throw PageError.invalid("The form is not in UTF-8.") }
    return text
  }
}
