// The declarations only have to compile.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import Foundation
import SwiftData

// Subclasses of models, and models whose superclass is no model.

@Model class Journey {
  @Attribute(.unique) var code: String
  var destination: String = ""
  var legs: [Leg] = []
  init(code: String) { self.code = code }
  func summary() -> String { "\(code) to \(destination)" }
}

@Model class BusinessJourney: Journey {
  var budget: Double = 0
  #Index<BusinessJourney>([\.destination, \.budget])
  #Unique<BusinessJourney>([\.code, \.budget])
  var client: Client?
  init(code: String, budget: Double) {
    self.budget = budget
    super.init(code: code)
  }
  override func summary() -> String { super.summary() + " for \(budget)" }
}

@Model final class AuditedJourney: BusinessJourney {
  let auditor: String
  var findings: [String] = []
  init(code: String, auditor: String) {
    self.auditor = auditor
    super.init(code: code, budget: 1)
  }
}

@Model final class PersonalJourney: Journey, Named {
  var name: String
  var mood: FormState = FormState.idle {
    didSet { destination += "!" }
  }
  init(name: String) {
    self.name = name
    super.init(code: name)
  }
}

// Nothing of its own.
@Model final class BareJourney: Journey {
  override init(code: String) { super.init(code: code) }
}

@Model final class Leg {
  var number: Int = 0
  // Any kind of journey.
  var journey: Journey?
}

@Model final class Client {
  var name: String = ""
  @Relationship(inverse: \BusinessJourney.client) var journeys: [BusinessJourney] = []
}

class PlainBase {
  var plain = 1
  init() {}
}

@Model final class OnPlainBase: PlainBase {
  var name: String
  init(name: String) {
    self.name = name
    super.init()
  }
}

@Model open class OpenJourney {
  public var name: String = ""
  public init() {}
}

@Model public final class PublicJourney: OpenJourney {
  public var score: Int = 0
  public override init() { super.init() }
}
