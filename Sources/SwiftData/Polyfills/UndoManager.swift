#if !canImport(ObjectiveC)
  public import Foundation

  // Foundation has no undo manager where there is no Objective-C; this one has its names.
  // Drop this file as soon as it does.

  extension Notification.Name {
    /// An undo manager is about to undo a group.
    public static let NSUndoManagerWillUndoChange = Notification.Name("NSUndoManagerWillUndoChangeNotification")
    /// An undo manager undid a group.
    public static let NSUndoManagerDidUndoChange = Notification.Name("NSUndoManagerDidUndoChangeNotification")
    /// An undo manager is about to redo a group.
    public static let NSUndoManagerWillRedoChange = Notification.Name("NSUndoManagerWillRedoChangeNotification")
    /// An undo manager did a group again.
    public static let NSUndoManagerDidRedoChange = Notification.Name("NSUndoManagerDidRedoChangeNotification")
    /// An undo manager opened a group.
    public static let NSUndoManagerDidOpenUndoGroup = Notification.Name("NSUndoManagerDidOpenUndoGroupNotification")
    /// An undo manager closed a group.
    public static let NSUndoManagerDidCloseUndoGroup = Notification.Name("NSUndoManagerDidCloseUndoGroupNotification")
  }

  /// Remembers how to undo what was done, and how to redo what was undone.
  ///
  /// Actions are undone in groups. With ``groupsByEvent``, the first action opens a group by itself; Foundation closes
  /// it at the end of the run loop's pass, which programs without a user interface do not have. Here it closes when
  /// something is undone, and when the context saves or processes its pending changes.
  /// (Apple's documentation, `UndoManager`.)
  open class UndoManager: NSObject {
    private struct Action {
      weak var target: AnyObject?
      let perform: (AnyObject) -> Void
    }

    private struct Group {
      var actions: [Action] = []
      var name = ""
    }

    private enum Phase { case recording, undoing, redoing }

    // MARK: - Mutable State
    // A manager belongs to one thread or actor at a time, like the context that it serves.

    /// The groups that are open, the outermost first.
    private var open: [Group] = []
    /// Whether the outermost open group was opened by an action rather than by ``beginUndoGrouping()``.
    private var isOpenImplicitly = false
    private var undoStack: [Group] = []
    private var redoStack: [Group] = []
    private var phase = Phase.recording
    private var disabled = 0

    /// Makes a manager with nothing to undo.
    public override init() { super.init() }

    // MARK: - Registering

    /// Registers how to undo what is being done. While something is undone, it registers how to redo it.
    ///
    /// The manager does not keep the target; when it is gone, the action does nothing.
    open func registerUndo<TargetType: AnyObject>(
      withTarget target: TargetType,
      handler: @escaping (TargetType) -> Void
    ) {
      guard isUndoRegistrationEnabled else { return }
      if phase == .recording { redoStack.removeAll() }
      if open.isEmpty {
        beginUndoGrouping()
        isOpenImplicitly = true
      }
      open[open.count - 1].actions.append(
        Action(target: target) { if let target = $0 as? TargetType { handler(target) } }
      )
      if isOpenImplicitly, !groupsByEvent, open.count == 1 { endUndoGrouping() }
    }

    /// Stops registration until ``enableUndoRegistration()`` is called as often.
    open func disableUndoRegistration() { disabled += 1 }

    /// Ends the effect of one ``disableUndoRegistration()``.
    open func enableUndoRegistration() { disabled = max(0, disabled - 1) }

    /// Whether actions are registered.
    open var isUndoRegistrationEnabled: Bool { disabled == 0 }

    // MARK: - Groups

    /// Whether the first action opens a group by itself; without it, an action outside any group is one of its own.
    open var groupsByEvent = true

    /// How many groups are open.
    open var groupingLevel: Int { open.count }

    /// Opens a group, within the one that is open.
    open func beginUndoGrouping() {
      open.append(Group())
      post(.NSUndoManagerDidOpenUndoGroup)
    }

    /// Closes the group that was opened last. Without an open group it does nothing.
    open func endUndoGrouping() {
      guard let group = open.popLast() else { return }
      if !open.isEmpty {
        open[open.count - 1].actions += group.actions
        if !group.name.isEmpty { open[open.count - 1].name = group.name }
      } else {
        isOpenImplicitly = false
        if !group.actions.isEmpty { close(group) }
      }
      post(.NSUndoManagerDidCloseUndoGroup)
    }

    private func close(_ group: Group) {
      if phase == .undoing {
        redoStack.append(group)
      } else {
        undoStack.append(group)
        trim()
      }
    }

    /// Closes the group that an action opened by itself: the event is over.
    package func endImplicitGroup() {
      if isOpenImplicitly, open.count == 1, phase == .recording { endUndoGrouping() }
    }

    /// How many groups are remembered at most; 0 is all.
    open var levelsOfUndo = 0 {
      didSet { trim() }
    }

    private func trim() {
      guard levelsOfUndo > 0 else { return }
      undoStack.removeFirst(max(0, undoStack.count - levelsOfUndo))
      redoStack.removeFirst(max(0, redoStack.count - levelsOfUndo))
    }

    // MARK: - Undoing

    /// Whether there is something to undo.
    open var canUndo: Bool { !undoStack.isEmpty || open.contains { !$0.actions.isEmpty } }

    /// Whether there is something to redo.
    open var canRedo: Bool { !redoStack.isEmpty }

    /// Whether something is being undone.
    open var isUndoing: Bool { phase == .undoing }

    /// Whether something is being redone.
    open var isRedoing: Bool { phase == .redoing }

    /// Closes the open group and undoes the last one. Within nested groups it does nothing.
    open func undo() {
      if open.count == 1 { endUndoGrouping() }
      undoNestedGroup()
    }

    /// Undoes the last group. While a group is open it does nothing.
    open func undoNestedGroup() {
      guard phase == .recording, open.isEmpty, let group = undoStack.popLast() else { return }
      post(.NSUndoManagerWillUndoChange)
      perform(group, in: .undoing)
      post(.NSUndoManagerDidUndoChange)
    }

    /// Does what was undone last again. While a group is open it does nothing.
    open func redo() {
      guard phase == .recording, open.isEmpty, let group = redoStack.popLast() else { return }
      post(.NSUndoManagerWillRedoChange)
      perform(group, in: .redoing)
      post(.NSUndoManagerDidRedoChange)
    }

    /// Performs the actions backwards; what they register becomes one group of the other stack.
    private func perform(_ group: Group, in phase: Phase) {
      self.phase = phase
      beginUndoGrouping()
      open[0].name = group.name
      for action in group.actions.reversed() {
        if let target = action.target { action.perform(target) }
      }
      while !open.isEmpty { endUndoGrouping() }
      self.phase = .recording
    }

    // MARK: - Forgetting

    /// Forgets everything, and enables registration.
    open func removeAllActions() {
      undoStack.removeAll()
      redoStack.removeAll()
      open = open.map { _ in Group() }
      disabled = 0
    }

    /// Forgets the actions of a target.
    open func removeAllActions(withTarget target: Any) {
      let target = target as AnyObject
      func remove(from groups: inout [Group]) {
        for index in groups.indices { groups[index].actions.removeAll { $0.target === target } }
      }
      remove(from: &undoStack)
      remove(from: &redoStack)
      remove(from: &open)
      undoStack.removeAll { $0.actions.isEmpty }
      redoStack.removeAll { $0.actions.isEmpty }
    }

    // MARK: - Names

    /// The name of what would be undone; empty where it has none.
    open var undoActionName: String { open.last { !$0.actions.isEmpty }?.name ?? undoStack.last?.name ?? "" }

    /// The name of what would be redone; empty where it has none.
    open var redoActionName: String { redoStack.last?.name ?? "" }

    /// Names the group that is open, or the last one.
    open func setActionName(_ actionName: String) {
      if !open.isEmpty {
        open[open.count - 1].name = actionName
      } else if !undoStack.isEmpty {
        undoStack[undoStack.count - 1].name = actionName
      }
    }

    /// The title of a menu item that undoes: `Undo Typing`.
    open var undoMenuItemTitle: String { undoMenuTitle(forUndoActionName: undoActionName) }

    /// The title of a menu item that redoes: `Redo Typing`.
    open var redoMenuItemTitle: String { redoMenuTitle(forUndoActionName: redoActionName) }

    /// The title of a menu item that undoes something of a name.
    open func undoMenuTitle(forUndoActionName actionName: String) -> String {
      actionName.isEmpty ? "Undo" : "Undo \(actionName)"
    }

    /// The title of a menu item that redoes something of a name.
    open func redoMenuTitle(forUndoActionName actionName: String) -> String {
      actionName.isEmpty ? "Redo" : "Redo \(actionName)"
    }

    private func post(_ name: Notification.Name) { NotificationCenter.default.post(name: name, object: self) }
  }
#else
  import Foundation

  extension UndoManager {
    /// Foundation's manager ends its groups by itself, at the end of the run loop's pass.
    package func endImplicitGroup() {}
  }
#endif
