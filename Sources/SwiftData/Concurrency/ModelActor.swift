import Dispatch

/// An actor with a context of its own: for work with models away from the main actor.
///
/// Attach ``ModelActor()`` to an actor; it adds the two properties and an initialiser. (Apple's documentation,
/// `ModelActor`.)
public protocol ModelActor: Actor {
  /// The container whose models the actor works with.
  nonisolated var modelContainer: ModelContainer { get }
  /// Runs the actor's jobs, one after another, and holds its context.
  nonisolated var modelExecutor: any ModelExecutor { get }
}

extension ModelActor {
  /// The executor of the actor.
  public nonisolated var unownedExecutor: UnownedSerialExecutor {
    // The requirement's type is Apple's; only a serial executor can run an actor.
    guard let serial = modelExecutor as? any SerialModelExecutor else {
      preconditionFailure("\(Self.self).modelExecutor has to be a SerialModelExecutor")
    }
    return serial.asUnownedSerialExecutor()
  }

  /// The context of the actor.
  public var modelContext: ModelContext { modelExecutor.modelContext }

  /// The object with an identifier, or nil where there is none of that class.
  public subscript<T: PersistentModel>(id: PersistentIdentifier, as type: T.Type) -> T? {
    let model = modelContext.model(for: id) as? T
    return model?.modelContext == nil ? nil : model
  }
}

/// An executor with a context. (Apple's documentation, `ModelExecutor`.)
public protocol ModelExecutor: Executor {
  /// The context, for use in the executor's jobs only.
  var modelContext: ModelContext { get }
}

/// An executor with a context that runs one job at a time. (Apple's documentation, `SerialModelExecutor`.)
public protocol SerialModelExecutor: ModelExecutor, SerialExecutor {}

/// Runs the jobs of a model actor on a queue of its own, never on the main thread.
///
/// Apple's runs them on the thread that made the actor, which is why an actor made on the main thread blocks it.
// @unchecked Sendable because the context, which is not Sendable, is only touched by jobs, which run one at a time.
public final class DefaultSerialModelExecutor: SerialModelExecutor, @unchecked Sendable {
  /// The context, for use in the executor's jobs only.
  public let modelContext: ModelContext
  private let queue = DispatchQueue(label: "SwiftData.ModelActor")

  /// Takes a context over; nobody else may use it afterwards.
  public init(modelContext: ModelContext) { self.modelContext = modelContext }

  /// Runs a job when the earlier ones are done; then saves if the context's ``ModelContext/autosaveEnabled`` is set.
  public func enqueue(_ job: UnownedJob) {
    queue.async { [self] in
      job.runSynchronously(on: asUnownedSerialExecutor())
      if modelContext.autosaveEnabled { Autosave.save(modelContext) }
    }
  }

  /// The executor as actors refer to it.
  public func asUnownedSerialExecutor() -> UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }
}
