public import Foundation
public import SwiftData

// Apple's initialisers whose last parameter says how SwiftUI shows a change. Nothing is animated here.

extension Query {
  /// Finds what a descriptor asks for; an animation is accepted and does nothing.
  public init<Element: PersistentModel>(_ descriptor: FetchDescriptor<Element>, animation: Animation)
  where Result == [Element] {
    self.init(descriptor)
  }

  /// Finds the models that meet a condition, in an order; an animation is accepted and does nothing.
  public init<Element: PersistentModel>(
    filter: Predicate<Element>? = nil, sort descriptors: [SortDescriptor<Element>] = [], animation: Animation
  ) where Result == [Element] {
    self.init(filter: filter, sort: descriptors)
  }

  /// Finds the models that meet a condition, in the order of a property; an animation is accepted and does nothing.
  public init<Element: PersistentModel, Value: Comparable>(
    filter: Predicate<Element>? = nil, sort keyPath: KeyPath<Element, Value>, order: SortOrder = .forward,
    animation: Animation
  ) where Result == [Element] {
    self.init(filter: filter, sort: keyPath, order: order)
  }

  /// Finds the models that meet a condition, in the order of a property, those without a value first; an animation is accepted and
  /// does nothing.
  public init<Element: PersistentModel, Value: Comparable>(
    filter: Predicate<Element>? = nil, sort keyPath: KeyPath<Element, Value?>, order: SortOrder = .forward,
    animation: Animation
  ) where Result == [Element] {
    self.init(filter: filter, sort: keyPath, order: order)
  }

  /// Finds what a descriptor asks for; a transaction is accepted and does nothing.
  public init<Element: PersistentModel>(_ descriptor: FetchDescriptor<Element>, transaction: Transaction)
  where Result == [Element] {
    self.init(descriptor)
  }

  /// Finds the models that meet a condition, in an order; a transaction is accepted and does nothing.
  public init<Element: PersistentModel>(
    filter: Predicate<Element>? = nil, sort descriptors: [SortDescriptor<Element>] = [], transaction: Transaction
  ) where Result == [Element] {
    self.init(filter: filter, sort: descriptors)
  }

  /// Finds the models that meet a condition, in the order of a property; a transaction is accepted and does nothing.
  public init<Element: PersistentModel, Value: Comparable>(
    filter: Predicate<Element>? = nil, sort keyPath: KeyPath<Element, Value>, order: SortOrder = .forward,
    transaction: Transaction
  ) where Result == [Element] {
    self.init(filter: filter, sort: keyPath, order: order)
  }

  /// Finds the models that meet a condition, in the order of a property, those without a value first; a transaction is accepted and
  /// does nothing.
  public init<Element: PersistentModel, Value: Comparable>(
    filter: Predicate<Element>? = nil, sort keyPath: KeyPath<Element, Value?>, order: SortOrder = .forward,
    transaction: Transaction
  ) where Result == [Element] {
    self.init(filter: filter, sort: keyPath, order: order)
  }
}
