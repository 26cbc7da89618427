/// Who has a conversation open now. It is live only: the server stores nothing of it.
extension LiveHub {
  /// How soon the others hear of it. A browser that changes its stream leaves and comes within this time.
  private static let presencePace = Duration.milliseconds(300)

  /// Tells the readers of some conversations who else reads them, soon and once for all changes until then.
  func presenceChanges(in topics: [Topic]) {
    let ids = topics.compactMap { topic -> String? in if case .thread(_, let id) = topic { id } else { nil } }
    guard !ids.isEmpty else { return }
    let isScheduled = !presence.changed.isEmpty
    presence.changed.formUnion(ids)
    guard !isScheduled else { return }
    Task {
      try? await Task.sleep(for: Self.presencePace)
      tellPresence()
    }
  }

  private func tellPresence() {
    let changed = presence.changed
    presence.changed = []
    for topic in followedTopics {
      guard case .thread(let viewer, let id) = topic, changed.contains(id) else { continue }
      let others = reachable(readers(of: id).subtracting([viewer.userID]), by: viewer, in: id)
      // A reader gets an empty list only after a list with names: a reader who was alone all the time needs no event.
      guard !others.isEmpty || presence.told.contains(topic) else { continue }
      if others.isEmpty { presence.told.remove(topic) } else { presence.told.insert(topic) }
      let people = others.map(Slug.encode).sorted().joined(separator: " ")
      guard let data = try? EventsController.json(["thread": Slug.encode(id), "people": people]) else { continue }
      announce([ServerEvent("presence", data)], to: topic)
    }
  }

  /// Those of some readers of a conversation who may know that the viewer reads it, and the viewer that they do.
  private func reachable(_ people: Set<String>, by viewer: Viewer, in id: String) -> Set<String> {
    guard !people.isEmpty else { return [] }
    let access = Access(work: desk.now(), viewer: viewer)
    // What cannot be read now is not told.
    guard let conversation = try? access.conversation(id), (try? access.isBlocked(in: conversation)) == false else {
      return []
    }
    return people
  }

  /// A person blocked another one, or took it back.
  func blocksChanged() {
    presenceChanges(in: Array(followedTopics))
  }

  /// What the hub has to tell about presence.
  struct Presence {
    /// The conversations whose readers changed.
    var changed: Set<String> = []
    /// The topics whose viewers were told of other readers.
    var told: Set<Topic> = []
  }
}
