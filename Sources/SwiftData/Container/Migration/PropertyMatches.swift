/// Which property of a class's former version each of its properties continues.
///
/// It is a function of the names alone, the same for each database.
struct PropertyMatches {
  /// A property of the former version.
  struct Former {
    let name: String
    /// The `originalName:` that it had, if any. Nil if the store does not say.
    let formerNames: [String]?
  }

  /// A property of the class as the program declares it.
  struct Present {
    let name: String
    /// The argument of `originalName:`.
    let originalName: String?
  }

  /// Former names by present names.
  private(set) var formers: [String: String] = [:]
  /// Former properties that several properties name as their original.
  private(set) var conflicts: [(former: String, presents: [String])] = []

  init(_ formers: [Former], _ presents: [Present]) {
    let known = Dictionary(formers.map { ($0.name, $0) }) { first, _ in first }
    let names = Set(presents.map(\.name))
    // An earlier migration renamed these.
    for present in presents {
      guard let original = present.originalName, original != present.name,
        known[present.name]?.formerNames?.contains(original) == true
      else { continue }
      self.formers[present.name] = present.name
    }
    let done = Set(self.formers.keys)
    var claims = [(former: String, presents: [String])]()
    for present in presents where !done.contains(present.name) {
      guard let original = present.originalName, original != present.name else { continue }
      // A version in between may have given it another name.
      let renamed = formers.first { $0.formerNames?.contains(original) == true && !names.contains($0.name) }
      let named = done.contains(original) ? nil : known[original]
      guard let former = named ?? renamed else { continue }
      if let place = claims.firstIndex(where: { $0.former == former.name }) {
        claims[place].presents.append(present.name)
      } else {
        claims.append((former.name, [present.name]))
      }
    }
    conflicts = claims.filter { $0.presents.count > 1 }
    for claim in claims { self.formers[claim.presents[0]] = claim.former }
    let taken = Set(self.formers.values)
    for present in presents where self.formers[present.name] == nil {
      guard let former = known[present.name], !taken.contains(present.name) else { continue }
      // A property whose original name the store never had is new, even if the store has a property of its current name.
      // People drop a property and add another under its name in this way.
      if let original = present.originalName, original != present.name, former.formerNames != nil { continue }
      self.formers[present.name] = present.name
    }
  }
}
