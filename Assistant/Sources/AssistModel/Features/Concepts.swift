/// A lexicon: lists of words that the models treat as one concept. So a message with "ambulance" resembles a message with
/// "hospital" even if the training set has only one of the words.
///
/// The lists were written for this project, in English, German, Spanish, French and Hebrew. A word that ends with `*` matches all words
/// with that prefix. The languages share the concepts, so what the models learn of a concept in one language holds in all.
struct Concepts: Sendable {
  /// The lexicon of this program.
  static let shared = Concepts(
    ([furtherEnglish, topics] + otherLanguages).reduce(into: lists) { all, one in
      all.merge(one) { $0 + " " + $1 }
    })

  /// The subjects: finer lists than ``shared``, such as what burns, what leaks, who publishes and what a fan asks about. Each one is one
  /// concept in all languages.
  static let subjects = Concepts(
    [urgency, business, people, makers].reduce(into: [:]) { $0.merge($1) { $0 + " " + $1 } })

  private var exact: [UInt32: [UInt32]] = [:]
  private var prefixes: [UInt32: [UInt32]] = [:]

  /// The concept of question words.
  private(set) var question: UInt32?

  init(_ lists: [String: String]) {
    for (number, name) in lists.keys.sorted().enumerated() {
      if name == "ask" { question = UInt32(number) }
      for word in lists[name]!.split(whereSeparator: \.isWhitespace) {
        var hash = Hash(seed: 0xA0)
        let isPrefix = word.hasSuffix("*")
        for scalar in (isPrefix ? word.dropLast() : word).unicodeScalars { hash.add(scalar.value) }
        if isPrefix {
          prefixes[hash.value, default: []].append(UInt32(number))
        } else {
          exact[hash.value, default: []].append(UInt32(number))
        }
      }
    }
  }

  /// Calls a closure with each concept of a lowercase word.
  ///
  /// French and Hebrew write small words together with the next one ("l'hôpital", "בבית"). The closure receives the concepts of the
  /// rest too.
  func forEach(_ word: ArraySlice<UInt32>, _ body: (UInt32) -> Void) {
    lookUp(word, body)
    guard let first = word.first else { return }
    if word.count > 3, Self.hebrewPrefixes.contains(first) {
      lookUp(word.dropFirst(), body)
    } else if let mark = word.prefix(3).firstIndex(of: 0x27), word.endIndex - mark > 3 {
      lookUp(word[(mark + 1)...], body)
    }
  }

  /// The letters of Hebrew that are prefixes: and, the, in, to, from, that, as.
  private static let hebrewPrefixes = Set("והבלמשכ".unicodeScalars.map(\.value))

  private func lookUp(_ word: ArraySlice<UInt32>, _ body: (UInt32) -> Void) {
    var hash = Hash(seed: 0xA0)
    for scalar in word {
      hash.add(scalar)
      for concept in prefixes[hash.value] ?? [] { body(concept) }
    }
    for concept in exact[hash.value] ?? [] { body(concept) }
  }

  private static let lists: [String: String] = [
    "works": """
    video videos vid vids vlog* episode* channel* stream streams streamed livestream* song songs album albums track tracks
    tutorial* film films movie movies clip clips podcast* show shows series playlist* cover covers shorts reel reels post
    posts blog blogs book books ebook article* chapter* season finale trailer intro outro thumbnail* subtitle* content
    collab concert* gig gigs tour drawing* painting* portrait* print prints comic* novel* poem* recipe* course courses
    lesson lessons merch hoodie* shirt* mug mugs poster* sketch* photo* performance* solo lyrics melody voice editing
    animation* documentar* newsletter*
    """,
    "audience": """
    fan fans subscri* follow followed follower* follows watching watched watch rewatch* binge* listen listens listened
    listening comment comments commented viewer* listener* reader* community discord patreon member membership idol hero
    inspir* admire* autograph signed signing meetup greet shoutout shout-out giveaway community greetings supporter*
    supported
    """,
    "praise": """
    love loved loves lovely adore* amaz* awesome beautiful brillian* fantastic* great wonderful incredible perfect
    excellent best masterpiece gorgeous funny hilarious inspir* talented genius favourite favorite epic stunning cool
    superb magic* unreal obsessed goosebumps cried crying tears gasped wow omg thank thanks thankyou thx cheers grateful
    proud enjoy* happy glad delight* sweet kind helpful solid brilliantly nice good better well congrat* yay
    """,
    "complaint": """
    disappoint* bad worse worst boring bored hate hates hated annoy* angry furious sad sorry unfair terrible horrible awful
    disgust* broken crack* miss missed wrong fail* failed ugh meh upset hurt hurts poor clickbait complain* unsubscrib*
    unfortunately afraid frozen declined rejected stolen stole died dead lost crash* slow late damaged unpaid overdue
    refund tired exhausted sick ill worried lonely depress* low never unhappy frustrat* useless waste wasted missing
    """,
    "company": """
    company client* customer* agency brand brands team ltd gmbh inc startup business* firm studio office shop shops store
    restaurant bakery publisher* producer* gallery galerie museum university school festival theatre theater broadcaster
    municipality city ceo cmo hr department management supplier* wholesale retailer* partner* consortium library platform
    journalist* investor* lawyer* legal accountant adviser* agent manager marketing sales newsletter sponsor*
    """,
    "deal": """
    sponsor* collaborat* partnership* contract* agreement* budget* quote quotes quotation offer offers proposal* fee fees
    rate rates price prices pricing invoice* payment* paid pay pays royalt* licen* commission* campaign* brief
    deliverable* draft drafts terms clause* nda retainer honorarium advance tender enquiry inquiry booking book booked hire
    hiring commissioned order orders ordered bulk discount* exclusiv* ambassador affiliate integration* placement advert*
    launch proposal pitch deadline* shortlist* expenses compensat* salary freelance* project projects workshop* keynote
    speaker consult* wedding shoot shooting interview* stock
    """,
    "paperwork": """
    invoice* receipt* attached attachment vat tax form forms sign signed signature release purchase records record
    insurance certificate account accounts bank accounting portal renewed renewal reminder notice membership minutes
    reference expire* fiscal quarter supplier* balance update updated confirm terms conditions policy
    """,
    "money": """
    euro euros eur dollar* usd gbp chf pound pounds cash money k grand budget cost costs price percent fee free cheap
    expensive commission paid pay salary
    """,
    "hurry": """
    now asap urgent* immediately quick quickly hurry fast right away instantly once minute minutes min mins hour hours
    tonight today soon deadline midnight noon expires expire final last emergency sos wait straight still before closing
    closes until within
    """,
    "emergency": """
    hospital ambulance doctor police fire smoke smok* gas flood* leak* burst accident* emergency alarm* fell injur* fever
    blood operation stolen hacked breach* locked stuck scared danger* help evacuat* allerg* surgery labour labor unconscious
    pain pills medicine poison* rescue storm towing towed broke dying died freez* heating newborn baby
    """,
    "outage": """
    down outage server servers production broken crash* error errors bug offline backup disk database checkout deploy
    rollback login password corrupt* expired domain dead hacked froze frozen fails failing failed
    """,
    "demand": """
    call need needs must please pls answer reply confirm respond pick come send bring stop help tell fix sign fetch
    """,
    "prize": """
    win winner winners won prize* lottery jackpot reward* gift giveaway claim* congratulations selected chosen lucky free
    bonus voucher* draw finalist* award* unclaimed entry
    """,
    "scheme": """
    bitcoin btc crypto* eth forex invest* profit* passive income mentor trader trading signals bot airdrop wallet* nft
    loan* credit debt* mortgage refinance funding inheritance widow million* fund funds percent guaranteed guarantee
    returns earn earning casino spins betting collateral legit recovers
    """,
    "phishing": """
    verify verif* account* suspend* login password passwort ssn pin card blocked locked restore confirm billing update
    unusual deactivat* identity security click link here unblock declined passport virus* copyright strike penalty fine
    customs parcel toll
    """,
    "bulk": """
    seo backlinks ranking rank traffic views likes followers followers subs sub4sub instagram telegram whatsapp dm pills
    viagra cialis keto diet replica* rolex gucci discount cheapest lowest catalogue manufacturer outsourcing development
    singles dating sexy nude nudes brides cam hot diploma plagiarism survey unsubscribe stop limited act dear sir madam
    webmaster revert kindly sugar psychic gummies weight viral promo* deal deals sale shipping
    """,
    "home": """
    dinner lunch breakfast soup cake coffee pizza milk tea bus train tram car bike walk home house flat kitchen garden
    bathroom attic stairs kids school homework exam* class lesson mum mom dad mother father grandma grandpa sister brother
    niece nephew cousin aunt uncle wife husband neighbour* neighbor* landlord cat dog key keys door wifi phone weekend
    holiday* birthday party choir gym pub film match game dentist physio plumber weather rain tent bins washing tomatoes
    dress sofa desk lamp flight plane airport luggage
    """,
    "plan": """
    tomorrow monday tuesday wednesday thursday friday saturday sunday weekend week morning evening afternoon later meet see
    come coming bring free available calendar time o'clock late early june july august september october november december
    january february march april may
    """,
    "talk": """
    ok okay yes no yeah yep nope lol haha hahaha hi hey hello gm bye thanks sure maybe same brb sorry fine deal great
    exactly agreed idk btw oh ah hm hmm wdyt np
    """,
    "tech": """
    swift python java linux ubuntu kernel module terminal apt install installed compile* compiler code commit branch
    pull merge test tests usb driver monitor cable port router printer app browser file folder command sudo version
    """,
    "self": "i i'm im i've i'd i'll me my mine myself",
    "we": "we we're we've we'd we'll us our ours",
    "you": "you you're youre you've you'd you'll your yours u ur",
    "they": "she he they him her them she's he's they're it's",
    "ask": "what which who whose when where why how whats what's who's",
    "can": "can could would will may might shall should",
  ]
}
