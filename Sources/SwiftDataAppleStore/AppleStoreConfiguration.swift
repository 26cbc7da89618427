public import Foundation
public import SwiftData

/// Where a store is that SwiftData or Core Data made on one of Apple's systems. (Our own.)
///
///     let container = try ModelContainer(for: Item.self, configurations: AppleStoreConfiguration(url: file))
///
/// The file is opened for reading only, unless `allowsSave` says otherwise: neither it nor its `-wal` and `-shm` change.
public struct AppleStoreConfiguration: DataStoreConfiguration, Sendable {
  /// The store that is opened with it.
  public typealias Store = AppleStore

  /// The name of the configuration.
  public var name: String
  /// The models that the store keeps; nil means the container's.
  public var schema: Schema?
  /// The file: a `default.store`, or a `.sqlite` of Core Data.
  public var url: URL
  /// Whether contexts may save to the file. Files written by this library were not tried on a device.
  public var allowsSave: Bool
  /// The time that a save waits for another process.
  public var lockTimeout: Duration

  /// Makes a configuration.
  /// - Parameters:
  ///   - name: tells the configurations of one container apart.
  ///   - schema: the models that the store keeps; nil means the container's.
  ///   - url: the file.
  ///   - allowsSave: whether contexts may save to the file.
  ///   - lockTimeout: the time that a save waits for another process.
  public init(
    _ name: String = "apple", schema: Schema? = nil, url: URL, allowsSave: Bool = false,
    lockTimeout: Duration = .seconds(5)
  ) {
    (self.name, self.schema, self.url, self.allowsSave, self.lockTimeout) = (name, schema, url, allowsSave, lockTimeout)
  }
}
