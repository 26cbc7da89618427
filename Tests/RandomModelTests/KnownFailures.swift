/// The pairs that fail today, by name, with the reason. Remove an entry with the repair.
let knownFailures: [String: String] = [:]
