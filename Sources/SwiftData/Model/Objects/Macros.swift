public import Observation

// The macros of the library, which `SwiftDataMacros` implements. `SQL/Predicates/` declares `#Predicate`.

/// Makes a class a persistent model: a store keeps its stored properties, and the class tracks and publishes changes.
///
/// The class needs an initializer if a property has no default. `@Model` persists each stored `var`, and each `let`
/// without an initial value, unless it is marked ``Transient()``. It ignores computed, `static` and `lazy` properties.
/// A subclass of a model needs `@Model` too if it is a model. (Apple's documentation, `Model()`.)
@attached(
  member,
  conformances: PersistentModel, Observable,
  names: named(__state),
  named(__offset),
  named(__RootModel),
  named(__cachedEntity),
  named(__entity),
  named(__isolatedMetadata),
  named(__access),
  named(__relationship),
  named(schemaMetadata),
  named(persistentBackingData),
  named(_$backingData),
  named(init)
)
@attached(memberAttribute)
@attached(extension, conformances: PersistentModel, Observable, Identifiable, names: named(__isEqual))
public macro Model() = #externalMacro(module: "SwiftDataMacros", type: "ModelMacro")

/// Lets the store look into a `Codable` struct: predicates and orders over its members run in the database, and `#Index` and
/// `#Unique` may name them.
///
/// ```swift
/// @Composite struct Address: Codable {
///   var city: String
///   var number: Int?
/// }
/// ```
///
/// A struct with `Codable` alone may have a decoder that makes other values than the store has, so Swift decodes each
/// row to read a member. `@Composite` writes `init(from:)` and `encode(to:)`, as the compiler does: one key per stored
/// property, named by `CodingKeys` if the struct declares them. An enum is coded by its raw value. A struct with a decoder of
/// its own does not compile with it.
///
/// (Our own. Apple's framework looks into every `Codable` struct and may answer otherwise than Swift.)
@attached(
  extension, conformances: __CompositeValue, names: named(CodingKeys), named(init), named(encode), named(__members)
)
public macro Composite() = #externalMacro(module: "SwiftDataMacros", type: "CompositeMacro")

/// Configures how a property is stored: unique, in a file next to the store, under another name, and so on.
///
/// A property with `@Attribute` is never a relationship. (Apple's documentation,
/// `Attribute(_:originalName:hashModifier:)`.)
@attached(peer)
public macro Attribute(
  _ options: Schema.Attribute.Option...,
  originalName: String? = nil,
  hashModifier: String? = nil
) = #externalMacro(module: "SwiftDataMacros", type: "AttributeMacro")

/// Configures a relationship: its delete rule, its inverse, its bounds. A relationship with the defaults needs no
/// attribute.
///
/// Name the inverse on one side only. If both sides name it, the compiler reports a circular reference. (Apple's
/// documentation, `Relationship(_:deleteRule:minimumModelCount:maximumModelCount:originalName:inverse:hashModifier:)`.)
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

/// A synonym with shorter labels in another order, which early articles about SwiftData use. Apple's compiler refuses it: write
/// `minimumModelCount`, `maximumModelCount`, and `inverse` last.
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

/// Declares sets of properties. No two objects may share all values of a set. Write it inside the class. (Apple's
/// documentation, `Unique(_:)`.)
@freestanding(declaration)
public macro Unique<T: PersistentModel>(_ constraints: [PartialKeyPath<T>]...) =
  #externalMacro(module: "SwiftDataMacros", type: "UniqueMacro")

/// Declares an index for each set of properties. Write it inside the class. (Apple's documentation, `Index(_:)`.)
@freestanding(declaration)
public macro Index<T: PersistentModel>(_ indices: [PartialKeyPath<T>]...) =
  #externalMacro(module: "SwiftDataMacros", type: "IndexMacro")

/// Declares an index of a given kind for each set of properties. Write it inside the class. (Apple's documentation,
/// `Index(_:)`.)
@freestanding(declaration)
public macro Index<T: PersistentModel>(_ indices: Schema.Index<T>.Types<T>...) =
  #externalMacro(module: "SwiftDataMacros", type: "IndexMacro")

/// `Observable` under a name that no model can shadow. A class named `Observation` would shadow the module.
public typealias __Observable = Observable

/// `Identifiable` under a name that no model can shadow.
public typealias __Identifiable = Identifiable

/// The storage and accessors of a persisted property. ``Model()`` applies it.
@attached(accessor, names: named(init), named(get), named(set), named(_modify))
@attached(peer, names: prefixed(_), prefixed(__persisted_))
public macro __Persisted(index: Int, offset: Bool = false, isolated: Bool = false, late: String? = nil) =
  #externalMacro(module: "SwiftDataMacros", type: "PersistedPropertyMacro")
