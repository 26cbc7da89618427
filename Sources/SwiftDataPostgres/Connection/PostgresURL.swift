import CLibPQ
import Foundation

/// A parsed server URL. libpq's message about an invalid URL quotes it, including the password.
package struct PostgresURL {
  /// A server of the URL. Nil means libpq's default.
  struct Host: Hashable, Sendable {
    let name: String?
    let address: String?
    let port: String?

    /// The form for error messages.
    var place: String {
      let host = name ?? address ?? "the default host"
      return host.hasPrefix("/") ? "\(host)/.s.PGSQL.\(port ?? "5432")" : "\(host):\(port ?? "5432")"
    }
  }

  /// The settings that end a connection whose other end vanished, unless the URL names them. The system's own ones take two hours to
  /// notice that. Here it takes a minute.
  package static let keepalives = [
    "keepalives_idle": "30", "keepalives_interval": "10", "keepalives_count": "3", "tcp_user_timeout": "60000",
  ]

  /// The servers and the database.
  package let place: String
  /// The options of the connection, by libpq's keywords.
  package let options: [String: String]
  /// The hosts, at least one.
  let hosts: [Host]
  /// The `target_session_attrs` of the URL.
  let role: String?

  /// Returns nil if libpq cannot parse the URL, or takes a part of the password for the server: a special character
  /// must be escaped, and an error that names the server would show the rest of the password.
  package init?(_ url: String) {
    var message: UnsafeMutablePointer<CChar>?
    guard let parsed = PQconninfoParse(url, &message) else {
      PQfreemem(message)
      return nil
    }
    defer { PQconninfoFree(parsed) }
    var values = [String: String]()
    var option = parsed
    while let keyword = option.pointee.keyword {
      if let value = option.pointee.val { values[String(cString: keyword)] = String(cString: value) }
      option += 1
    }
    let (host, port, database) = (values["host"] ?? "", values["port"] ?? "", values["dbname"] ?? "")
    let ports = port.split(separator: ",")
    guard !host.contains("@"), !database.contains("@"), ports.allSatisfy({ UInt16($0) != nil }) else { return nil }
    options = values
    place = "postgres://" + host + (port.isEmpty ? "" : ":" + port) + "/" + database
    hosts = Self.hosts(names: values["host"], addresses: values["hostaddr"], ports: values["port"])
    role = values["target_session_attrs"]
  }

  /// Pairs names, addresses and ports like libpq: a single port applies to all hosts.
  private static func hosts(names: String?, addresses: String?, ports: String?) -> [Host] {
    func list(_ text: String?) -> [String] {
      (text ?? "").split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    }
    let (names, addresses, ports) = (list(names), list(addresses), list(ports))
    func element(_ list: [String], _ index: Int) -> String? {
      let value = list.count == 1 ? list[0] : index < list.count ? list[index] : ""
      return value.isEmpty ? nil : value
    }
    return (0..<max(names.count, addresses.count)).map { index in
      Host(name: element(names, index), address: element(addresses, index), port: element(ports, index))
    }
  }
}
