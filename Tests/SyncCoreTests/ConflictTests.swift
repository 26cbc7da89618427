import SyncCore
import Testing

/// The conflict table, each row as a few lines: `cases.py` of the model.
@Suite("Conflicts")
struct ConflictTests {
  private let ann = SyncGroup.ann

  @Test("Of two writes of one field the later one wins, and writes of different fields are both kept")
  func fields() {
    let group = SyncGroup(ann, ann)
    let project = group.insert(0, "Project", [("title", .text("a"))])
    group.sync()
    group.set(0, project, "title", .text("b"))
    group.set(1, project, "code", .number(7))
    group.set(1, project, "title", .text("c"))
    group.sync()
    #expect((0...1).allSatisfy { group.value($0, project, "title") == .text("c") })
    #expect(group.value(0, project, "code") == .number(7))
  }

  @Test("A deletion wins against a change, whichever came first", arguments: 0...1)
  func deletion(first: Int) {
    let group = SyncGroup(ann, ann)
    let project = group.insert(0, "Project", [("title", .text("a"))])
    group.sync()
    group.delete(0, project)
    group.set(1, project, "title", .text("b"))
    group.sync(first)
    group.sync()
    #expect(group.replicas.allSatisfy { $0.rows.isEmpty })
    #expect(group.lost(1).contains(.deleted) == (first == 0))
  }

  @Test("What a deleted object owns goes with it, whichever came first", arguments: 0...1)
  func cascade(first: Int) {
    let group = SyncGroup(ann, ann)
    let project = group.insert(0, "Project", [("title", .text("a"))])
    group.sync()
    group.delete(0, project)
    _ = group.insert(1, "Task", [("title", .text("t")), ("project", .toOne(project))])
    let label = group.insert(1, "Label", [("text", .text("l"))])
    group.set(1, project, "labels", .toMany([label]))
    group.sync(first)
    group.sync()
    #expect(group.replicas.allSatisfy { $0.rows.isEmpty })
  }

  @Test("A child that the program took out before it deleted the owner stays")
  func keptChild() {
    let group = SyncGroup(ann, ann)
    let project = group.insert(0, "Project")
    let task = group.insert(0, "Task", [("project", .toOne(project))])
    let label = group.insert(0, "Label")
    group.set(0, project, "labels", .toMany([label]))
    group.sync()
    group.assign(0, task, "project", .toOne(nil))
    group.delete(0, project)  // in the same save
    group.sync()
    #expect(group.value(1, task, "project") == .toOne(nil))
    #expect(group.replicas[1].rows.keys.contains(label))
  }

  @Test("A reference to a deleted object is nil")
  func nullify() {
    let group = SyncGroup(ann, ann)
    let person = group.insert(0, "Person", [("email", .text("e"))])
    group.sync()
    group.delete(0, person)
    let badge = group.insert(1, "Badge", [("person", .toOne(person))])
    group.sync()
    #expect(group.value(0, badge, "person") == .toOne(nil))
  }

  @Test("Lists unite additions, keep an order, and an addition wins against a concurrent removal")
  func lists() throws {
    let group = SyncGroup(ann, ann)
    let project = group.insert(0, "Project")
    let labels = (0..<3).map { group.insert(0, "Label", [("text", .number($0))]) }
    group.set(0, project, "labels", .toMany(labels))
    group.sync()
    let (one, two) = (group.insert(0, "Label"), group.insert(1, "Label"))
    group.set(0, project, "labels", .toMany([labels[0], one, labels[1], labels[2]]))
    group.set(1, project, "labels", .toMany([labels[0], two, labels[2], labels[1]]))
    group.sync()
    let found = try #require(group.value(0, project, "labels")?.targets)
    #expect(found == group.value(1, project, "labels")?.targets)
    #expect(Set(found) == Set(labels + [one, two]))
    #expect(try #require(found.firstIndex(of: labels[2])) < #require(found.firstIndex(of: labels[1])))
    let without = found.filter { $0 != one }
    group.set(0, project, "labels", .toMany(without))
    group.set(1, project, "labels", .toMany(without))
    group.set(1, project, "labels", .toMany(found))
    group.sync()
    #expect((0...1).allSatisfy { group.value($0, project, "labels")?.targets.contains(one) ?? false })
  }

  @Test("Objects with one unique value are one row. A rename and a deletion reach all of its records")
  func unique() throws {
    let group = SyncGroup(ann, ann)
    _ = group.insert(0, "Person", [("email", .text("e")), ("name", .text("p"))])
    group.server.now += 1000
    _ = group.insert(1, "Person", [("email", .text("e")), ("name", .text("q"))])
    group.sync()
    let row = try #require(group.rows(0, "Person").keys.first)
    #expect(group.rows(0, "Person") == group.rows(1, "Person") && group.rows(0, "Person").count == 1)
    #expect(group.value(0, row, "name") == .text("q"))
    group.set(0, row, "email", .text("f"))
    group.sync()
    #expect(group.rows(1, "Person").values.map { $0.values["email"] } == [.text("f")])
    group.delete(1, row)
    group.sync()
    #expect(group.replicas.allSatisfy { $0.rows.isEmpty })
  }

  @Test("Of two sources of a one-to-one the later one is shown")
  func oneToOne() {
    let group = SyncGroup(ann, ann)
    let person = group.insert(0, "Person", [("email", .text("e"))])
    group.sync()
    let early = group.insert(0, "Badge", [("person", .toOne(person))])
    group.server.now += 1000
    let late = group.insert(1, "Badge", [("person", .toOne(person))])
    group.sync()
    for index in 0...1 {
      #expect(group.value(index, early, "person") == .toOne(nil))
      #expect(group.value(index, late, "person") == .toOne(person))
    }
    // The first one does not come to the fore when the second one gives the person up.
    group.set(0, late, "person", .toOne(nil))
    group.sync()
    #expect((0...1).allSatisfy { group.value($0, early, "person") == .toOne(nil) })
  }

  @Test("An older program keeps what it does not know, and an update makes the view again")
  func programs() {
    let group = SyncGroup(ann, ann, older: 1)
    let project = group.insert(0, "Project")
    let label = group.insert(0, "Label")
    group.set(0, project, "labels", .toMany([label]))
    let task = group.insert(0, "Task", [("title", .text("t")), ("priority", .number(3)), ("project", .toOne(project))])
    group.sync()
    group.set(1, task, "name", .text("renamed"))
    group.sync()
    #expect(group.value(0, task, "title") == .text("renamed") && group.value(0, task, "priority") == .number(3))
    group.delete(1, project, cascading: [task])  // It does not know that labels go with a project.
    group.sync()
    #expect(group.replicas[0].rows.isEmpty)
    group.replicas[1].models = TestModels.new
    group.replicas[1].show()
    #expect(group.replicas[1].rows.isEmpty && group.replicas[1].base == group.replicas[0].base)
  }

  @Test("A replica that was away while the server forgot keeps its unsent changes")
  func away() {
    let group = SyncGroup(ann, ann)
    let (gone, kept) = (group.insert(0, "Project"), group.insert(0, "Project"))
    group.sync()
    group.delete(0, gone)
    _ = group.insert(1, "Task", [("project", .toOne(gone))])
    group.set(1, kept, "title", .text("unsent"))
    group.sync(0)
    group.server.compact(ann)
    group.sync()
    #expect(group.replicas[0].rows == group.replicas[1].rows && group.replicas[0].base == group.replicas[1].base)
    #expect(group.value(0, kept, "title") == .text("unsent") && group.replicas[0].rows[gone] == nil)
    // It came too late to go with its owner, and stays.
    #expect(group.rows(0, "Task").values.map { $0.values["project"] } == [.toOne(nil)])
  }
}
