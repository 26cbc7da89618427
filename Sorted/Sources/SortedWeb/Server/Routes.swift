import Hummingbird

/// Every address of the server, in one table. What an address does is a method of its area's controller.
struct Routes {
  let site: Site

  /// What is there for everybody, before it is known who asks.
  func addPublic(to router: Router<WebContext>) {
    router.get("assets/:name") { _, context in
      try Assets.response(try context.parameters.require("name"), version: nil)
    }
    // The router wants one name for what stands in one place: here it is the version.
    router.get("assets/:name/:file") { _, context in
      try Assets.response(try context.parameters.require("file"), version: try context.parameters.require("name"))
    }
    router.get("favicon.ico") { _, _ in try Assets.response("icon.svg", version: nil) }
    router.get("app.webmanifest") { _, _ in try Assets.response("app.webmanifest", version: nil) }
    // Its address decides which pages it may serve.
    router.get("service-worker.js") { _, _ in try Assets.response("service-worker.js", version: nil) }
    let health = HealthController(site: site)
    router.get("health") { _, _ in await health.answer() }
  }

  /// What depends on who asks.
  func add(to router: Router<WebContext>) {
    addReading(to: router)
    addConversations(to: router)
    addMessages(to: router)
    addPeople(to: router)
    addSettings(to: router)
  }

  private func addReading(to router: Router<WebContext>) {
    let (inbox, thread) = (InboxController(site: site), ThreadController(site: site))
    let (search, files) = (SearchController(site: site), FilesController(site: site))
    let (bin, events) = (BinController(site: site), EventsController(site: site))
    router.get("/", use: inbox.list)
    router.get("c/:conversation", use: thread.show)
    router.get("search", use: search.show)
    router.get("find", use: search.find)
    router.get("files/:file", use: files.file)
    router.get("files/:file/thumbnail", use: files.thumbnail)
    router.get("bin", use: bin.show)
    router.get("events", use: events.stream)
    router.post("c/:conversation/typing", use: events.typing)
  }

  private func addConversations(to router: Router<WebContext>) {
    let conversation = ConversationController(site: site)
    router.post("new", use: conversation.begin)
    router.post("c/:conversation/set", use: conversation.set)
    router.post("c/:conversation/delete", use: conversation.delete)
    router.post("c/:conversation/restore", use: conversation.restore)
    router.post("c/:conversation/read", use: conversation.read)
    router.post("c/:conversation/draft", use: conversation.saveDraft)
    router.post("c/:conversation/leave", use: conversation.leave)
    router.post("c/:conversation/people", use: conversation.addPeople)
  }

  private func addMessages(to router: Router<WebContext>) {
    let (message, answers) = (MessageController(site: site), AnswersController(site: site))
    router.post("c/:conversation/send", use: message.send)
    router.post("c/:conversation/m/:message/edit", use: message.edit)
    router.post("c/:conversation/m/:message/delete", use: message.deleteForMe)
    router.post("c/:conversation/m/:message/delete-for-all", use: message.deleteForEverybody)
    router.post("c/:conversation/m/:message/restore", use: message.restore)
    router.post("c/:conversation/m/:message/retry", use: message.retry)
    router.post("c/:conversation/m/:message/react", use: message.react)
    router.post("c/:conversation/m/:message/pin", use: message.pin)
    router.post("c/:conversation/m/:message/forward", use: message.forward)
    router.get("c/:conversation/m/:message/preview", use: PreviewController(site: site).show)
    let assist = AssistController(site: site)
    router.get("c/:conversation/m/:message/why", use: assist.why)
    router.post("c/:conversation/m/:message/sort", use: assist.correct)
    router.get("answers", use: answers.show)
    router.post("answers", use: answers.add)
    router.post("answers/:answer/edit", use: answers.edit)
    router.post("answers/:answer/enable", use: answers.enable)
    router.post("answers/:answer/delete", use: answers.delete)
    router.post("c/:conversation/answer/:answer", use: answers.insert)
  }

  private func addPeople(to router: Router<WebContext>) {
    let (account, invitation) = (AccountController(site: site), InvitationController(site: site))
    router.get("sign-in", use: account.showSignIn)
    router.post("sign-in", use: account.signIn)
    router.get("sign-up", use: account.showSignUp)
    router.post("sign-up", use: account.signUp)
    router.post("sign-out", use: account.signOut)
    router.get("session", use: account.session)
    router.get("invite/:token", use: invitation.show)
    router.post("invite/:token", use: invitation.accept)
    let person = PersonController(site: site)
    router.get("people/:person", use: person.show)
    router.post("people/:person/block", use: person.block)
    let picture = PictureController(site: site)
    router.get("pictures/:picture", use: picture.show)
    router.get("people/:person/picture", use: picture.showOfPerson)
    router.get("c/:conversation/picture", use: picture.showOfConversation)
  }

  private func addSettings(to router: Router<WebContext>) {
    let (settings, storage) = (SettingsController(site: site), StorageController(site: site))
    let account = AccountController(site: site)
    router.get("settings", use: settings.show)
    router.post("settings/profile", use: settings.saveProfile)
    router.post("settings/picture", use: PictureController(site: site).save)
    router.post("settings/switches", use: settings.saveSwitches)
    router.post("settings/look", use: settings.saveLook)
    router.post("settings/password", use: account.changePassword)
    router.post("settings/sessions/:session/end", use: account.endSession)
    router.post("settings/door", use: account.makeDoor)
    router.post("settings/retention", use: storage.setRetention)
    router.post("settings/clean", use: storage.clean)
    router.post("settings/compact", use: storage.compact)
    router.post("sync", use: settings.sync)
  }
}
