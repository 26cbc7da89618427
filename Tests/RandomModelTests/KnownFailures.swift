/// The pairs that fail today on both databases, by name, with the reason. Remove an entry with the repair.
let knownFailures = byPair(failuresByReason)
/// The pairs that fail today on PostgreSQL only.
let knownFailuresOnPostgres = byPair(failuresOnPostgresByReason)

private func byPair(_ pairs: [String: [String]]) -> [String: String] {
  var result = [String: String]()
  for (reason, names) in pairs {
    for name in names { result[name] = reason }
  }
  return result
}

private let failuresByReason: [String: [String]] = [:]

private let failuresOnPostgresByReason: [String: [String]] = [:]
