// The declarations only have to compile.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import Foundation
import SwiftData

// Model actors as real code declares them.

@ModelActor
actor MovieImporter {
  private var imported = 0
  let batch = 2

  func load(_ titles: [String]) throws -> Int {
    for title in titles {
      modelContext.insert(Movie(id: title, title: title))
      imported += 1
    }
    try modelContext.save()
    return imported
  }

  func title(of identifier: PersistentIdentifier) -> String? { self[identifier, as: Movie.self]?.title }
}

@ModelActor public actor PublicImporter {
  public func count() throws -> Int { try modelContext.fetchCount(FetchDescriptor<Movie>()) }
}

@ModelActor
actor OwnInitImporter {
  let label: String

  init(container: ModelContainer, label: String) {
    let context = ModelContext(container)
    context.autosaveEnabled = false
    self.modelExecutor = DefaultSerialModelExecutor(modelContext: context)
    self.modelContainer = container
    self.label = label
  }

  init(modelContainer: ModelContainer) { self.init(container: modelContainer, label: "default") }
}

enum Actors {
  @available(macOS 15, *)
  @ModelActor actor Nested {
    func container() -> ModelContainer { modelContainer }
  }
}
