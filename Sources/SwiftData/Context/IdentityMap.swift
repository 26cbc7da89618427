/// The live objects of one class hierarchy in one context, by key.
///
/// Keys come from a counter, so the objects of a fetch have close keys. A page has the entries of 16 consecutive keys,
/// and the last used page is cached.
///
/// The map keeps no object alive. Its entries are not weak references, because the first weak reference gives an object
/// a side table, which makes every later retain and release slower. Instead an object removes its entry when it ends
/// (``IdentityPage``).
struct IdentityMap {
  /// A hash table of the pages with linear probing. Invariants: the number of slots is 0 or a power of two, and at most half of
  /// them are filled. Page numbers come from a counter, so they do not need a dictionary's hash with a random seed.
  private var slots: [IdentityPage?] = []
  private var pageCount = 0
  private var recent: IdentityPage?
  /// Counts the objects, or nil if no metrics need the count.
  private let living: LivingCount?

  init(living: LivingCount? = nil) { self.living = living }

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
  var objects: [any PersistentModel] { slots.flatMap { $0?.objects ?? [] } }

  private mutating func page(of key: Int64) -> IdentityPage? {
    let number = key >> 4
    if let recent, recent.number == number { return recent }
    guard pageCount > 0, let page = slots[slot(of: number)] else { return nil }
    recent = page
    return page
  }

  private mutating func makePage(of key: Int64) -> IdentityPage {
    if (pageCount + 1) * 2 > slots.count { rebuild() }
    let page = IdentityPage(key >> 4, living: living)
    slots[slot(of: page.number)] = page
    pageCount += 1
    recent = page
    return page
  }

  /// Drops pages without living objects, and grows the table if more than a quarter of it would be filled.
  /// - Complexity: amortised O(1) for each page, because the next rebuild comes after at least a quarter of the slots was filled.
  private mutating func rebuild() {
    let living = slots.compactMap { page in page?.isEmpty == false ? page : nil }
    var count = 16
    while count < living.count * 4 { count *= 2 }
    slots = Array(repeating: nil, count: count)
    pageCount = living.count
    for page in living { slots[slot(of: page.number)] = page }
  }

  /// The slot of the page with a number, or the free slot where it would be.
  private func slot(of number: Int64) -> Int {
    // The highest bits of a product with the golden ratio, in which each bit of the number counts.
    let product = UInt64(bitPattern: number) &* 0x9E37_79B9_7F4A_7C15
    var slot = Int(product >> UInt64(64 - slots.count.trailingZeroBitCount))
    while let page = slots[slot], page.number != number { slot = (slot + 1) & (slots.count - 1) }
    return slot
  }
}
