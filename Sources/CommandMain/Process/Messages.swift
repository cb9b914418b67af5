internal import DownloadEvents
internal import DownloadWords

/// Where words go that no display tells: standard error and the log.
struct Messages {
  let standardError: Output
  let log: RunLog?

  /// - Parameter isShown: whether standard error gets it, too.
  func write(_ diagnostic: Diagnostic, isShown: Bool = true) { write(diagnostic.text, isShown: isShown) }

  func write(_ text: String, isShown: Bool = true) {
    if isShown { standardError.write(text) }
    log?.add(text)
    log?.flush()
  }
}
