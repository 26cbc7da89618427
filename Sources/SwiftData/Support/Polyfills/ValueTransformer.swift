#if !canImport(ObjectiveC)
  public import Foundation

  // Foundation has no value transformers without Objective-C. These have the same names. Remove this file once
  // Foundation has them.

  /// The name of a registered value transformer.
  public struct NSValueTransformerName: RawRepresentable, Hashable, Sendable {
    /// The name as text.
    public let rawValue: String

    /// Makes a name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Makes a name.
    public init(_ rawValue: String) { self.rawValue = rawValue }

    /// The name of ``NSSecureUnarchiveFromDataTransformer``. (Apple's `NSSecureUnarchiveFromDataTransformerName`.)
    public static let secureUnarchiveFromDataTransformerName = NSValueTransformerName("NSSecureUnarchiveFromData")
  }

  /// Converts values to other values and back. `@Attribute(.transformable(by:))` stores a property with it.
  ///
  /// A subclass overrides ``transformedValue(_:)`` to make the stored `Data`, and ``reverseTransformedValue(_:)`` to
  /// restore the value. (Apple's documentation, `ValueTransformer`.)
  open class ValueTransformer: NSObject, __RegisteredTransformer {
    /// Makes a transformer. Overrides are `required`, because instances are made by type.
    public required override init() { super.init() }

    /// The class of the values that ``transformedValue(_:)`` returns.
    open class func transformedValueClass() -> AnyClass { NSObject.self }

    /// Whether the transformer can convert values back.
    open class func allowsReverseTransformation() -> Bool { true }

    /// Converts a value.
    open func transformedValue(_ value: Any?) -> Any? { value }

    /// Converts a value back. The default is ``transformedValue(_:)``.
    open func reverseTransformedValue(_ value: Any?) -> Any? { transformedValue(value) }

    // MARK: - Registration

    // @unchecked Sendable because it is only accessed under the mutex. As in Foundation, transformers are called from
    // any thread.
    private struct Registry: @unchecked Sendable {
      var transformers: [NSValueTransformerName: ValueTransformer] = [:]
    }

    private static let registry = Lock(Registry())

    /// Registers a transformer under a name. Nil removes it.
    public class func setValueTransformer(_ transformer: ValueTransformer?, forName name: NSValueTransformerName) {
      registry.withLock { $0.transformers[name] = transformer }
    }

    /// The names of the registered transformers.
    public class func valueTransformerNames() -> [NSValueTransformerName] {
      registry.withLock { Array($0.transformers.keys) }
    }

    /// The transformer with a name. Creates Foundation's own if it is not registered. Apple's also finds it by the name of its
    /// class.
    package static func registered(_ name: NSValueTransformerName) -> ValueTransformer? {
      if let known = registry.withLock({ $0 }).transformers[name] { return known }
      let isFoundations =
        name == .secureUnarchiveFromDataTransformerName || name.rawValue == "NSSecureUnarchiveFromDataTransformer"
      return isFoundations ? NSSecureUnarchiveFromDataTransformer() : nil
    }

    /// The name of a type. Registers an instance under it.
    static func registeredName(of type: ValueTransformer.Type) -> String {
      let name = NSValueTransformerName(String(reflecting: type))
      // Made outside the lock, because the program's initializer may register another one.
      if registry.withLock({ $0.transformers[name] == nil }) {
        let new = type.init()
        registry.withLock { if $0.transformers[name] == nil { $0.transformers[name] = new } }
      }
      return name.rawValue
    }
  }

  /// Gives ``ValueTransformer`` an initializer that returns a registered instance.
  ///
  /// The protocol is not restricted to classes, because only then may an initializer assign `self`.
  public protocol __RegisteredTransformer {}

  extension __RegisteredTransformer {
    /// Finds the registered transformer with a name. Returns nil if there is none of this type.
    public init?(forName name: NSValueTransformerName) {
      guard let transformer = ValueTransformer.registered(name) as? Self else { return nil }
      self = transformer
    }
  }

  /// Stores objects that can be archived. It converts data to objects, and objects to data in reverse.
  ///
  /// As in Core Data, a store uses it in reverse: ``reverseTransformedValue(_:)`` makes the stored data. (Apple's
  /// documentation, `NSSecureUnarchiveFromDataTransformer`.)
  open class NSSecureUnarchiveFromDataTransformer: ValueTransformer {
    /// The classes that may be at the top level of an archive.
    open class var allowedTopLevelClasses: [AnyClass] {
      [
        NSArray.self, NSDictionary.self, NSSet.self, NSString.self, NSNumber.self, NSDate.self, NSData.self,
        NSURL.self, NSUUID.self, NSNull.self,
      ]
    }

    /// Restores an object from an archive. Returns nil if its class is not allowed.
    open override func transformedValue(_ value: Any?) -> Any? {
      guard let data = value as? Data else { return nil }
      return try? NSKeyedUnarchiver.unarchivedObject(ofClasses: Self.allowedTopLevelClasses, from: data)
    }

    /// Archives an object. Returns nil if it cannot be archived.
    open override func reverseTransformedValue(_ value: Any?) -> Any? {
      value.flatMap { try? NSKeyedArchiver.archivedData(withRootObject: $0, requiringSecureCoding: true) }
    }
  }
#else
  import Foundation

  extension ValueTransformer {
    /// The transformer with a name.
    package static func registered(_ name: NSValueTransformerName) -> ValueTransformer? {
      ValueTransformer(forName: name)
    }

    /// The name of a type. Registers an instance under it.
    static func registeredName(of type: ValueTransformer.Type) -> String {
      let name = NSValueTransformerName(NSStringFromClass(type))
      if ValueTransformer(forName: name) == nil { setValueTransformer(type.init(), forName: name) }
      return name.rawValue
    }
  }
#endif
