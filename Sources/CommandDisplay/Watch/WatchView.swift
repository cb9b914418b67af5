/// What the user has chosen in `ctl watch`, and what keys mean there.
package struct WatchView: Sendable, Equatable {
  package enum Action: Equatable, Sendable {
    case leave
    /// Of the task with this id.
    case change(Change, String)
    case pauseSession, resumeSession
  }

  /// By the names of the protocol's methods.
  package enum Change: String, Sendable { case pause, resume, retry, cancel, remove }

  /// A key as a terminal sends it.
  package enum Key: Equatable, Sendable {
    case up, down, pageUp, pageDown, first, last
    case other(UInt8)
  }

  /// The id of a task.
  package private(set) var chosen: String?
  package private(set) var showsHelp = false
  /// The last line; nil is the hint on keys.
  package var message: String?
  /// What the same key confirms if it is pressed again.
  private var asked: Action?

  static let hint = "q leaves, the work continues   arrows choose   p pauses   ? all keys"
  static let help = [
    "Keys", "  up, down, k, j       choose a file", "  page up, page down   choose a file further away",
    "  home, end, g, G      choose the first or the last file",
    "  p                    pause or resume the chosen file",
    "  P                    pause or resume the session", "  r                    begin the chosen file again",
    "  c, c                 cancel the chosen file and remove its bytes",
    "  d, d                 remove the chosen file from the session; a finished file stays",
    "  ?                    show or hide this", "  q                    leave; the work continues",
  ]
  private static let page = 10

  package init() {}

  /// Chooses the first task that runs, or else the first one, if the chosen one is gone.
  package mutating func adjust(to picture: WatchPicture) {
    if let chosen, picture.tasks.contains(where: { $0.id == chosen }) { return }
    chosen = (picture.tasks.first { $0.state == "running" } ?? picture.tasks.first)?.id
  }

  /// The keys of bytes that came together. A sequence that is not known is no key.
  package static func keys(_ bytes: [UInt8]) -> [Key] {
    var keys: [Key] = []
    var rest = bytes[...]
    while let byte = rest.popFirst() {
      guard byte == 0x1b else {
        keys.append(.other(byte))
        continue
      }
      // ESC alone, or ESC with [ or O, digits, and a final byte.
      guard let introducer = rest.first, introducer == UInt8(ascii: "[") || introducer == UInt8(ascii: "O") else {
        continue
      }
      _ = rest.popFirst()
      var sequence: [UInt8] = []
      while let next = rest.popFirst() {
        sequence.append(next)
        if 0x40...0x7e ~= next { break }
      }
      switch String(decoding: sequence, as: UTF8.self) {
      case "A": keys.append(.up)
      case "B": keys.append(.down)
      case "5~": keys.append(.pageUp)
      case "6~": keys.append(.pageDown)
      case "H", "1~", "7~": keys.append(.first)
      case "F", "4~", "8~": keys.append(.last)
      default: break
      }
    }
    return keys
  }

  /// Does what a key says.
  ///
  /// - Returns: what is to be done with the session; nil if nothing.
  package mutating func typed(_ key: Key, _ picture: WatchPicture) -> Action? {
    message = nil
    let asked = asked.take()
    switch key {
    case .up: move(-1, picture)
    case .down: move(1, picture)
    case .pageUp: move(-Self.page, picture)
    case .pageDown: move(Self.page, picture)
    case .first: move(-picture.tasks.count, picture)
    case .last: move(picture.tasks.count, picture)
    case .other(let byte): return command(byte, picture, asked)
    }
    return nil
  }

  /// - Parameter asked: what the last key wanted, if it has to be confirmed.
  private mutating func command(_ byte: UInt8, _ picture: WatchPicture, _ asked: Action?) -> Action? {
    let task = picture.tasks.first { $0.id == chosen }
    switch Character(Unicode.Scalar(byte)) {
    case "q": return .leave
    case "k": move(-1, picture)
    case "j": move(1, picture)
    case "g": move(-picture.tasks.count, picture)
    case "G": move(picture.tasks.count, picture)
    case "?", "h": showsHelp.toggle()
    case "p":
      guard let task else { return nil }
      switch task.state {
      case "paused": return .change(.resume, task.id)
      case "waiting", "running", "verifying": return .change(.pause, task.id)
      default: message = "file \(task.number) has ended; r begins it again"
      }
    case "P": return picture.isPaused ? .resumeSession : .pauseSession
    case "r":
      guard let task else { return nil }
      return .change(.retry, task.id)
    case "c":
      guard let task else { return nil }
      if WatchPicture.settledStates.contains(task.state) {
        message = "file \(task.number) has ended; d removes it from the session"
        return nil
      }
      return confirmed(
        .change(.cancel, task.id), asked, "press c again to cancel file \(task.number) and to remove its bytes")
    case "d":
      guard let task else { return nil }
      let files = task.state == "succeeded" ? "the file stays" : "its bytes are removed"
      return confirmed(
        .change(.remove, task.id), asked,
        "press d again to remove file \(task.number) from the session; \(files)")
    default: break
    }
    return nil
  }

  /// What cannot be taken back is done when its key is pressed a second time.
  private mutating func confirmed(_ action: Action, _ asked: Action?, _ question: String) -> Action? {
    if action == asked { return action }
    (self.asked, message) = (action, question)
    return nil
  }

  private mutating func move(_ distance: Int, _ picture: WatchPicture) {
    guard !picture.tasks.isEmpty else { return }
    let index = picture.tasks.firstIndex { $0.id == chosen } ?? 0
    chosen = picture.tasks[min(max(0, index + distance), picture.tasks.count - 1)].id
  }
}
