import Observation
import Synchronization

/// Detects whether Observation tracks the reads of this thread, so that only observed objects get a registrar.
///
/// Observation has no API for this. A registrar hashes the key path of an access exactly if the access is tracked, and
/// hashing a key path hashes the arguments of its subscripts, which the probe's argument counts. A false positive only
/// costs a registrar. (Our own decision.)
@usableFromInline
final class TrackingProbe {
  // Unchecked, because an access cannot call back into this type.
  @exclusivity(unchecked)
  private var watch: Watch
  /// The same object, read without reference counting.
  @exclusivity(unchecked)
  private var watched: Unmanaged<Watch>
  private let subject = Subject()
  private let mark: Mark
  private let keyPath: KeyPath<Subject, Void>

  init() {
    let mark = Mark()
    self.mark = mark
    self.keyPath = \Subject[mark]
    self.watch = Watch()
    self.watched = Unmanaged.passUnretained(watch)
  }

  var isTracking: Bool {
    let before = mark.hashes.load(ordering: .relaxed)
    // An access cannot replace the watch.
    watched._withUnsafeGuaranteedRef { $0.registrar.access(subject, keyPath: keyPath) }
    guard mark.hashes.load(ordering: .relaxed) != before else { return false }
    // The tracking now owns this registrar.
    watch = Watch()
    watched = Unmanaged.passUnretained(watch)
    return true
  }

  /// A class with a constant registrar, because copying a registrar out of a variable is slower than an access.
  private final class Watch {
    let registrar = ObservationRegistrar()
  }

  private final class Subject: Observable {
    subscript(mark: Mark) -> Void { () }
  }

  /// Counts how often it is hashed.
  private final class Mark: Hashable, Sendable {
    // Atomic, because a tracking may hash its key paths again on the thread where it ends.
    let hashes = Atomic(0)

    static func == (left: Mark, right: Mark) -> Bool { left === right }

    func hash(into hasher: inout Hasher) {
      hashes.wrappingAdd(1, ordering: .relaxed)
      hasher.combine(ObjectIdentifier(self))
    }
  }
}
