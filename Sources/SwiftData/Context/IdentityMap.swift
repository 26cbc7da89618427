/// The live objects of one class hierarchy in one context, by key.
///
/// Keys come from a counter, so the objects of a fetch have close keys. A page has the entries of 16 consecutive keys,
/// and the last used page is cached.
///
/// The map keeps no object alive. Its entries are no weak references, because the first weak reference gives an object
/// a side table, which makes every later retain and release slower. Instead an object removes its entry when it ends
/// (``IdentityPage``).
struct IdentityMap {
  private var pages: [Int64: IdentityPage] = [:]
  private var recent: IdentityPage?
  private var sweepCount = 256

  /// The living object with a key.
  subscript(key: Int64) -> (any PersistentModel)? {
    mutating get { page(of: key)?[key] }
  }

  /// Adds an object in the place of any other with its key.
  /// - Returns: the page with its entry, from which the object removes itself when it ends. It is retained for the object.
  mutating func add(_ object: any PersistentModel, _ key: Int64) -> Unmanaged<IdentityPage> {
    let page = page(of: key) ?? makePage(of: key)
    page.set(object, key)
    return .passRetained(page)
  }

  /// Removes an object unless another one has its place.
  mutating func remove(_ object: any PersistentModel, _ key: Int64) {
    page(of: key)?.remove(ObjectIdentifier(object), key)
  }

  /// The objects that are still alive.
  var objects: [any PersistentModel] { pages.values.flatMap(\.objects) }

  private mutating func page(of key: Int64) -> IdentityPage? {
    if let recent, recent.number == key >> 4 { return recent }
    guard let page = pages[key >> 4] else { return nil }
    recent = page
    return page
  }

  private mutating func makePage(of key: Int64) -> IdentityPage {
    if pages.count >= sweepCount { sweep() }
    let page = IdentityPage(key >> 4)
    pages[page.number] = page
    recent = page
    return page
  }

  /// Drops pages without living objects.
  /// - Complexity: amortised O(1) per registration, because the limit doubles with the living objects.
  private mutating func sweep() {
    pages = pages.filter { !$0.value.isEmpty }
    sweepCount = max(256, pages.count * 2)
  }
}
