/// The objects of one fetch. A relationship or attribute that one of them lacks is loaded for all of them in one
/// statement.
package final class FetchBatch {
  /// In the order of the rows.
  @exclusivity(unchecked)  // nothing else runs while it grows
  var keys: [Int64]
  let root: Int
  /// The number of enumerations that the context had begun before the fetch.
  let enumerations: Int
  /// The number of owners for the next load of a to-many, by property index: 1, 8, 64, … The first access must not load
  /// the arrays of ten thousand owners, and a loop over them must not run ten thousand statements.
  var owners: [Int: Int] = [:]
  /// Counts the batch until it ends, or nil if no metrics need the count.
  private let living: LivingCount?

  init(root: Int, keys: [Int64] = [], enumerations: Int, living: LivingCount?) {
    self.root = root
    self.keys = keys
    self.enumerations = enumerations
    self.living = living
    living?.add(1)
  }

  deinit { living?.add(-1) }
}
