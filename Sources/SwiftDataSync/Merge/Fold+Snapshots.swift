#if Sync
import Crypto
import Foundation
import SyncProtocol

// A snapshot is a transaction list that makes what the log of a zone makes up to a number. Its changes are those of a log, but for one
// kind: a change with ``SyncWire/aliasField`` says that a record was merged with another one.

extension Fold {
  /// Makes a record one with another one, as a snapshot says. A record that another log knows by this name is kept apart.
  func become(_ name: RecordName, _ survivor: RecordName, _ entity: String, _ zone: String) throws {
    let (survivor, old) = (try resolve(survivor), try state(name))
    guard survivor != name, old?.alias == nil else { return }
    var state = RecordState(entity: entity)
    state.alias = survivor
    if zone != SyncWire.privateZone { state.zone = zone }
    let referrers = try referrers(to: name)
    if var old {
      try release(old, name)
      if old.place != zone {
        old.isAway = true
        put(name.apart(old.place), old)
      }
    }
    put(name, state)
    for referrer in referrers { try redirect(referrer, from: name, to: survivor) }
  }
}

extension SyncSchema {
  /// A digest of ``rules``.
  var rulesDigest: String {
    var hash = SHA256()
    for (entity, rules) in rules.sorted(by: { $0.key < $1.key }) {
      hash.update(data: Data("\(entity)\n".utf8))
      for rule in rules { hash.update(data: Data(" \(rule)\n".utf8)) }
    }
    return hash.finalize().map { String(format: "%02x", $0) }.joined()
  }

  /// A change that says the same to programs with the old names of properties. They do not know the new names.
  func withFormerNames(_ change: RecordChange) -> RecordChange {
    guard hasRenamed else { return change }
    var change = change
    for (old, new) in renamed(change.record, change.entity) {
      for (old, new) in [(old, new), (Self.place(of: old), Self.place(of: new))] where change.fields[old] == nil {
        change.fields[old] = change.fields[new]
      }
      if let members = change.members?[new], change.members?[old] == nil { change.members![old] = members }
    }
    return change
  }
}
#endif
