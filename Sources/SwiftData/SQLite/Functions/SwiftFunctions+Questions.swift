import Foundation

extension SwiftFunctions {
  /// The string methods of predicates, computed by Swift's own methods.
  static let questions =
    [
      question(__HasPrefix.self), question(__HasSuffix.self), question(__LocalizedStandardContains.self),
      question(__LocalizedCaseInsensitiveContains.self), question(__Compare.self),
      question(__CaseInsensitiveCompare.self), question(__LocalizedCompare.self),
      question(__LocalizedCaseInsensitiveCompare.self), question(__LocalizedStandardCompare.self),
    ]
    + TextCase.allCases.map { form in
      SwiftFunction(form.sqlName, 1) { call in call.returns(form.apply(call.text(0))) }
    }

  private static func question<Question: __TextQuestion>(_: Question.Type) -> SwiftFunction
  where Question.Answer == Bool {
    SwiftFunction("swift_" + Question.name.lowercased(), 2) { call in
      call.returns(Question.answer(call.text(0), call.text(1)))
    }
  }

  private static func question<Question: __TextQuestion>(_: Question.Type) -> SwiftFunction
  where Question.Answer == ComparisonResult {
    SwiftFunction("swift_" + Question.name.lowercased(), 2) { call in
      call.returns(Int64(Question.answer(call.text(0), call.text(1)).rawValue))
    }
  }
}
