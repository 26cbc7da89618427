import Foundation

/// What a server prints when it listens.
package struct Announcement {
  let host: String
  let port: Int
  let token: String
  let isEncrypted: Bool
  let hasAccounts: Bool

  package init(host: String, port: Int, token: String, isEncrypted: Bool, hasAccounts: Bool) {
    self.host = host
    self.port = port
    self.token = token
    self.isEncrypted = isEncrypted
    self.hasAccounts = hasAccounts
  }

  private var text: String {
    let origin = "\(isEncrypted ? "https" : "http")://\(host.contains(":") ? "[\(host)]" : host):\(port)"
    return """
      Your inbox is at

        \(origin)/?token=\(token)

      It signs one browser in; the settings make addresses for others. Click a conversation to
      read it, write below it and press Enter; ? shows the keys.
      \(hasAccounts ? "Others sign up at \(origin)/sign-up\n" : "")Ctrl-C ends it.

      """
  }

  /// Writes the announcement to standard output. `print` buffers its output if it is not a terminal.
  package func write() { FileHandle.standardOutput.write(Data(text.utf8)) }
}
