import Observation
import Synchronization

/// Finds out whether Observation tracks what this thread reads, so that a registrar is made only for objects that
/// somebody observes.
///
/// Observation does not say it. But a registrar hashes the key path of an access if, and only if, the access is
/// tracked, and hashing a key path hashes the arguments of its subscripts: ours notices. A needless "yes" would cost a
/// registrar and nothing else. (Our own decision.)
@usableFromInline
final class TrackingProbe {
  // Unchecked because nothing that an access calls comes back here.
  @exclusivity(unchecked)
  private var watch: Watch
  /// The same, read without counting references.
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
    // Nothing that an access calls replaces the watch.
    watched._withUnsafeGuaranteedRef { $0.registrar.access(subject, keyPath: keyPath) }
    guard mark.hashes.load(ordering: .relaxed) != before else { return false }
    // The tracking holds this registrar from now on, and goes with it.
    watch = Watch()
    watched = Unmanaged.passUnretained(watch)
    return true
  }

  /// A constant in a class can be asked where it is: to copy a registrar out of a variable takes longer than to ask it.
  private final class Watch {
    let registrar = ObservationRegistrar()
  }

  private final class Subject: Observable {
    subscript(mark: Mark) -> Void { () }
  }

  /// Counts how often it is hashed.
  private final class Mark: Hashable, Sendable {
    // Atomic because a tracking may hash its key paths again on the thread where it ends.
    let hashes = Atomic(0)

    static func == (left: Mark, right: Mark) -> Bool { left === right }

    func hash(into hasher: inout Hasher) {
      hashes.wrappingAdd(1, ordering: .relaxed)
      hasher.combine(ObjectIdentifier(self))
    }
  }
}
