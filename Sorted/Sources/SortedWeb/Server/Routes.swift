import Hummingbird

/// Every address of the server, in one table. What an address does is a method of its area's controller.
struct Routes {
  let site: Site

  /// All addresses.
  var all: [Route] { unguarded + guarded }

  /// What is there for everybody, before it is known who asks.
  var unguarded: [Route] {
    let health = HealthController(site: site)
    func asset(_ path: String, _ name: String) -> Route {
      .get(path, for: .everybody) { _, _ in try Assets.response(name, version: nil) }
    }
    return [
      .get("assets/:name", for: .everybody) { _, context in
        try Assets.response(try context.parameters.require("name"), version: nil)
      },
      // The router wants one name for what stands in one place: here it is the version.
      .get("assets/:name/:file", for: .everybody) { _, context in
        try Assets.response(try context.parameters.require("file"), version: try context.parameters.require("name"))
      },
      asset("favicon.ico", "icon.svg"), asset("app.webmanifest", "app.webmanifest"),
      // Its address decides which pages it may serve.
      asset("service-worker.js", "service-worker.js"),
      .get("health", for: .everybody) { _, _ in await health.answer() },
    ]
  }

  /// What depends on who asks.
  var guarded: [Route] { reading + conversations + messages + answers + people + settings }

  private var reading: [Route] {
    let (inbox, thread) = (InboxController(site: site), ThreadController(site: site))
    let (search, files) = (SearchController(site: site), FilesController(site: site))
    let (bin, events) = (BinController(site: site), EventsController(site: site))
    return [
      // The owner's first visit has a token instead of a session.
      .get("/", for: .visitors, query: ListFilter.fields + ["after", "part", "token"], inbox.list),
      .get(
        "c/:conversation", for: .people,
        query: ListFilter.fields + ThreadPosition.fields + ["edit", "part", "reply"], thread.show),
      .get("search", for: .people, query: ListFilter.fields + ["after", "by", "q"], search.show),
      .get("find", for: .people, query: ["q"], search.find),
      .get("names", for: .people, query: ["q"], search.names),
      .get("files/:file", for: .people, files.file),
      .get("files/:file/thumbnail", for: .people, files.thumbnail),
      .get("bin", for: .people, bin.show),
      .get("events", for: .people, query: ["threads"], events.stream),
      .post("c/:conversation/typing", for: .people, events.typing),
    ]
  }

  private var conversations: [Route] {
    let conversation = ConversationController(site: site)
    return [
      .post("new", for: .people, form: ["invite", "key", "name", "people"], conversation.begin),
      .post(
        "c/:conversation/set", for: .people, form: ["accept", "archive", "mute", "pin", "return"], conversation.set),
      .post("c/:conversation/delete", for: .people, form: ["return"], conversation.delete),
      .post("c/:conversation/restore", for: .people, form: ["return"], conversation.restore),
      .post("c/:conversation/read", for: .people, form: ["return", "upTo"], conversation.read),
      .post("c/:conversation/draft", for: .people, form: ["key", "text"], conversation.saveDraft),
      .post("c/:conversation/leave", for: .people, conversation.leave),
      .post("c/:conversation/people", for: .people, form: ["invite", "key", "people"], conversation.addPeople),
      .post("c/:conversation/people/:person/remove", for: .people, conversation.removePerson),
      .post("c/:conversation/people/:person/admin", for: .people, form: ["admin"], conversation.appoint),
      .post("c/:conversation/name", for: .people, form: ["name"], conversation.rename),
    ]
  }

  private var messages: [Route] {
    let (message, assist) = (MessageController(site: site), AssistController(site: site))
    let one = "c/:conversation/m/:message"
    return [
      .post("c/:conversation/send", for: .people, form: ["key", "reply", "save", "text"], message.send),
      .post("\(one)/edit", for: .people, form: ["text"], message.edit),
      .post("\(one)/delete", for: .people, form: ["return"], message.deleteForMe),
      .post("\(one)/delete-for-all", for: .people, form: ["return"], message.deleteForEverybody),
      .post("\(one)/restore", for: .people, form: ["return"], message.restore),
      .post("\(one)/retry", for: .people, form: ["return"], message.retry),
      .post("\(one)/react", for: .people, form: ["emoji"], message.react),
      .post("\(one)/pin", for: .people, form: ["pinned"], message.pin),
      .post("\(one)/forward", for: .people, form: ["key", "to"], message.forward),
      .get("\(one)/preview", for: .people, PreviewController(site: site).show),
      .get("\(one)/why", for: .people, assist.why),
      .post("\(one)/sort", for: .people, form: ["kind", "return"], assist.correct),
    ]
  }

  private var answers: [Route] {
    let answers = AnswersController(site: site)
    let content = ["answer", "category", "question"]
    return [
      .get("answers", for: .people, query: ["edit"], answers.show),
      .post("answers", for: .people, form: content + ["key"], answers.add),
      .post("answers/:answer/edit", for: .people, form: content, answers.edit),
      .post("answers/:answer/enable", for: .people, form: ["enabled"], answers.enable),
      .post("answers/:answer/delete", for: .people, answers.delete),
      .post("c/:conversation/answer/:answer", for: .people, form: ["text"], answers.insert),
    ]
  }

  private var people: [Route] {
    let (account, invitation) = (AccountController(site: site), InvitationController(site: site))
    let (person, picture) = (PersonController(site: site), PictureController(site: site))
    let page = ["invite", "name", "return"]
    let entry = ["invite", "name", "password", "return"]
    return [
      .get("sign-in", for: .visitors, query: page, account.showSignIn),
      .post("sign-in", for: .visitors, form: entry, account.signIn),
      .get("sign-up", for: .visitors, query: page, account.showSignUp),
      .post("sign-up", for: .visitors, form: entry, account.signUp),
      .post("sign-out", for: .people, account.signOut),
      .get("session", for: .people, account.session),
      .get("invite/:token", for: .visitors, invitation.show),
      .post("invite/:token", for: .people, invitation.accept),
      .get("people/:person", for: .people, person.show),
      .post("people/:person/block", for: .people, form: ["blocked"], person.block),
      .get("pictures/:picture", for: .people, picture.show),
      .get("people/:person/picture", for: .people, picture.showOfPerson),
      .get("c/:conversation/picture", for: .people, picture.showOfConversation),
    ]
  }

  private var settings: [Route] {
    let (settings, storage) = (SettingsController(site: site), StorageController(site: site))
    let (account, administration) = (AccountController(site: site), AdministrationController(site: site))
    return [
      .get("settings", for: .people, settings.show),
      .post("settings/profile", for: .people, form: ["email", "name"], settings.saveProfile),
      .post("settings/picture", for: .people, form: ["remove"], PictureController(site: site).save),
      .post("settings/switches", for: .people, form: SettingsController.switches, settings.saveSwitches),
      .post("settings/look", for: .people, form: ["language", "theme"], settings.saveLook),
      .post("settings/password", for: .people, form: ["new", "old"], account.changePassword),
      .post("settings/sessions/:session/end", for: .people, account.endSession),
      .get("administration", for: .owner, query: ["days"], administration.show),
      .post("administration/people/:person/end", for: .owner, administration.endSessions),
      .post("settings/door", for: .owner, account.makeDoor),
      .post("settings/retention", for: .owner, form: ["keep"], storage.setRetention),
      .post("settings/clean", for: .owner, form: ["days"], storage.clean),
      .post("settings/compact", for: .owner, storage.compact),
      .post("sync", for: .people, form: ["return"], settings.sync),
    ]
  }
}
