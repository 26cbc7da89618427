import Testing

// The compiler indents accessors, swift-syntax's support for tests does not.
@Suite("The storage and accessors of one property")
struct AccessorTests {
  @Test("An attribute of a known type is stored as itself")
  func direct() {
    let expansion = Expansion(
      """
      class Track {
        @__Persisted(index: 1)
        var title: String
      }
      """
    )
    #expect(
      expansion.text == """
        class Track {
          var title: String {
          @storageRestrictions(initializes: _title)
          init(initialValue) {
            _title = initialValue
          }
          get {
            __willGet(1)
            return _title
          }
          set {
            __willSet(1)
            _title = newValue
            __didSet(1)
          }
          }

          @exclusivity(unchecked) private final var _title: String
        }
        """
    )
  }

  @Test("A property of a type that only the type checker knows is stored in a slot")
  func slot() {
    let expansion = Expansion(
      """
      class Track {
        @__Persisted(index: 3)
        var album: Album?
      }
      """
    )
    #expect(
      expansion.text == """
        class Track {
          var album: Album? {
          @storageRestrictions(initializes: _album)
          init(initialValue) {
            _album = SwiftData.__Slot(initialValue)
          }
          get {
            __willGet(3)
            if _album.isFault {
              __fire(3)
            }
            return _album.loaded
          }
          set {
            __willSet(3)
            let __change = SwiftData.__store(&_album, newValue, self, 3)
            __didStore(3, __change)
          }
          }

          @exclusivity(unchecked) private final var _album: SwiftData.__Slot<Album?>
        }
        """
    )
  }

  @Test("A list is changed in place, unless observers want to hear of its values", arguments: ["[Track]", "[Track]?"])
  func list(type: String) {
    func expansion(_ observer: String) -> Expansion {
      Expansion(
        """
        class Album {
          @__Persisted(index: 1)
          var tracks: \(type)\(observer)
        }
        """
      )
    }
    let plain = expansion("")
    #expect(
      plain.member("_modify {") == """
        _modify {
          __willGet(1)
          if _tracks.isFault {
            __fire(1)
          }
          var __lent = SwiftData.__lend(&_tracks, self, 1)
          defer {
            __willSet(1)
            let __change = SwiftData.__takeBack(&_tracks, &__lent, self, 1)
            __didStore(1, __change)
          }
          yield &__lent
        }
        """
    )
    #expect(!expansion(" { didSet { print(1) } }").text.contains("_modify"))
  }

  @Test("Indices of a class that may have a superclass are counted from its offset")
  func offset() {
    let expansion = Expansion(
      """
      class Track {
        @__Persisted(index: 2, offset: true)
        var title: String
      }
      """
    )
    #expect(expansion.hasLine("__willGet(Self.__offset + 2)"))
    #expect(expansion.hasLine("__didSet(Self.__offset + 2)"))
  }

  @Test("Storage of an isolated class is outside the isolation")
  func isolated() {
    let expansion = Expansion(
      """
      class Track {
        @__Persisted(index: 0, isolated: true)
        var title: String
      }
      """
    )
    #expect(expansion.hasLine("@exclusivity(unchecked) nonisolated(unsafe) private final var _title: String"))
  }

  @Test("Observers run inside the setter, guarded against themselves")
  func observers() {
    let expansion = Expansion(
      """
      class Track {
        @__Persisted(index: 0)
        var plays: Int = 0 {
          willSet { print(newValue) }
          didSet { if plays > oldValue { plays = 9 } }
        }
      }
      """
    )
    #expect(
      expansion.member("set {") == """
        set {
          __willSet(0)
          let oldValue = _plays
          __observer(0) {
            print(newValue)
          }
          _plays = newValue
          __didSet(0)
          __observer(0) {
            if self.plays > oldValue { self.plays = 9 }
          }
        }
        """
    )
  }

  @Test("Observers see the other value under the name that they chose, and slots unwrapped")
  func namedObservers() {
    let expansion = Expansion(
      """
      class Track {
        @__Persisted(index: 0)
        var album: Album? {
          willSet(next) { print(next) }
          didSet(previous) { print(previous) }
        }
      }
      """
    )
    #expect(
      expansion.member("set {") == """
        set {
          __willSet(0)
          let previous = _album.loaded
          __observer(0) {
            let next = newValue
            print(next)
          }
          let __change = SwiftData.__store(&_album, newValue, self, 0)
          __didStore(0, __change)
          __observer(0) {
            print(previous)
          }
        }
        """
    )
  }

  @Test("An observer that does not read the old value keeps none")
  func unusedOldValue() {
    let expansion = Expansion(
      """
      class Track {
        @__Persisted(index: 0)
        var plays: Int = 0 { didSet { print("changed") } }
      }
      """
    )
    #expect(!expansion.text.contains("oldValue"))
  }

  @Test(
    "In an observer only references to the property itself get self",
    arguments: [
      ("plays += 1", "self.plays += 1"),
      ("other.plays = 1", "other.plays = 1"),
      ("keep(\\.plays)", "keep(\\.plays)"),
      ("log(plays: 3)", "log(plays: 3)"),
      ("log(plays: plays)", "log(plays: plays)"),
      ("print(\"\\(plays)\")", "print(\"\\(self.plays)\")"),
      ("let plays = 3; use(plays)", "let plays = 3; use(plays)"),
    ]
  )
  func qualifiesItself(body: String, expected: String) {
    let expansion = Expansion("class Track { @__Persisted(index: 0) var plays: Int = 0 { didSet { \(body) } } }")
    #expect(expansion.hasLine(expected), "\(expansion.text)")
  }

  @Test("A property in backticks has storage without them")
  func backticks() {
    let expansion = Expansion("class Track { @__Persisted(index: 0) var `default`: Int }")
    #expect(expansion.text.contains("@exclusivity(unchecked) private final var _default: Int"))
    #expect(expansion.text.contains("__willGet(0)"))
  }

  @Test("A raw identifier's storage is one too")
  func rawIdentifier() {
    let expansion = Expansion("class Track { @__Persisted(index: 0) var `play count`: Int }")
    #expect(expansion.text.contains("private final var `_play count`: Int"))
  }

  @Test("Beside an attribute that may be a property wrapper, storage has a name that no wrapper takes")
  func unknownAttribute() {
    let expansion = Expansion("class Track { @Clamped @__Persisted(index: 0) var plays: Int }")
    #expect(expansion.text.contains("@exclusivity(unchecked) private final var __persisted_plays: Int"))
  }
}
