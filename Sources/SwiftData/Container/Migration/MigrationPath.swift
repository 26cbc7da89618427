/// The target of a migration and the plan that leads to it.
struct MigrationTarget {
  let configuration: ModelConfiguration
  let current: VersionLayout
  let plan: (any SchemaMigrationPlan.Type)?
  /// Whether packs are read together with the store.
  var hasPacks = false
  /// Whether the store keeps a class of this name, or nil if no store does.
  let keeps: (String) -> Bool?

  /// Whether the models alone tell if a store fits: without a plan, whose versions count too, and without a key.
  var hasFingerprint: Bool { plan == nil && configuration.columnCoding == nil }

  /// The checksum of the models for the store's metadata.
  var fingerprint: Fingerprint? { hasFingerprint ? Metadata.fingerprint(of: current) : nil }

  /// The version of a new store.
  var newVersion: Schema.Version {
    get throws {
      guard let plan else { return current.schema.version }
      let versions = PlanVersions(plan, for: self, stored: current.layout.record)
      return versions.layouts[try versions.position(of: current)].schema.version
    }
  }
}

/// The steps from a store's layout to the program's.
struct MigrationPath {
  struct Step {
    let from: Schema.Version
    /// The source models, or nil if no plan knows them.
    let source: VersionLayout?
    let target: VersionLayout
    let stage: MigrationStage?

    /// Whether the step is part of a plan.
    var isPlanned: Bool { source != nil }
    var isCustom: Bool { if case .custom? = stage { true } else { false } }
  }

  let steps: [Step]
  /// The version after the step.
  let version: Schema.Version
  /// The layout of the models that the program listed last, and of those that it did not list, with the store's names.
  let stored: LayoutRecord
  let retained: LayoutRecord
  /// The models of a store in an earlier format, whose tables get the names of the present one before the first step. Nil
  /// if the store has the present format, or if the first step leads from one to the other.
  let format: VersionLayout?
  let isPlanned: Bool

  /// - Throws: ``SwiftDataError/unknownDataStoreSchema``, ``SwiftDataError/backwardMigration``,
  ///   ``SwiftDataError/newerSchema``, ``SwiftDataError/unknownSchema``.
  init(from known: Metadata, to target: MigrationTarget) throws {
    let version = known.version
    isPlanned = target.plan != nil
    retained = FormerLayout.described(known.retained)
    guard let plan = target.plan else {
      let current = target.current
      let former = known.isFormer ? FormerLayout.record(known.layout, as: [current.layout]) : nil
      stored = former?.record ?? known.layout
      format = former?.layout == nil ? nil : current
      let isSame =
        format != nil
        || known.isFormer == false
          && (stored.isIdentical(to: current.layout.record)
            || LayoutPlan(from: stored, retained: retained, to: current.layout, isPlanned: false).isTrivial)
      guard version <= current.schema.version else {
        // A widget or a test often names only the models of a store that the app opens with a plan.
        guard isSame, !current.schema.hasVersion else { throw Self.newer(version, target) }
        (self.steps, self.version) = ([], version)
        return
      }
      self.steps = isSame ? [] : [Step(from: version, source: nil, target: current, stage: nil)]
      self.version = current.schema.version
      return
    }
    let versions = PlanVersions(plan, for: target, stored: known.layout)
    let end = try versions.position(of: target.current)
    let start = try versions.position(of: known, notAfter: end, target)
    if known.isFormer {
      stored = FormerLayout.record(known.layout, as: [versions.layouts[start].layout]).record
      format = versions.layouts[start]
    } else {
      (stored, format) = (known.layout, nil)
    }
    let steps = try versions.path(from: start, to: end, store: "\"\(target.configuration.url.path)\"")
    self.steps = steps
    self.version = versions.layouts[end].schema.version
  }

  fileprivate static func newer(_ version: Schema.Version, _ target: MigrationTarget) -> SwiftDataError {
    SwiftDataError(
      .newerSchema,
      message: "\"\(target.configuration.url.path)\" has schema version \(version) and this program knows version"
        + " \(target.current.schema.version); update the program"
        + (target.current.schema.hasVersion ? "" : ", or give its models their version with Schema(versionedSchema:)")
        + ". The file was left untouched")
  }
}

/// The versions of a plan for one store: all of `schemas` and all that only stages name, oldest first.
struct PlanVersions {
  let plan: any SchemaMigrationPlan.Type
  let layouts: [VersionLayout]
  /// The types of the versions.
  private let types: [any VersionedSchema.Type]

  init(_ plan: any SchemaMigrationPlan.Type, for target: MigrationTarget, stored: LayoutRecord) {
    self.init(plan) { target.keeps($0) ?? stored.hasClass($0) }
  }

  /// - Parameters:
  ///   - coding: the part that encodes secret columns, or nil if the store has no key.
  ///   - keeps: whether the store has a class of a name.
  init(_ plan: any SchemaMigrationPlan.Type, coding: ColumnCoding? = nil, keeps: (String) -> Bool) {
    self.plan = plan
    self.types = Self.types(of: plan)
    self.layouts = types.map { schema in
      let models = Schema(versionedSchema: schema).models
      return VersionLayout(
        Schema(models.filter { keeps($0.__entity.name) }, version: schema.versionIdentifier), coding: coding)
    }
  }

  static func types(of plan: any SchemaMigrationPlan.Type) -> [any VersionedSchema.Type] {
    var types = plan.schemas
    func index(of type: any VersionedSchema.Type) -> Int? { types.firstIndex { $0 == type } }
    for stage in plan.stages {
      let (from, to) = stage.versions
      if index(of: from) == nil { types.insert(from, at: index(of: to) ?? types.endIndex) }
      if index(of: to) == nil { types.insert(to, at: index(of: from)! + 1) }
    }
    // Stable, so that versions with equal numbers keep the plan's order.
    return types.enumerated().sorted {
      ($0.element.versionIdentifier, $0.offset) < ($1.element.versionIdentifier, $1.offset)
    }.map(\.element)
  }

  /// The positions before and after a stage.
  private func ends(of stage: MigrationStage) -> (from: Int, to: Int)? {
    let (from, to) = stage.versions
    guard let start = types.firstIndex(where: { $0 == from }), let end = types.firstIndex(where: { $0 == to }) else {
      return nil
    }
    return (start, end)
  }

  /// The position of the program's version.
  func position(of current: VersionLayout) throws -> Int {
    let equal = layouts.indices.filter { layouts[$0].layout.record == current.layout.record }
    if let same = equal.last(where: { layouts[$0].schema.version == current.schema.version }) ?? equal.last {
      return same
    }
    guard let last = layouts.last else {
      throw SwiftDataError(
        .unknownSchema,
        message: "\(plan) names no schemas, so the container's models are not a version of it. Return the versions of"
          + " the models, each a VersionedSchema, from static var schemas, or leave out the plan")
    }
    let differences = LayoutPlan(from: last.layout.record, to: current.layout, isPlanned: true).changes
    throw SwiftDataError(
      .unknownSchema,
      message: "the container's models are not a version of \(plan); they differ from its last one: "
        + Self.list(differences) + ". Name the models of one of its versions")
  }

  /// The position of a store's version.
  func position(of known: Metadata, notAfter end: Int, _ target: MigrationTarget) throws -> Int {
    let version = known.version
    let equal = layouts.indices.filter { place in
      let layout = layouts[place].layout
      return known.isFormer ? FormerLayout.isRecord(known.layout, of: layout) : layout.record == known.layout
    }
    let same = equal.first { layouts[$0].schema.version == version }
    // The version of a store that was made without a plan has no meaning for the plan.
    if let position = same ?? equal.last(where: { $0 <= end }) ?? equal.first { return position }
    if let last = layouts.last, version > last.schema.version { throw MigrationPath.newer(version, target) }
    let nearest = layouts.first { $0.schema.version == version } ?? layouts.first
    let stored = known.isFormer ? FormerLayout.described(known.layout) : known.layout
    let differences = nearest.map { LayoutPlan(from: stored, to: $0.layout, isPlanned: true).changes } ?? []
    throw SwiftDataError(
      .unknownDataStoreSchema,
      message: "\"\(target.configuration.url.path)\" has version \(version) of a schema that is not one of \(plan)'s;"
        + " to be its version \(nearest?.schema.version.description ?? "?") this would have to change: "
        + Self.list(differences) + ". The file was left untouched")
  }

  static func list(_ changes: [ModelContainer.MigrationChange]) -> String {
    changes.isEmpty ? "nothing but the version" : changes.map(\.description).joined(separator: "; ")
  }

  /// The steps between two positions, forward or back.
  /// - Parameter store: the name of the store in errors.
  /// - Throws: ``SwiftDataError/backwardMigration`` if no stages lead back.
  func path(from start: Int, to end: Int, store: String) throws -> [MigrationPath.Step] {
    if let steps = start <= end ? steps(from: start, to: end) : stepsBack(from: start, to: end) { return steps }
    throw SwiftDataError(
      .backwardMigration,
      message: "\(store) has version \(layouts[start].schema.version) of \(plan), and the program asks for version"
        + " \(layouts[end].schema.version), which is older; no stages of the plan lead from the one to the other. Add a"
        + " stage that does. The store was left untouched")
  }

  /// The steps between two positions. A missing stage is lightweight.
  private func steps(from start: Int, to end: Int) -> [MigrationPath.Step] {
    var steps = [MigrationPath.Step]()
    var position = start
    while position < end {
      let stages = plan.stages.compactMap { stage -> (Int, MigrationStage)? in
        guard let ends = ends(of: stage), ends.from == position, ends.to > position, ends.to <= end else { return nil }
        return (ends.to, stage)
      }
      let longest = stages.max { $0.0 < $1.0 }
      let next = longest?.0 ?? position + 1
      steps.append(step(from: position, to: next, longest?.1))
      position = next
    }
    return steps
  }

  /// The fewest stages that lead back to an older version, or nil. Going back requires stages.
  private func stepsBack(from start: Int, to end: Int) -> [MigrationPath.Step]? {
    var found = [start: [MigrationPath.Step]()]
    var queue = [start]
    while !queue.isEmpty {
      let position = queue.removeFirst()
      guard position != end else { return found[end] }
      for stage in plan.stages {
        guard let ends = ends(of: stage), ends.from == position, found[ends.to] == nil else { continue }
        found[ends.to] = found[position]! + [step(from: position, to: ends.to, stage)]
        queue.append(ends.to)
      }
    }
    return nil
  }

  private func step(from start: Int, to end: Int, _ stage: MigrationStage?) -> MigrationPath.Step {
    MigrationPath.Step(from: layouts[start].schema.version, source: layouts[start], target: layouts[end], stage: stage)
  }
}

extension MigrationStage {
  /// The versions before and after the stage.
  var versions: (from: any VersionedSchema.Type, to: any VersionedSchema.Type) {
    switch self {
    case .lightweight(let from, let to), .custom(let from, let to, _, _): (from, to)
    }
  }
}

extension LayoutPlan {
  /// Whether the store needs no change, including the types of its values.
  var isTrivial: Bool {
    changes.isEmpty && !tables.contains { $0.isRebuilt || $0.addedColumns != nil || $0.old == nil || $0.needsDecoding }
      && pairTables.allSatisfy(\.isKept) && narrowings.isEmpty && internalized.isEmpty
  }
}
