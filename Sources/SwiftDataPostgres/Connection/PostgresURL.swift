import CLibPQ
import Foundation

/// What may be said of a server's URL. libpq's own words on one that it cannot read quote it, password included.
struct PostgresURL {
  /// Server and database.
  let place: String

  /// Nil where libpq cannot read it, or takes a piece of a password for the server: the sign in it that does so has to be
  /// escaped, and an error that names the server would show the rest.
  init?(_ url: String) {
    var message: UnsafeMutablePointer<CChar>?
    guard let options = PQconninfoParse(url, &message) else {
      PQfreemem(message)
      return nil
    }
    defer { PQconninfoFree(options) }
    var values = [String: String]()
    var option = options
    while let keyword = option.pointee.keyword {
      if let value = option.pointee.val { values[String(cString: keyword)] = String(cString: value) }
      option += 1
    }
    let (host, port, database) = (values["host"] ?? "", values["port"] ?? "", values["dbname"] ?? "")
    let ports = port.split(separator: ",")
    guard !host.contains("@"), !database.contains("@"), ports.allSatisfy({ UInt16($0) != nil }) else { return nil }
    place = "postgres://" + host + (port.isEmpty ? "" : ":" + port) + "/" + database
  }
}
