#if !canImport(ObjectiveC)
  public import Foundation
  import Synchronization

  // Foundation has no value transformers where there is no Objective-C; these have its names.
  // Drop this file as soon as it does.

  /// The name under which a value transformer is registered.
  public struct NSValueTransformerName: RawRepresentable, Hashable, Sendable {
    /// The name as text.
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }

    /// Makes a name.
    public init(_ rawValue: String) { self.rawValue = rawValue }

    /// The name of ``NSSecureUnarchiveFromDataTransformer``.
    public static let secureUnarchiveFromDataTransformerName = NSValueTransformerName(
      "NSSecureUnarchiveFromDataTransformer"
    )
  }

  /// Turns values into others, and back: what `@Attribute(.transformable(by:))` stores a property with.
  ///
  /// A subclass overrides ``transformedValue(_:)`` to make the `Data` that is stored, and
  /// ``reverseTransformedValue(_:)`` to make the value of it again. (Apple's documentation, `ValueTransformer`.)
  open class ValueTransformer: NSObject, __RegisteredTransformer {
    /// Makes a transformer. A subclass that overrides it says `required`, as it is made by type.
    public required override init() { super.init() }

    /// The class of the values that ``transformedValue(_:)`` makes.
    open class func transformedValueClass() -> AnyClass { NSObject.self }

    /// Whether the transformer can turn values back.
    open class func allowsReverseTransformation() -> Bool { true }

    /// Turns a value into another.
    open func transformedValue(_ value: Any?) -> Any? { value }

    /// Turns a value back. Without an override it does the same as ``transformedValue(_:)``.
    open func reverseTransformedValue(_ value: Any?) -> Any? { transformedValue(value) }

    // MARK: - Registration

    // @unchecked Sendable because it is only touched under the mutex. The transformers themselves are called from any
    // thread, as Foundation does.
    private struct Registry: @unchecked Sendable {
      var transformers: [NSValueTransformerName: ValueTransformer] = [:]
    }

    private static let registry = Mutex(Registry())

    /// Registers a transformer under a name; nil removes it.
    public class func setValueTransformer(_ transformer: ValueTransformer?, forName name: NSValueTransformerName) {
      registry.withLock { $0.transformers[name] = transformer }
    }

    /// The names under which transformers are registered.
    public class func valueTransformerNames() -> [NSValueTransformerName] {
      registry.withLock { Array($0.transformers.keys) }
    }

    /// The transformer of a name. One that nobody registered is made, where the name is that of Foundation's.
    package static func registered(_ name: NSValueTransformerName) -> ValueTransformer? {
      let known = registry.withLock { $0 }.transformers[name]
      if known == nil, name == .secureUnarchiveFromDataTransformerName { return NSSecureUnarchiveFromDataTransformer() }
      return known
    }

    /// The name of a type, under which an instance is registered from now on.
    static func registeredName(of type: ValueTransformer.Type) -> String {
      let name = NSValueTransformerName(String(reflecting: type))
      registry.withLock { if $0.transformers[name] == nil { $0.transformers[name] = type.init() } }
      return name.rawValue
    }
  }

  /// Lets ``ValueTransformer`` offer an initialiser that finds a registered instance instead of making one.
  ///
  /// It is not restricted to classes, as only then may an initialiser assign `self`.
  public protocol __RegisteredTransformer {}

  extension __RegisteredTransformer {
    /// Finds the transformer that is registered under a name; nil where there is none of the type.
    public init?(forName name: NSValueTransformerName) {
      guard let transformer = ValueTransformer.registered(name) as? Self else { return nil }
      self = transformer
    }
  }

  /// Stores objects that can be archived: it makes objects of data, and data of objects in reverse.
  ///
  /// A store uses it backwards, as Core Data does: its ``reverseTransformedValue(_:)`` makes what is stored.
  /// (Apple's documentation, `NSSecureUnarchiveFromDataTransformer`.)
  open class NSSecureUnarchiveFromDataTransformer: ValueTransformer {
    /// The classes that may be at the top of an archive.
    open class var allowedTopLevelClasses: [AnyClass] {
      [
        NSArray.self, NSDictionary.self, NSSet.self, NSString.self, NSNumber.self, NSDate.self, NSData.self,
        NSURL.self, NSUUID.self, NSNull.self,
      ]
    }

    /// Makes an object of an archive; nil where it is none of the allowed classes.
    open override func transformedValue(_ value: Any?) -> Any? {
      guard let data = value as? Data else { return nil }
      return try? NSKeyedUnarchiver.unarchivedObject(ofClasses: Self.allowedTopLevelClasses, from: data)
    }

    /// Makes an archive of an object; nil where the object cannot be archived.
    open override func reverseTransformedValue(_ value: Any?) -> Any? {
      value.flatMap { try? NSKeyedArchiver.archivedData(withRootObject: $0, requiringSecureCoding: true) }
    }
  }
#else
  import Foundation

  extension ValueTransformer {
    /// The transformer of a name.
    package static func registered(_ name: NSValueTransformerName) -> ValueTransformer? {
      ValueTransformer(forName: name)
    }

    /// The name of a type, under which an instance is registered from now on.
    static func registeredName(of type: ValueTransformer.Type) -> String {
      let name = NSValueTransformerName(NSStringFromClass(type))
      if ValueTransformer(forName: name) == nil { setValueTransformer(type.init(), forName: name) }
      return name.rawValue
    }
  }
#endif
