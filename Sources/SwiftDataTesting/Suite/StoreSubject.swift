public import Foundation
public import SwiftData

/// A kind of store to be checked.
public struct StoreSubject: Sendable, CustomStringConvertible {
  /// What a store may or may not offer.
  public enum Feature: String, Sendable, CaseIterable {
    /// What was saved is there when the store is opened again.
    case persistence
    /// Unique attributes are kept unique: a new model whose unique value is taken is written over the stored one.
    case uniqueness
    /// Saves are kept as transactions that can be fetched.
    case history
  }

  /// What to call it.
  public let name: String
  /// What it offers.
  public let features: Set<Feature>
  let makeConfiguration: @Sendable (_ schema: Schema, _ directory: URL) throws -> any DataStoreConfiguration

  /// Describes a kind of store.
  /// - Parameters:
  ///   - name: what to call it.
  ///   - features: what it offers; guarantees about something else do not count.
  ///   - makeConfiguration: makes the configuration of a store of these models whose files, if it has any, are in this
  ///     directory. Called twice with one directory, it means the same store.
  public init(
    _ name: String, features: Set<Feature>,
    makeConfiguration: @escaping @Sendable (_ schema: Schema, _ directory: URL) throws -> any DataStoreConfiguration
  ) {
    self.name = name
    self.features = features
    self.makeConfiguration = makeConfiguration
  }

  /// The name.
  public var description: String { name }
}
