public import Observation

// The macros of the library. `SwiftDataMacros` implements them; `#Predicate` is declared with the predicates.

/// Makes a class a persistent model: its stored properties are kept by a store, changes are tracked and observed.
///
/// The class needs an initialiser where a property has no default. Every stored `var`, and every `let` without an
/// initial value, is persisted, unless it is marked ``Transient()``; computed, `static` and `lazy` properties are left
/// alone. A subclass of a model that is a model too carries `@Model` as well.
/// (Apple's documentation, `Model()`.)
@attached(
  member,
  conformances: PersistentModel,
  names: named(__state),
  named(__offset),
  named(__RootModel),
  named(__cachedEntity),
  named(__entity),
  named(__isolatedMetadata),
  named(__isolatedNotify),
  named(__reload),
  named(__encode),
  named(__value),
  named(__setValue),
  named(__relationship),
  named(__notify),
  named(schemaMetadata),
  named(persistentBackingData),
  named(init)
)
@attached(memberAttribute)
@attached(extension, conformances: PersistentModel, Observable, Identifiable)
public macro Model() = #externalMacro(module: "SwiftDataMacros", type: "ModelMacro")

/// Says how a property is stored: unique, in a file beside the store, under another name, and so on.
///
/// A property with `@Attribute` is never a relationship.
/// (Apple's documentation, `Attribute(_:originalName:hashModifier:)`.)
@attached(peer)
public macro Attribute(
  _ options: Schema.Attribute.Option...,
  originalName: String? = nil,
  hashModifier: String? = nil
) = #externalMacro(module: "SwiftDataMacros", type: "AttributeMacro")

/// Says how a relationship behaves: what deleting this object does to the others, and which property of theirs leads
/// back. A relationship that needs none of this can do without the attribute.
///
/// Name the inverse on one side only; on both the compiler reports a circular reference.
/// (Apple's documentation, `Relationship(_:deleteRule:minimumModelCount:maximumModelCount:originalName:inverse:hashModifier:)`.)
@attached(peer)
public macro Relationship(
  _ options: Schema.Relationship.Option...,
  deleteRule: Schema.Relationship.DeleteRule = .nullify,
  minimumModelCount: Int? = 0,
  maximumModelCount: Int? = 0,
  originalName: String? = nil,
  inverse: AnyKeyPath? = nil,
  hashModifier: String? = nil
) = #externalMacro(module: "SwiftDataMacros", type: "RelationshipMacro")

/// A synonym with shorter labels in another order, which early SwiftData articles use.
@attached(peer)
public macro Relationship(
  deleteRule: Schema.Relationship.DeleteRule = .nullify,
  inverse: AnyKeyPath? = nil,
  minimum: Int? = nil,
  maximum: Int? = nil
) = #externalMacro(module: "SwiftDataMacros", type: "RelationshipMacro")

/// Keeps a stored property out of the store. It needs a default value.
/// (Apple's documentation, `Transient()`.)
@attached(peer)
public macro Transient() = #externalMacro(module: "SwiftDataMacros", type: "TransientMacro")

/// Names sets of properties whose values, taken together, no two objects share. Write it inside the class.
/// (Apple's documentation, `Unique(_:)`.)
@freestanding(declaration)
public macro Unique<T: PersistentModel>(_ constraints: [PartialKeyPath<T>]...) =
  #externalMacro(module: "SwiftDataMacros", type: "UniqueMacro")

/// Names sets of properties for which the store keeps an index. Write it inside the class.
/// (Apple's documentation, `Index(_:)`.)
@freestanding(declaration)
public macro Index<T: PersistentModel>(_ indices: [PartialKeyPath<T>]...) =
  #externalMacro(module: "SwiftDataMacros", type: "IndexMacro")

/// Names sets of properties and the kind of index that the store keeps for each. Write it inside the class.
/// (Apple's documentation, `Index(_:)`.)
@freestanding(declaration)
public macro Index<T: PersistentModel>(_ indices: Schema.Index<T>.Types<T>...) =
  #externalMacro(module: "SwiftDataMacros", type: "IndexMacro")

/// Makes an actor a model actor: it gets a container, an executor, and through them a context of its own.
/// (Apple's documentation, `ModelActor()`.)
@attached(member, names: named(modelExecutor), named(modelContainer), named(init))
@attached(extension, conformances: ModelActor)
public macro ModelActor() = #externalMacro(module: "SwiftDataMacros", type: "ModelActorMacro")

/// `Observable`, under a name that no model can hide: a class called `Observation` hides the module's.
public typealias __Observable = Observable

/// `Identifiable`, likewise.
public typealias __Identifiable = Identifiable

/// The storage and accessors of a persisted property. ``Model()`` applies it; nobody writes it.
@attached(accessor, names: named(init), named(get), named(set), named(_modify))
@attached(peer, names: prefixed(_), prefixed(__persisted_))
public macro __Persisted(index: Int, offset: Bool = false, isolated: Bool = false) =
  #externalMacro(module: "SwiftDataMacros", type: "PersistedPropertyMacro")
