import Foundation
import Hummingbird
import Sorted
import SwiftData

/// The library of answers to frequent questions.
struct AnswersController: Sendable {
  let site: Site

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
      let categoryTitle: String
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
    let answerKey = UUID().uuidString
  }

  func show(_ request: Request, _ context: WebContext) async throws -> Response {
    let visit = try context.signedIn()
    let edited = try Query(request, context)["edit"].map { try Slug.decode($0) }
    let (pages, clock) = (site.pages, PageClock(request))
    let page = try await site.read(visit.viewer) { access in
      Rendered(pages: pages, page: try Self.answersPage(access, clock, edited: edited))
    }
    return page.response("answers", "Answers", try await site.view(request, visit, section: "answers"))
  }

  func add(_ request: Request, _ context: WebContext) async throws -> Response {
    let (form, visit) = try await site.form(request, context)
    let (content, key) = (try AnswerContent(form), try FormKey.any(form))
    try await site.write(visit.viewer) { access in
      let fields = [content.category.rawValue, content.question, content.answer]
      var former: FAQEntity?
      let id = try key.identifier(of: "answer", fields, by: access.viewer.userID) { id in
        former = try access.work.inbox.fetch(FetchDescriptor<FAQEntity>(predicate: #Predicate { $0.id == id })).first
        return former.map { [$0.category.rawValue, $0.questionPattern, $0.answer] != fields } ?? false
      }
      // The same form again, whose answer was lost.
      if former != nil { return }
      let answer = FAQEntity(
        id: id, category: content.category, questionPattern: content.question, answer: content.answer)
      access.work.inbox.insert(answer)
      answer.user = try access.user()
      try AssistInbox(context: access.work.inbox).judgeAgain(for: access.viewer.userID)
    }
    return Pages.redirect("/answers?done=saved")
  }

  func edit(_ request: Request, _ context: WebContext) async throws -> Response {
    let (form, visit) = try await site.form(request, context)
    let content = try AnswerContent(form)
    try await change(context, visit) { answer, access in
      answer.category = content.category
      answer.update(questionPattern: content.question, answer: content.answer)
      try AssistInbox(context: access.work.inbox).judgeAgain(for: access.viewer.userID)
    }
    return Pages.redirect("/answers?done=saved")
  }

  func enable(_ request: Request, _ context: WebContext) async throws -> Response {
    let (form, visit) = try await site.form(request, context)
    let isEnabled = try form.flag("enabled")
    try await change(context, visit) { answer, access in
      answer.isEnabled = isEnabled
      try AssistInbox(context: access.work.inbox).judgeAgain(for: access.viewer.userID)
      answer.updatedAt = Date()
    }
    return Pages.redirect("/answers")
  }

  func delete(_ request: Request, _ context: WebContext) async throws -> Response {
    let (_, visit) = try await site.form(request, context)
    try await change(context, visit) { answer, access in
      access.work.inbox.delete(answer)
      try AssistInbox(context: access.work.inbox).judgeAgain(for: access.viewer.userID)
    }
    return Pages.redirect("/answers")
  }

  /// Puts an answer behind what is typed: the form has that, or else the draft.
  func insert(_ request: Request, _ context: WebContext) async throws -> Response {
    let (form, visit) = try await site.form(request, context)
    let id = try context.id("conversation")
    let typed = form["text"] == nil ? nil : try form.text("text")
    // A script puts the answer into the text itself.
    let isInserted = Pages.isFromScript(request)
    try await change(context, visit) { answer, access in
      _ = try access.conversation(id)
      answer.recordUsage()
      let place = try access.makePlace(in: id)
      let text = typed ?? place.draft
      place.draft = isInserted ? text : text.isEmpty ? answer.answer : text + "\n" + answer.answer
    }
    return Pages.done(request, "/c/\(Slug.encode(id))")
  }

  private func change(
    _ context: WebContext, _ visit: Visit, _ body: @escaping @Sendable (FAQEntity, Access) throws -> Void
  ) async throws {
    let id = try context.id("answer")
    try await site.write(visit.viewer) { try body(try $0.answer(id), $0) }
  }

  private static func answersPage(_ access: Access, _ clock: PageClock, edited: String?) throws -> AnswersPage {
    let answers = try access.answers()
    let editing = try edited.map { try access.answer($0) }
    let sections = FAQCategory.allCases.compactMap { category -> AnswersPage.Section? in
      let rows = answers.filter { $0.category == category }.map { answer in
        AnswersPage.Row(
          answerSlug: Slug.encode(answer.id), question: answer.questionPattern, answerText: answer.answer,
          isEnabled: answer.isEnabled, uses: uses(answer, clock))
      }
      return rows.isEmpty ? nil : AnswersPage.Section(category: Phrase(category.rawValue).text, answers: rows)
    }
    return AnswersPage(
      sections: sections, isEmpty: sections.isEmpty,
      categories: FAQCategory.allCases.map {
        AnswersPage.Choice(
          name: $0.rawValue, categoryTitle: Phrase($0.rawValue).text, isChosen: $0 == (editing?.category ?? .other))
      },
      editing: editing.map {
        AnswersPage.Editing(
          editSlug: Slug.encode($0.id), editQuestion: $0.questionPattern, editAnswer: $0.answer)
      })
  }

  private static func uses(_ answer: FAQEntity, _ clock: PageClock) -> String {
    guard answer.usageCount > 0 else { return String(translated: "Not used yet") }
    let times: Phrase = answer.usageCount == 1 ? "Used once" : "Used \(answer.usageCount) times"
    return answer.lastUsedAt.map { String(translated: "\(times.text), last \(clock.day($0)) at \(clock.time($0))") }
      ?? times.text
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
