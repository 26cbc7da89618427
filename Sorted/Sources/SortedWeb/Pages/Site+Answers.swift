import Foundation
import Hummingbird
import Sorted

extension Site {
  /// The library of answers to frequent questions.
  struct AnswersPage {
    struct Section {
      let category: String
      let answers: [Row]
    }
    struct Row {
      let answerSlug: String
      let question: String
      let answerText: String
      let isEnabled: Bool
      let uses: String
    }
    struct Choice {
      let name: String
      let isChosen: Bool
    }
    struct Editing {
      let editSlug: String
      let editQuestion: String
      let editAnswer: String
    }

    let sections: [Section]
    let isEmpty: Bool
    let categories: [Choice]
    let editing: Editing?
  }

  func addAnswers(to router: Router<WebContext>) {
    router.get("answers") { request, context in
      let visit = try context.signedIn()
      let edited = try Query(request)["edit"].map { try Slug.decode($0) }
      let page = try await read(visit.viewer) { access in
        Rendered(pages: pages, page: try Self.answersPage(access, edited: edited))
      }
      return page.response("answers", "Answers", try await view(request, visit, section: "answers"))
    }
    router.post("answers") { request, context in
      let (form, visit) = try await form(request, context)
      let content = try AnswerContent(form)
      try await write(visit.viewer) { access in
        let answer = FAQEntity(category: content.category, questionPattern: content.question, answer: content.answer)
        access.work.inbox.insert(answer)
        answer.user = try access.user()
      }
      return Pages.redirect("/answers?done=saved")
    }
    router.post("answers/:answer/edit") { request, context in
      let (form, visit) = try await form(request, context)
      let content = try AnswerContent(form)
      try await change(context, visit) { answer, _ in
        answer.category = content.category
        answer.update(questionPattern: content.question, answer: content.answer)
      }
      return Pages.redirect("/answers?done=saved")
    }
    router.post("answers/:answer/enable") { request, context in
      let (form, visit) = try await form(request, context)
      let isEnabled = try form.flag("enabled")
      try await change(context, visit) { answer, _ in
        answer.isEnabled = isEnabled
        answer.updatedAt = Date()
      }
      return Pages.redirect("/answers")
    }
    router.post("answers/:answer/delete") { request, context in
      let (_, visit) = try await form(request, context)
      try await change(context, visit) { answer, access in access.work.inbox.delete(answer) }
      return Pages.redirect("/answers")
    }
    router.post("c/:conversation/answer/:answer") { request, context in
      let (_, visit) = try await form(request, context)
      let slug = try context.parameters.require("conversation")
      let id = try Slug.decode(slug)
      try await change(context, visit) { answer, access in
        _ = try access.conversation(id)
        answer.recordUsage()
        let place = try access.makePlace(in: id)
        place.draft = place.draft.isEmpty ? answer.answer : place.draft + "\n" + answer.answer
      }
      return Pages.redirect("/c/\(slug)")
    }
  }

  private func change(
    _ context: WebContext, _ visit: Visit, _ body: @escaping @Sendable (FAQEntity, Access) throws -> Void
  ) async throws {
    let id = try Slug.decode(try context.parameters.require("answer"))
    try await write(visit.viewer) { try body(try $0.answer(id), $0) }
  }

  private static func answersPage(_ access: Access, edited: String?) throws -> AnswersPage {
    let answers = try access.answers()
    let editing = try edited.map { try access.answer($0) }
    let clock = PageClock()
    let sections = FAQCategory.allCases.compactMap { category -> AnswersPage.Section? in
      let rows = answers.filter { $0.category == category }.map { answer in
        AnswersPage.Row(
          answerSlug: Slug.encode(answer.id), question: answer.questionPattern, answerText: answer.answer,
          isEnabled: answer.isEnabled, uses: uses(answer, clock))
      }
      return rows.isEmpty ? nil : AnswersPage.Section(category: category.rawValue, answers: rows)
    }
    return AnswersPage(
      sections: sections, isEmpty: sections.isEmpty,
      categories: FAQCategory.allCases.map {
        AnswersPage.Choice(name: $0.rawValue, isChosen: $0 == (editing?.category ?? .other))
      },
      editing: editing.map {
        AnswersPage.Editing(
          editSlug: Slug.encode($0.id), editQuestion: $0.questionPattern, editAnswer: $0.answer)
      })
  }

  private static func uses(_ answer: FAQEntity, _ clock: PageClock) -> String {
    guard answer.usageCount > 0 else { return "Not used yet" }
    let times = answer.usageCount == 1 ? "Used once" : "Used \(answer.usageCount) times"
    return answer.lastUsedAt.map { "\(times), last \(clock.day($0)) at \(clock.time($0))" } ?? times
  }
}

/// What the form of an answer has.
private struct AnswerContent: Sendable {
  let category: FAQCategory
  let question: String
  let answer: String

  /// - Throws: ``PageError``.
  init(_ form: Form) throws {
    question = try form.text("question", maximum: 500).trimmingCharacters(in: .whitespacesAndNewlines)
    answer = try form.text("answer", maximum: 5_000).trimmingCharacters(in: .whitespacesAndNewlines)
    guard let category = FAQCategory(rawValue: try form.text("category", maximum: 50)) else {
      throw PageError.invalid("There is no category of that name.")
    }
    self.category = category
    guard !question.isEmpty, !answer.isEmpty else {
      throw PageError.invalid("An answer needs a question and a text.")
    }
  }
}
