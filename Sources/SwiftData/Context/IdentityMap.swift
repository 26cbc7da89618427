/// The live objects of one class hierarchy in one context, by key.
///
/// Keys come from a counter, so the objects of a fetch have close keys. A page has the entries of 16 consecutive keys,
/// and the last used page is cached.
struct IdentityMap {
  private struct Entry { weak var object: (any PersistentModel)? }

  private final class Page {
    let number: Int64
    private let entries = UnsafeMutablePointer<Entry>.allocate(capacity: 16)

    init(_ number: Int64) {
      self.number = number
      // One by one, because copying a weak reference is a function call.
      for index in 0..<16 { (entries + index).initialize(to: Entry()) }
    }

    deinit {
      entries.deinitialize(count: 16)
      entries.deallocate()
    }

    subscript(key: Int64) -> (any PersistentModel)? {
      get { entries[Int(key & 15)].object }
      set { entries[Int(key & 15)].object = newValue }
    }

    var objects: [any PersistentModel] { (0..<16).compactMap { entries[$0].object } }
    var isEmpty: Bool { (0..<16).allSatisfy { entries[$0].object == nil } }
  }

  private var pages: [Int64: Page] = [:]
  private var recent: Page?
  private var sweepCount = 256

  subscript(key: Int64) -> (any PersistentModel)? {
    mutating get { page(of: key)?[key] }
    set {
      guard let newValue else {
        page(of: key)?[key] = nil
        return
      }
      let page = page(of: key) ?? makePage(of: key)
      page[key] = newValue
    }
  }

  /// Removes an object. Another object at the key stays.
  mutating func remove(_ object: any PersistentModel, key: Int64) {
    guard let page = page(of: key), page[key] === object else { return }
    page[key] = nil
  }

  /// The objects that are still alive.
  var objects: [any PersistentModel] { pages.values.flatMap(\.objects) }

  private mutating func page(of key: Int64) -> Page? {
    if let recent, recent.number == key >> 4 { return recent }
    guard let page = pages[key >> 4] else { return nil }
    recent = page
    return page
  }

  private mutating func makePage(of key: Int64) -> Page {
    if pages.count >= sweepCount { sweep() }
    let page = Page(key >> 4)
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
