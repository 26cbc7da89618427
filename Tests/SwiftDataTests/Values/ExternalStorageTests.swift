import Foundation
import SwiftData
import Testing

private enum External {
  @Model final class Photo {
    @Attribute(.unique) var name: String
    @Attribute(.externalStorage) var image: Data?
    @Attribute(.externalStorage) var thumbnail: Data = Data()
    var rating: Int = 0
    var album: Album?
    init(name: String, image: Data? = nil) { (self.name, self.image) = (name, image) }
  }

  @Model final class Album {
    @Relationship(deleteRule: .cascade, inverse: \Photo.album) var photos: [Photo] = []
    init() {}
  }
}

@Suite struct ExternalStorageTests {
  private let store: TemporaryStore
  private let container: ModelContainer
  private let big = Data(repeating: 7, count: 200_000)

  init() throws {
    store = try TemporaryStore()
    container = try store.container(External.Photo.self)
  }

  /// The files beside the store, without the store's own.
  private func files() throws -> [URL] {
    let all = FileManager.default.enumerator(at: store.folder, includingPropertiesForKeys: [.isRegularFileKey])
    return try (all?.allObjects as? [URL] ?? []).filter {
      try $0.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile == true
        && !$0.lastPathComponent.hasPrefix("test.store")
    }
  }

  /// The bytes of the file, where there is one.
  private func onlyFile() throws -> Data? {
    let files = try files()
    return files.count == 1 ? try Data(contentsOf: files[0]) : nil
  }

  private func saved(_ photos: External.Photo...) throws -> ModelContext {
    let context = ModelContext(container)
    for photo in photos { context.insert(photo) }
    try context.save()
    return context
  }

  @Test("Up to 128 KiB stays in the row, more is a file of the same bytes")
  func threshold() throws {
    let edge = External.Photo(name: "edge", image: Data(repeating: 1, count: 128 * 1024))
    let over = External.Photo(name: "over", image: Data(repeating: 2, count: 128 * 1024 + 1))
    _ = try saved(edge, over, External.Photo(name: "none"), External.Photo(name: "empty", image: Data()))
    #expect(try files().count == 1)
    #expect(try onlyFile() == over.image)
    #expect(try store.shell("SELECT typeof(image) FROM Photo ORDER BY _pk") == "blob\ntext\nnull\nblob")
    let photos = try ModelContext(container).fetch(FetchDescriptor<External.Photo>())
    #expect(photos.map(\.image?.count) == [128 * 1024, 128 * 1024 + 1, nil, 0])
    #expect(photos[1].image == over.image)
  }

  @Test("A replaced value leaves no file behind, nor does one that became small or nil")
  func replacing() throws {
    let photo = External.Photo(name: "a", image: big)
    let context = try saved(photo)
    let first = try files()
    photo.image = Data(repeating: 8, count: 300_000)
    try context.save()
    #expect(try files().count == 1)
    #expect(try files() != first)
    photo.thumbnail = big
    try context.save()
    #expect(try files().count == 2)
    photo.image = Data([1])
    try context.save()
    #expect(try files().count == 1)
    #expect(try ModelContext(container).fetch(FetchDescriptor<External.Photo>()).first?.image == Data([1]))
    photo.image = nil
    photo.thumbnail = Data()
    try context.save()
    #expect(try files().isEmpty)
  }

  @Test("Changing another property leaves the file alone")
  func otherProperty() throws {
    let photo = External.Photo(name: "a", image: big)
    let context = try saved(photo)
    let before = try files()
    photo.rating = 5
    try context.save()
    #expect(try files() == before)
    let reader = ModelContext(container)
    let same = try #require(try reader.fetch(FetchDescriptor<External.Photo>()).first)
    same.rating = 6
    try reader.save()
    #expect(try files() == before)
    #expect(same.image == big)
  }

  @Test("The file goes with the row, also by cascade and by a batch delete")
  func deletion() throws {
    let (one, two, three) = (
      External.Photo(name: "1", image: big), External.Photo(name: "2", image: big),
      External.Photo(name: "3", image: big)
    )
    let album = External.Album()
    let context = try saved(one, two, three)
    context.insert(album)
    album.photos = [two]
    try context.save()
    #expect(try files().count == 3)
    context.delete(one)
    #expect(try files().count == 3)
    try context.save()
    #expect(try files().count == 2)
    context.delete(album)
    try context.save()
    #expect(try files().count == 1)
    let other = ModelContext(container)
    try other.delete(model: External.Photo.self)
    try other.save()
    #expect(try files().isEmpty)
  }

  @Test("A deleted photo that was shown still has its image; one that never was has none and reports nothing")
  func lastValue() throws {
    _ = try saved(External.Photo(name: "a", image: big), External.Photo(name: "b", image: big))
    let context = ModelContext(container)
    let photos = try context.fetch(FetchDescriptor<External.Photo>())
    #expect(photos[0].image == big)
    for photo in photos { context.delete(photo) }
    try context.save()
    #expect(photos[0].image == big)
    #expect(photos[1].image == nil)
    try context.save()
  }

  @Test("Rolling back and failing to save leave no file and lose none")
  func failures() throws {
    let strict = try store.container(External.Photo.self) { $0.uniquenessPolicy = .reject }
    let context = ModelContext(strict)
    let photo = External.Photo(name: "a", image: big)
    context.insert(photo)
    try context.save()
    let before = try files()
    let twin = External.Photo(name: "a", image: Data(repeating: 9, count: 250_000))
    context.insert(twin)
    photo.image = Data(repeating: 3, count: 250_000)
    #expect(throws: SwiftDataError.uniquenessViolation) { try context.save() }
    #expect(try files() == before)
    context.delete(photo)
    context.rollback()
    #expect(photo.image == big)
    #expect(!context.hasChanges)
    #expect(try files() == before)
    #expect(try ModelContext(strict).fetch(FetchDescriptor<External.Photo>()).first?.image == big)
  }

  @Test("An upsert replaces the file of the stored row")
  func upsert() throws {
    let context = try saved(External.Photo(name: "a", image: big))
    let new = Data(repeating: 4, count: 150_000)
    context.insert(External.Photo(name: "a", image: new))
    try context.save()
    #expect(try files().count == 1)
    #expect(try onlyFile() == new)
    #expect(try ModelContext(container).fetch(FetchDescriptor<External.Photo>()).map(\.image) == [new])
  }

  @Test("The bytes are read when they are touched, not before")
  func lazyLoading() throws {
    _ = try saved(External.Photo(name: "a", image: big))
    let context = ModelContext(container)
    let photo = try #require(try context.fetch(FetchDescriptor<External.Photo>()).first)
    let file = try files()[0]
    let hidden = file.deletingLastPathComponent().appendingPathComponent("hidden")
    // A fetch that read the file would have failed, and so would one that follows.
    try FileManager.default.moveItem(at: file, to: hidden)
    #expect(try ModelContext(container).fetch(FetchDescriptor<External.Photo>()).first?.name == "a")
    try FileManager.default.moveItem(at: hidden, to: file)
    #expect(photo.image == big)
  }

  @Test("A file that is gone is an error that names entity and property, at the next save")
  func missingFile() throws {
    _ = try saved(External.Photo(name: "a", image: big))
    try FileManager.default.removeItem(at: files()[0])
    let context = ModelContext(container)
    let photo = try #require(try context.fetch(FetchDescriptor<External.Photo>()).first)
    #expect(photo.image == nil)
    photo.rating = 1
    let error = #expect(throws: SwiftDataError.self) { try context.save() }
    #expect(error?.entity == "Photo")
    #expect(error?.property == "image")
    #expect(error?.description.contains("missing") == true)
    // Told once; what is unsaved is saved then, and the row still names its file.
    try context.save()
    #expect(try store.shell("SELECT rating, typeof(image) FROM Photo") == "1|text")
  }

  @Test("Erasing and emptying the container take the files along")
  func erasing() throws {
    _ = try saved(External.Photo(name: "a", image: big))
    container.deleteAllData()
    #expect(try files().isEmpty)
    _ = try saved(External.Photo(name: "b", image: big))
    #expect(try files().count == 1)
    try container.erase()
    #expect(try FileManager.default.contentsOfDirectory(atPath: store.folder.path).isEmpty)
  }

  @Test("A store in memory keeps large data too, and leaves nothing behind")
  func inMemory() throws {
    // Its own bytes, since other processes have stores in memory too.
    let own = Data(String(repeating: UUID().uuidString, count: 5_000).utf8)
    func leftovers() throws -> Int {
      let files = FileManager.default
      // By path: a list of URLs looks at each entry, and fails if another test has just removed one.
      let folders = try files.contentsOfDirectory(atPath: files.temporaryDirectory.path)
      return folders.filter { $0.hasPrefix("SwiftData-") }.filter { name in
        let folder = files.temporaryDirectory.appendingPathComponent(name)
        let names = (try? files.contentsOfDirectory(atPath: folder.path)) ?? []
        return names.contains { (try? Data(contentsOf: folder.appendingPathComponent($0))) == own }
      }.count
    }
    do {
      let context = try memoryContext(External.Photo.self)
      context.insert(External.Photo(name: "a", image: own))
      try context.save()
      let other = ModelContext(context.container)
      #expect(try other.fetch(FetchDescriptor<External.Photo>()).first?.image == own)
      #expect(try leftovers() == 1)
    }
    #expect(try leftovers() == 0)
  }
}
