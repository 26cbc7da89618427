import Crypto
import Foundation
import SwiftData
import SyncProtocol

// The zones that an account may read.

extension ZoneStore {
  /// Returns the access of an account to a zone.
  /// - Throws: ``SyncFailure`` with the code `notFound` if the account may not read the zone. The error is the same whether the zone
  ///   exists or not.
  func access(_ account: String, _ zone: ZoneName, _ context: ModelContext) throws -> Access {
    try access(account, zone.text, context)
  }

  /// Returns the list of an account's zones.
  ///
  /// Equal lists have equal versions, in all processes that serve the database.
  func readableZones(of account: String, _ list: ZoneListCache.List) throws -> SyncLog.ZoneList {
    if let readable = list.readable { return readable }
    let zones = list.zones.compactMap { zone in
      ZoneName(zone, of: account).map {
        SyncLog.ReadableZone(
          name: $0, owner: zone.owner, isWritable: zone.isWritable, root: zone.root, keyGeneration: zone.keyGeneration,
          needsKeys: zone.needsKeys)
      }
    }
    var readable = SyncLog.ZoneList(version: list.missingKeys, zones: zones, invitations: list.invitations)
    readable.version = Data(SHA256.hash(data: try SyncWire.encode(readable)).prefix(12)).hexadecimal
    list.readable = readable
    return readable
  }

  /// Returns a text that changes when an account can wrap another key than before.
  ///
  /// An owner that cannot wrap a key yet, because the participant has published none, learns from another list that it tries again.
  func missingKeys(of zones: [ZoneInfo], _ context: ModelContext) throws -> String {
    try zones.filter { $0.needsKeys == true }.map { zone in
      let names = try grants(zone.name, context).map(\.account)
      let keys = try accountKeys(names, context).map { "\($0.account) \($0.key.base64EncodedString())" }
      return "\(zone.name) \(keys.joined(separator: " "))"
    }.joined(separator: "\n")
  }
}

extension ZoneName {
  /// The name of a zone that an account may read.
  init?(_ zone: ZoneInfo, of account: String) {
    if zone.name == SyncWire.privateZone { self = .account(ExactText(account)) } else { self.init(text: zone.name) }
  }
}
