#if !canImport(ObjectiveC)
  public import Foundation

  // Foundation has no undo manager without Objective-C. This one has the same names. Remove this file once Foundation
  // has one.

  extension Notification.Name {
    /// An undo manager is about to undo a group.
    public static let NSUndoManagerWillUndoChange = Notification.Name("NSUndoManagerWillUndoChangeNotification")
    /// An undo manager undid a group.
    public static let NSUndoManagerDidUndoChange = Notification.Name("NSUndoManagerDidUndoChangeNotification")
    /// An undo manager is about to redo a group.
    public static let NSUndoManagerWillRedoChange = Notification.Name("NSUndoManagerWillRedoChangeNotification")
    /// An undo manager redid a group.
    public static let NSUndoManagerDidRedoChange = Notification.Name("NSUndoManagerDidRedoChangeNotification")
    /// An undo manager opened a group.
    public static let NSUndoManagerDidOpenUndoGroup = Notification.Name("NSUndoManagerDidOpenUndoGroupNotification")
    /// An undo manager closed a group.
    public static let NSUndoManagerDidCloseUndoGroup = Notification.Name("NSUndoManagerDidCloseUndoGroupNotification")
  }

  /// Records how to undo and redo changes.
  ///
  /// Actions are undone in groups. With ``groupsByEvent``, the first action opens a group. Foundation closes it at the
  /// end of the run loop's pass, which programs without a user interface do not have. This manager closes it at the
  /// next undo, and when the context saves or processes pending changes. (Apple's documentation, `UndoManager`.)
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
    // A manager belongs to one thread or actor at a time, like its context.

    /// The open groups, outermost first.
    private var open: [Group] = []
    /// Whether an action opened the outermost group, rather than ``beginUndoGrouping()``.
    private var isOpenImplicitly = false
    private var undoStack: [Group] = []
    private var redoStack: [Group] = []
    private var phase = Phase.recording
    private var disabled = 0

    /// Makes an empty manager.
    public override init() { super.init() }

    // MARK: - Registering

    /// Registers an undo action. During an undo, it registers a redo action.
    ///
    /// The manager does not retain the target. An action whose target is gone does nothing.
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

    /// Disables registration until a matching ``enableUndoRegistration()``.
    open func disableUndoRegistration() { disabled += 1 }

    /// Reverts one ``disableUndoRegistration()``.
    open func enableUndoRegistration() { disabled = max(0, disabled - 1) }

    /// Whether actions are registered.
    open var isUndoRegistrationEnabled: Bool { disabled == 0 }

    // MARK: - Groups

    /// Whether the first action opens a group. Otherwise an action outside any group is a group of its own.
    open var groupsByEvent = true

    /// The number of open groups.
    open var groupingLevel: Int { open.count }

    /// Opens a group inside the current one.
    open func beginUndoGrouping() {
      open.append(Group())
      post(.NSUndoManagerDidOpenUndoGroup)
    }

    /// Closes the innermost group. Does nothing without an open group.
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

    /// Closes the group that an action opened, because the event is over.
    package func endImplicitGroup() {
      if isOpenImplicitly, open.count == 1, phase == .recording { endUndoGrouping() }
    }

    /// The maximum number of groups; 0 means no limit.
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

    /// Closes the open group and undoes the last one. Does nothing inside nested groups.
    open func undo() {
      if open.count == 1 { endUndoGrouping() }
      undoNestedGroup()
    }

    /// Undoes the last group. Does nothing while a group is open.
    open func undoNestedGroup() {
      guard phase == .recording, open.isEmpty, let group = undoStack.popLast() else { return }
      post(.NSUndoManagerWillUndoChange)
      perform(group, in: .undoing)
      post(.NSUndoManagerDidUndoChange)
    }

    /// Redoes the last undone group. Does nothing while a group is open.
    open func redo() {
      guard phase == .recording, open.isEmpty, let group = redoStack.popLast() else { return }
      post(.NSUndoManagerWillRedoChange)
      perform(group, in: .redoing)
      post(.NSUndoManagerDidRedoChange)
    }

    /// Performs the actions in reverse. The actions that they register become one group on the other stack.
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

    /// Removes all actions and enables registration.
    open func removeAllActions() {
      undoStack.removeAll()
      redoStack.removeAll()
      open = open.map { _ in Group() }
      disabled = 0
    }

    /// Removes the actions of a target.
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

    /// The name of the next action to undo, or an empty string.
    open var undoActionName: String { open.last { !$0.actions.isEmpty }?.name ?? undoStack.last?.name ?? "" }

    /// The name of the next action to redo, or an empty string.
    open var redoActionName: String { redoStack.last?.name ?? "" }

    /// Names the open group, or the last one.
    open func setActionName(_ actionName: String) {
      if !open.isEmpty {
        open[open.count - 1].name = actionName
      } else if !undoStack.isEmpty {
        undoStack[undoStack.count - 1].name = actionName
      }
    }

    /// The title of a menu item for undo: `Undo Typing`.
    open var undoMenuItemTitle: String { undoMenuTitle(forUndoActionName: undoActionName) }

    /// The title of a menu item for redo: `Redo Typing`.
    open var redoMenuItemTitle: String { redoMenuTitle(forUndoActionName: redoActionName) }

    /// The title of a menu item for undoing a named action.
    open func undoMenuTitle(forUndoActionName actionName: String) -> String {
      actionName.isEmpty ? "Undo" : "Undo \(actionName)"
    }

    /// The title of a menu item for redoing a named action.
    open func redoMenuTitle(forUndoActionName actionName: String) -> String {
      actionName.isEmpty ? "Redo" : "Redo \(actionName)"
    }

    private func post(_ name: Notification.Name) { NotificationCenter.default.post(name: name, object: self) }
  }
#else
  import Foundation

  extension UndoManager {
    /// Foundation's manager closes its groups itself at the end of the run loop's pass.
    package func endImplicitGroup() {}
  }
#endif
