public import Foundation
public import SwiftData

/// A kind of store to check.
public struct StoreUnderTest: Sendable, CustomStringConvertible {
  /// An optional feature of a store.
  public enum Feature: String, Sendable, CaseIterable {
    /// Saved models are there when the store is opened again.
    case persistence
    /// Unique attributes are unique: a new model whose unique value is taken updates the stored model.
    case uniqueness
    /// The store records saves as transactions that can be fetched.
    case history
  }

  /// The name in reports.
  public let name: String
  /// The features that the store offers.
  public let features: Set<Feature>
  let makeConfiguration: @Sendable (_ schema: Schema, _ directory: URL) throws -> any DataStoreConfiguration

  /// Creates a description of a store.
  /// - Parameters:
  ///   - name: the name in reports.
  ///   - features: the features that the store offers. Guarantees that require another feature are skipped.
  ///   - makeConfiguration: makes the configuration of a store for a schema, with its files in a directory. Two calls
  ///     with the same directory must open the same store.
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
