/// What the user has chosen in `ctl watch`, and what keys mean there.
package struct WatchView: Sendable, Equatable {
  package enum Action: Equatable, Sendable {
    case leave
    /// Of the task with this id.
    case pause(String), resume(String), retry(String)
    case pauseSession, resumeSession
  }

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

  static let hint = "q leaves, the work continues   arrows choose   p pauses   ? all keys"
  static let help = [
    "Keys", "  up, down, k, j       choose a file", "  page up, page down   choose a file further away",
    "  home, end, g, G      choose the first or the last file",
    "  p                    pause or resume the chosen file",
    "  P                    pause or resume the session", "  r                    begin the chosen file again",
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
    switch key {
    case .up: move(-1, picture)
    case .down: move(1, picture)
    case .pageUp: move(-Self.page, picture)
    case .pageDown: move(Self.page, picture)
    case .first: move(-picture.tasks.count, picture)
    case .last: move(picture.tasks.count, picture)
    case .other(let byte): return command(byte, picture)
    }
    return nil
  }

  private mutating func command(_ byte: UInt8, _ picture: WatchPicture) -> Action? {
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
      case "paused": return .resume(task.id)
      case "waiting", "running", "verifying": return .pause(task.id)
      default: message = "file \(task.number) has ended; r begins it again"
      }
    case "P": return picture.isPaused ? .resumeSession : .pauseSession
    case "r":
      guard let task else { return nil }
      return .retry(task.id)
    default: break
    }
    return nil
  }

  private mutating func move(_ distance: Int, _ picture: WatchPicture) {
    guard !picture.tasks.isEmpty else { return }
    let index = picture.tasks.firstIndex { $0.id == chosen } ?? 0
    chosen = picture.tasks[min(max(0, index + distance), picture.tasks.count - 1)].id
  }
}
