import Dispatch

/// An actor with its own context, for work with models off the main actor.
///
/// Attach ``ModelActor()`` to an actor. The macro adds the two properties and an initializer. (Apple's documentation,
/// `ModelActor`.)
public protocol ModelActor: Actor {
  /// The container of the actor's models.
  nonisolated var modelContainer: ModelContainer { get }
  /// The executor, which runs the actor's jobs one after another and has its context.
  nonisolated var modelExecutor: any ModelExecutor { get }
}

/// Makes an actor a model actor with a container, an executor and its own context. (Apple's documentation,
/// `ModelActor()`.)
@attached(member, names: named(modelExecutor), named(modelContainer), named(init))
@attached(extension, conformances: ModelActor)
public macro ModelActor() = #externalMacro(module: "SwiftDataMacros", type: "ModelActorMacro")

extension ModelActor {
  /// The executor of the actor.
  public nonisolated var unownedExecutor: UnownedSerialExecutor {
    // Apple's requirement has this type. Only a serial executor can run an actor.
    guard let serial = modelExecutor as? any SerialModelExecutor else {
      preconditionFailure("\(Self.self).modelExecutor must be a SerialModelExecutor")
    }
    return serial.asUnownedSerialExecutor()
  }

  /// The context of the actor.
  public var modelContext: ModelContext { modelExecutor.modelContext }

  /// The object with an identifier, or nil if there is none of that class.
  public subscript<T: PersistentModel>(id: PersistentIdentifier, as type: T.Type) -> T? {
    let model = modelContext.model(for: id) as? T
    return model?.modelContext == nil ? nil : model
  }
}

/// An executor with a context. (Apple's documentation, `ModelExecutor`.)
public protocol ModelExecutor: Executor {
  /// The context. Use it only in the executor's jobs.
  var modelContext: ModelContext { get }
}

/// An executor with a context that runs one job at a time. (Apple's documentation, `SerialModelExecutor`.)
public protocol SerialModelExecutor: ModelExecutor, SerialExecutor {}

// @unchecked Sendable because only jobs access the context, which is not Sendable, and they run one at a time.
/// Runs the jobs of a model actor on its own queue, never on the main thread.
///
/// Apple's runs them on the thread that made the actor. An actor made on the main thread therefore blocks it.
public final class DefaultSerialModelExecutor: SerialModelExecutor, @unchecked Sendable {
  /// The context. Use it only in the executor's jobs.
  public let modelContext: ModelContext
  private let queue = DispatchQueue(label: "SwiftData.ModelActor")

  /// Takes ownership of a context. Do not use it elsewhere afterwards.
  public init(modelContext: ModelContext) { self.modelContext = modelContext }

  /// Runs a job after the earlier ones. Then saves if the context's ``ModelContext/autosaveEnabled`` is true.
  public func enqueue(_ job: UnownedJob) {
    queue.async { [self] in
      job.runSynchronously(on: asUnownedSerialExecutor())
      if modelContext.autosaveEnabled { Autosave.save(modelContext) }
    }
  }

  /// The executor as actors refer to it.
  public func asUnownedSerialExecutor() -> UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }
}
