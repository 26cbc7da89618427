extension Array {
  /// Whether the list is empty, without asking the runtime for the type of the list. That takes as long as three columns
  /// of a row, and generic code asks each time.
  @inline(__always)
  var isEmptyList: Bool {
    // An array is one reference to a buffer, which has its count at one place whatever the elements are. The cast value is only counted.
    unsafeBitCast(self, to: [AnyKeyPath].self).isEmpty
  }
}
