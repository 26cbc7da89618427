import Testing

@Suite("What @ModelActor adds to an actor")
struct ModelActorTests {
  @Test("An actor gets its executor, its container and an initialiser")
  func members() {
    let expansion = Expansion(
      """
      @ModelActor
      actor Importer {
      }
      """
    )
    #expect(
      expansion.text == """

        actor Importer {

          nonisolated let modelExecutor: any SwiftData.ModelExecutor

          nonisolated let modelContainer: SwiftData.ModelContainer

          init(modelContainer: SwiftData.ModelContainer) {
            let modelContext = SwiftData.ModelContext(modelContainer)
            self.modelExecutor = SwiftData.DefaultSerialModelExecutor(modelContext: modelContext)
            self.modelContainer = modelContainer
          }
        }

        extension Importer: SwiftData.ModelActor {
        }
        """
    )
  }

  @Test("The members of a public actor are public")
  func access() {
    let expansion = Expansion("@available(macOS 15, *) @ModelActor public actor Importer {}")
    #expect(expansion.text.contains("public nonisolated let modelExecutor"))
    #expect(expansion.text.contains("public init(modelContainer:"))
    #expect(expansion.text.contains("@available(macOS 15, *)\nextension Importer"))
  }

  @Test("What the actor declares itself is not added")
  func present() {
    let expansion = Expansion(
      """
      @ModelActor actor Importer {
        nonisolated let modelExecutor: any ModelExecutor
        init(modelContainer: ModelContainer) {}
        init(other: Int) {}
      }
      """
    )
    #expect(!expansion.text.contains("SwiftData.ModelExecutor"))
    #expect(!expansion.text.contains("SwiftData.ModelContext"))
    #expect(expansion.text.contains("nonisolated let modelContainer: SwiftData.ModelContainer"))
  }

  @Test("Anything but an actor is refused, with a repair where one word is enough")
  func notAnActor() {
    let expansion = Expansion("@ModelActor class Importer {}")
    #expect(expansion.texts == ["@ModelActor can only be applied to an actor, not to a class"])
    #expect(expansion.repaired == ["replace 'class' with 'actor'": "@ModelActor actor Importer {}"])
    #expect(Expansion("@ModelActor final class A {}").repaired == [:])
    #expect(
      Expansion("@ModelActor enum A {}").texts == ["@ModelActor can only be applied to an actor, not to an enumeration"]
    )
  }
}
