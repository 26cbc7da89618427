import CoreMetrics

/// Reports what contexts hold to swift-metrics. Each is a recorder, which gets a value when a fetch ends and when a save begins.
///
/// - `swiftdata.context.objects`: the objects in the identity map. A context keeps only unsaved ones alive; the program keeps the others.
/// - `swiftdata.context.unsaved`: the inserted, changed and deleted objects that are not saved. Rows that are marked for deletion without an
///   object do not count.
/// - `swiftdata.context.batches`: the fetches whose objects are still alive. Faults are loaded for all objects of one.
///
/// A container looks up the backend when it opens, so bootstrap it before the first container.
struct ContextMetrics: Sendable {
  private let objects: Recorder
  private let unsaved: Recorder
  private let batches: Recorder

  /// Returns nil without a metrics backend.
  init?() {
    guard !(MetricsSystem.factory is NOOPMetricsHandler) else { return nil }
    objects = Recorder(label: "swiftdata.context.objects")
    unsaved = Recorder(label: "swiftdata.context.unsaved")
    batches = Recorder(label: "swiftdata.context.batches")
  }

  /// - Complexity: O(*n*) for *n* deleted objects that are not saved, whatever the number of objects in the context.
  func note(_ context: ContextState) {
    objects.record(context.livingObjects?.value ?? 0)
    // Changed objects may be deleted too.
    let deleted = context.deleted.values.count { context.changed[ObjectIdentifier($0)] == nil }
    unsaved.record(context.inserted.count + context.changed.count + deleted)
    batches.record(context.livingBatches?.value ?? 0)
  }
}
