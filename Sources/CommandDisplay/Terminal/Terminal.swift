internal import Glibc

/// The terminal of the live display.
package struct Terminal {
  package struct Size: Equatable, Sendable {
    package var columns: Int
    package var rows: Int

    package init(columns: Int, rows: Int) {
      self.columns = columns
      self.rows = rows
    }
  }

  /// Read for every frame, because a window may be resized.
  package let size: () -> Size
  /// False while another job controls the terminal, whose output a frame would overwrite.
  package let isForeground: () -> Bool
  /// Whether bars may use characters outside ASCII.
  package let isUnicode: Bool
  /// Whether bars have a colour. Who sets `NO_COLOR` wants none (no-color.org).
  package let hasColours: Bool
  /// Whether it shows progress in its tab or task bar (OSC 9;4).
  package let showsProgress: Bool

  package init(
    isUnicode: Bool, hasColours: Bool = false, showsProgress: Bool = false, size: @escaping () -> Size,
    isForeground: @escaping () -> Bool = { true }
  ) {
    self.isUnicode = isUnicode
    self.hasColours = hasColours
    self.showsProgress = showsProgress
    self.size = size
    self.isForeground = isForeground
  }

  /// Nil where the descriptor is not a terminal, or one without cursor movement.
  ///
  /// - Parameter hasColours: nil if the environment decides.
  package init?(descriptor: Int32, hasColours: Bool? = nil) {
    guard isatty(descriptor) == 1, let kind = Self.environment("TERM"), !kind.isEmpty, kind != "dumb" else {
      return nil
    }
    let locale = Self.environment("LC_ALL") ?? Self.environment("LC_CTYPE") ?? Self.environment("LANG") ?? ""
    let folded = locale.lowercased()
    self.init(
      isUnicode: folded.contains("utf-8") || folded.contains("utf8"),
      hasColours: hasColours ?? (Self.environment("NO_COLOR") == nil),
      showsProgress: ProgressSignal.isUnderstood(Self.environment),
      size: {
        var window = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &window) == 0, window.ws_col > 0, window.ws_row > 0 else {
          return Size(columns: 80, rows: 24)
        }
        return Size(columns: Int(window.ws_col), rows: Int(window.ws_row))
      },
      isForeground: {
        let group = tcgetpgrp(descriptor)
        return group < 0 || group == getpgrp()  // -1: not our controlling terminal
      })
  }

  /// An environment variable; nil where it is unset or empty.
  private static func environment(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
  }
}
