// Foundation has these initializers from Swift 6.4 on.
#if !canImport(ObjectiveC) && !compiler(>=6.4)
  public import Foundation

  extension Predicate {
    /// Makes the predicate that holds where all of `subpredicates` hold. Without subpredicates it always holds.
    /// (Apple's documentation, `Predicate.init(all:)`.)
    public init(all subpredicates: some BidirectionalCollection<Self>) {
      self.init(joining: subpredicates, byAnd: true)
    }

    /// Makes the predicate that holds where at least one of `subpredicates` holds. Without subpredicates it never holds.
    /// (Apple's documentation, `Predicate.init(any:)`.)
    public init(any subpredicates: some BidirectionalCollection<Self>) {
      self.init(joining: subpredicates, byAnd: false)
    }
  }
#endif
