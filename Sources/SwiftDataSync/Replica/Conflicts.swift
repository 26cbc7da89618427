#if Sync
public import Foundation
public import SwiftData

/// Decides conflicts of one model: two replicas changed an object without having seen each other's change.
///
/// A replica asks its resolver if its change was unsent when the other change arrived, or is later in the log. It asks once for each
/// change of another replica that it has not seen, in the order of the log, and then for the object of the log if that differs. The
/// decision is a change like any other, which all replicas get.
public protocol ConflictResolver<Model>: Sendable {
  /// The model whose conflicts it decides.
  associatedtype Model: PersistentModel

  /// Decides a conflict by changing `local`.
  ///
  /// A replica cannot read an attribute if it lacks the key, or if its program has no case for the value. The copy then has the default of
  /// the declaration, and the object keeps its value of the attribute, whatever `local` has afterwards.
  /// - Parameters:
  ///   - local: the object with the attributes that this replica has. It is a copy without a context; the attributes that it
  ///     has afterwards are the object's.
  ///   - remote: a copy with the attributes of the other replica. A later change of a third replica may not have seen them.
  func resolve(local: Model, remote: Model)
}

/// A value that lost a conflict. The engine keeps it for the time that `register` names, 30 days by default.
///
/// A value also loses if another replica deleted its object meanwhile, or if the owner of a share moved the object out of it.
/// `kept` is then "nil", and `object` is nil. A deletion that was not sent has an empty `property`, and `lost` is "deleted".
public struct SyncConflict: Hashable, Sendable {
  /// The time at which the replica noticed the conflict.
  public let date: Date
  /// The name of the model.
  public let entity: String
  /// The name of the property.
  public let property: String
  /// The name of the object in all replicas.
  public let record: String
  /// The object; nil if it is deleted by now.
  public let object: PersistentIdentifier?
  /// The value that lost, as text. A to-one relationship has the name of its target in all replicas.
  public let lost: String
  /// The value that was kept, as text.
  public let kept: String
  /// The object that a to-one relationship would have led to; nil for an attribute, for no object, and if the object is deleted by
  /// now.
  public let lostObject: PersistentIdentifier?
  /// The object that the relationship led to instead, under the same conditions.
  public let keptObject: PersistentIdentifier?
}

/// The resolvers of a program, by model.
struct ConflictResolvers: Sendable {
  private var resolve: [String: @Sendable (any PersistentModel, any PersistentModel) -> Void] = [:]

  mutating func add<Resolver: ConflictResolver>(_ resolver: Resolver) {
    resolve[Resolver.Model.__entity.name] = { local, remote in
      guard let local = local as? Resolver.Model, let remote = remote as? Resolver.Model else { return }
      resolver.resolve(local: local, remote: remote)
    }
  }

  var isEmpty: Bool { resolve.isEmpty }

  func has(_ entity: String) -> Bool { resolve[entity] != nil }

  /// - Returns: false if the model has no resolver.
  func run(_ entity: String, local: any PersistentModel, remote: any PersistentModel) -> Bool {
    guard let resolve = resolve[entity] else { return false }
    resolve(local, remote)
    return true
  }
}
#endif
