public import Foundation
public import SwiftData

// Apple's initializers with an animation or transaction as last parameter. Nothing is animated here.

extension Query {
  /// Fetches with a descriptor. The animation has no effect.
  public init<Element: PersistentModel>(_ descriptor: FetchDescriptor<Element>, animation: Animation)
  where Result == [Element] {
    self.init(descriptor)
  }

  /// Fetches the matching models, sorted. The animation has no effect.
  public init<Element: PersistentModel>(
    filter: Predicate<Element>? = nil, sort descriptors: [SortDescriptor<Element>] = [], animation: Animation
  ) where Result == [Element] {
    self.init(filter: filter, sort: descriptors)
  }

  /// Fetches the matching models, sorted by a property. The animation has no effect.
  public init<Element: PersistentModel, Value: Comparable>(
    filter: Predicate<Element>? = nil, sort keyPath: KeyPath<Element, Value>, order: SortOrder = .forward,
    animation: Animation
  ) where Result == [Element] {
    self.init(filter: filter, sort: keyPath, order: order)
  }

  /// Fetches the matching models, sorted by an optional property, nil first. The animation has no effect.
  public init<Element: PersistentModel, Value: Comparable>(
    filter: Predicate<Element>? = nil, sort keyPath: KeyPath<Element, Value?>, order: SortOrder = .forward,
    animation: Animation
  ) where Result == [Element] {
    self.init(filter: filter, sort: keyPath, order: order)
  }

  /// Fetches with a descriptor. The transaction has no effect.
  public init<Element: PersistentModel>(_ descriptor: FetchDescriptor<Element>, transaction: Transaction)
  where Result == [Element] {
    self.init(descriptor)
  }

  /// Fetches the matching models, sorted. The transaction has no effect.
  public init<Element: PersistentModel>(
    filter: Predicate<Element>? = nil, sort descriptors: [SortDescriptor<Element>] = [], transaction: Transaction
  ) where Result == [Element] {
    self.init(filter: filter, sort: descriptors)
  }

  /// Fetches the matching models, sorted by a property. The transaction has no effect.
  public init<Element: PersistentModel, Value: Comparable>(
    filter: Predicate<Element>? = nil, sort keyPath: KeyPath<Element, Value>, order: SortOrder = .forward,
    transaction: Transaction
  ) where Result == [Element] {
    self.init(filter: filter, sort: keyPath, order: order)
  }

  /// Fetches the matching models, sorted by an optional property, nil first. The transaction has no effect.
  public init<Element: PersistentModel, Value: Comparable>(
    filter: Predicate<Element>? = nil, sort keyPath: KeyPath<Element, Value?>, order: SortOrder = .forward,
    transaction: Transaction
  ) where Result == [Element] {
    self.init(filter: filter, sort: keyPath, order: order)
  }
}
